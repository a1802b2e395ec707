# The arguments and the environment of `weed mini`: -bucket=NAME, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY.
set -euo pipefail
bucket=selvage
for argument in "$@"; do
  case $argument in -bucket=*) bucket=${argument#-bucket=} ;; esac
done
mon=v2:127.0.0.1:6790
mkdir -p /tmp/ceph

if [[ ! -e /data/mon.a/done ]]; then
  monmaptool --create --clobber --fsid 5e17a9e0-0000-4000-8000-000000000001 --addv a "[$mon]" /tmp/ceph/monmap
  rm -rf /data/mon.a && mkdir -p /data/mon.a
  ceph-mon --mkfs -i a --monmap /tmp/ceph/monmap
  touch /data/mon.a/done
fi
ceph-mon -f -i a &
until timeout 10 ceph mon stat; do sleep 0.2; done

if [[ ! -e /data/osd.0/ready ]]; then
  disk=$(cat /proc/sys/kernel/random/uuid)
  rm -rf /data/osd.0 && mkdir -p /data/osd.0
  ceph osd new "$disk" 0
  ceph-osd -i 0 --mkfs --osd-uuid "$disk"
  ceph osd crush add osd.0 1.0 root=default host=local || true
fi
ceph-osd -f -i 0 &
until ceph osd stat | grep -q '1 up'; do sleep 0.2; done
radosgw -f -n client.rgw &
until wget -q -O /dev/null http://127.0.0.1:8333/; do sleep 0.2; done

radosgw-admin -n client.rgw user info --uid selvage >/dev/null 2>&1 ||
  radosgw-admin -n client.rgw user create --uid selvage --display-name selvage \
    --access-key "$AWS_ACCESS_KEY_ID" --secret-key "$AWS_SECRET_ACCESS_KEY" >/dev/null
s3=(s3cmd --no-ssl --host=127.0.0.1:8333 --host-bucket=127.0.0.1:8333
  --access_key="$AWS_ACCESS_KEY_ID" --secret_key="$AWS_SECRET_ACCESS_KEY")
"${s3[@]}" mb "s3://$bucket"
# Makes the path of the health check answer.
"${s3[@]}" --acl-public mb s3://healthz

# One part that dies ends the container, which Docker then starts again.
wait -n
exit 1
