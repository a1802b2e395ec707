# The worker for NVIDIA cards: CUDA 12 and cuDNN 9, x86-64. Build from the repository root:
#   docker build -f infra/docker/worker-gpu.Dockerfile -t selvage-worker-gpu .
# Run with `--gpus all` and the NVIDIA container toolkit.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY test/generated-client/package.json test/generated-client/
# The client is compiled into dist; its link would lead nowhere in the image.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@selvage
# The package contains no CUDA provider; its install script, which npm does not run here, downloads it. `skip` leaves it
# out, for a build without internet: the image then runs on the processor only.
ARG ONNXRUNTIME_NODE_INSTALL=cuda12
RUN cd node_modules/onnxruntime-node \
  && node script/install.js \
  && cd bin/napi-v* \
  && find . -mindepth 2 -maxdepth 2 ! -path ./linux/x64 -exec rm -rf {} +

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

FROM nvidia/cuda:12.9.1-cudnn-runtime-ubuntu24.04
ENV NODE_ENV=production DEVICE=cuda \
  WORKER_HOST=0.0.0.0 WORKER_PORT=8081 SELVAGE_HOME=/var/lib/selvage
COPY --from=build /usr/local/bin/node /usr/local/bin/node
# The same uid as in the other images, for shared volumes; the base image already has a user with that uid.
RUN (userdel --remove ubuntu || true) \
  && useradd --uid 1000 --user-group --create-home node \
  && install -d -m 0700 -o node -g node "$SELVAGE_HOME"
WORKDIR /app
COPY --from=packages /app/package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/models models
# Version and revision, set at build time: --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD)
ARG VERSION=unknown REVISION=unknown
LABEL org.opencontainers.image.title="selvage-worker-gpu" \
  org.opencontainers.image.description="Selvage: the image worker, on an NVIDIA card" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
USER node
VOLUME /var/lib/selvage
EXPOSE 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WORKER_PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/workers/main.js"]
