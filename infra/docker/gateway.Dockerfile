# The gateway, without weights of models or inference library. Build from the repository root:
#   docker build -f infra/docker/gateway.Dockerfile -t selvage-gateway .
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY test/generated-client/package.json test/generated-client/
# The client is compiled into dist; its link would lead nowhere in the image.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@selvage
RUN rm -rf node_modules/onnxruntime-*

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

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 SELVAGE_HOME=/var/lib/selvage
RUN install -d -m 0700 -o node -g node "$SELVAGE_HOME"
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
# What the models are called; their weights are the workers'.
COPY --from=build /app/models/catalog.json models/
# The console's files, which are served uncompiled.
COPY --from=build /app/src/console/browser dist/src/console/browser
# Version and revision, set at build time: --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="selvage-gateway" \
  org.opencontainers.image.description="Selvage: the HTTP gateway" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
USER node
VOLUME /var/lib/selvage
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
