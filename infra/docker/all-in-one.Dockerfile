# Gateway, worker and Valkey in one container, with one volume: to try it, and for one machine. Build from the repository
# root, for amd64 and arm64 alike:
#   docker build -f infra/docker/all-in-one.Dockerfile -t selvage .
#   docker run --init --name selvage -p 8080:8080 -v selvage:/var/lib/selvage selvage
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY test/generated-client/package.json test/generated-client/
# The client is compiled into dist; its link would lead nowhere in the image.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@selvage
# Keeps only this platform's binaries: the package of the inference library contains those of every platform.
RUN cd node_modules/onnxruntime-node/bin/napi-v* \
  && find . -mindepth 2 -maxdepth 2 ! -path "./linux/$(node -p process.arch)" -exec rm -rf {} +

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY test/generated-client/package.json test/generated-client/
RUN npm ci --include=dev --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY packages packages
COPY src src
COPY workers workers
COPY models models
COPY data data
RUN npm run build

FROM valkey/valkey:9.1.2-bookworm AS valkey

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 SELVAGE_HOME=/var/lib/selvage
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 \
  && rm -rf /var/lib/apt/lists/* \
  && install -d -m 0700 -o node -g node "$SELVAGE_HOME"
COPY --from=valkey /usr/local/bin/valkey-server /usr/local/bin/
WORKDIR /app
# Without a lock file, the launcher takes what is here as it is.
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/models models
COPY --from=build /app/src/console/browser dist/src/console/browser
COPY infra/launcher infra/launcher
# Version and revision, set at build time: --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="selvage" \
  org.opencontainers.image.description="Selvage: gateway, worker and Valkey" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
USER node
VOLUME /var/lib/selvage
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "infra/launcher/main.mjs", "start"]
