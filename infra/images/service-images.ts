import { join } from 'node:path';
import type { Engine } from './engine.ts';

/** The images that ship: the services of docker-compose.yml, and all of them in one. */
export const SERVICES = ['gateway', 'worker', 'worker-gpu', 'all-in-one'] as const;
export type ServiceName = (typeof SERVICES)[number];

export const dockerfileOf = (service: ServiceName): string =>
  join('infra', 'docker', `${service}.Dockerfile`);

/** The name of an image that this command builds; `version` is that of the sources: `now` or `before`. */
export const imageName = (service: ServiceName, version: string): string =>
  `selvage-${service}:check-${version}`;

export interface BuildOptions {
  service: ServiceName;
  version: string;
  /** The folder with the sources. */
  sources: string;
  /** Whether to build it without the CUDA library, which does not come from npm's registry. */
  withoutCuda: boolean;
}

/** Builds an image from a folder of sources. */
export async function buildImage({ docker }: Engine, options: BuildOptions): Promise<void> {
  const { service, version, sources, withoutCuda } = options;
  const skip = withoutCuda ? ['--build-arg', 'ONNXRUNTIME_NODE_INSTALL=skip'] : [];
  const file = join(sources, dockerfileOf(service));
  await docker('build', '--file', file, '--tag', imageName(service, version), ...skip, sources);
}

/** Returns the size of an image, uncompressed, bytes. */
export async function imageBytes({ docker }: Engine, image: string): Promise<number> {
  return Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
}
