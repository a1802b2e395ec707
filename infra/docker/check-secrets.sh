#!/bin/sh
# Fails if others than this machine can reach the gateway (PUBLISH_HOST) although a secret of docker-compose.yml still
# has the value that everyone can read there.
set -eu

case ${PUBLISH_HOST:-127.0.0.1} in
127.* | ::1 | '[::1]') exit 0 ;;
esac

known=
for name in REDIS_PASSWORD S3_ACCESS_KEY S3_SECRET_KEY; do
  eval "value=\${$name:-for-development-only}"
  if [ "$value" = for-development-only ]; then known="$known $name"; fi
done
if [ -z "$known" ]; then exit 0; fi

echo "Not started: others can reach the gateway at PUBLISH_HOST=$PUBLISH_HOST, but these secrets have publicly known" \
  "values:$known. Set them in the environment or in .env, or leave out PUBLISH_HOST, and start again." >&2
exit 1
