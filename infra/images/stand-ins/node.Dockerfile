# Stand-in for node:*-slim: Debian, and Node.js and npm from the npm registry.
FROM selvage-check/debian
COPY npm/node_modules/node-linux-*/bin/node /usr/local/bin/
COPY npm/node_modules/npm /usr/local/lib/node_modules/npm
# The certificates and the registry of the machine that builds, which may sit behind a proxy.
COPY ca-certificates.crt /etc/ssl/certs/
ARG NPM_REGISTRY
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt NPM_CONFIG_REGISTRY=$NPM_REGISTRY
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && useradd --uid 1000 --user-group --create-home node
CMD ["node"]
