import { copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { findProgram } from '../launcher/processes.mjs';
import { StartError } from '../launcher/start-error.mjs';
import { type Engine, mustRun } from './engine.ts';

const STAND_INS = join(import.meta.dirname, 'stand-ins');
/** Marks the images this command made, which the public ones of the same name must not be mistaken for. */
const LABEL = 'selvage.stand-in';
const DEBIAN = 'selvage-check/debian';
const DEBIAN_SUITE = 'bookworm';
const DEBIAN_MIRROR = 'http://deb.debian.org/debian';
/** Not needed in an image; minbase has them. */
const LEFT_OUT = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/lib/apt/lists'];
const NPM = 'npm@11';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

/** Where an image came from: the engine had it, a registry has it, or it was made from Debian's packages. */
export type Source = 'present' | 'pulled' | 'stand-in';

/** What replaces a public image that cannot be pulled: a Dockerfile in `stand-ins/`. */
const DOCKERFILES: Readonly<Record<string, string>> = {
  node: 'node.Dockerfile',
  'nvidia/cuda': 'cuda.Dockerfile',
  'valkey/valkey': 'valkey.Dockerfile',
  'chrislusf/seaweedfs': 'seaweedfs.Dockerfile',
};

const Compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({ image: z.string().optional(), profiles: z.array(z.string()).optional() }),
  ),
});

/** Returns the images that Dockerfiles build on and that the default profile of a Compose file starts. */
export function publicImages(dockerfiles: readonly string[], compose: string): string[] {
  const bases = dockerfiles.flatMap((text) =>
    [...text.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image),
  );
  const { services } = Compose.parse(parse(compose, { merge: true }));
  const started = Object.values(services)
    .filter(({ profiles }) => profiles === undefined)
    .flatMap(({ image }) => image ?? []);
  return [...new Set([...bases, ...started])];
}

/** Returns where the engine's image of this name came from; undefined if it has none. */
async function sourceOf({ docker }: Engine, image: string): Promise<Source | undefined> {
  const format = `{{index .Config.Labels "${LABEL}"}}`;
  const label = await docker('image', 'inspect', '--format', format, image).catch(() => undefined);
  if (label === undefined) return undefined;
  return label === 'true' ? 'stand-in' : 'present';
}

/**
 * Makes sure that the engine has an image: as it is, pulled, or built under the same name from Debian's packages.
 * @param scratch a folder for what it is built from
 */
export async function provideImage(
  engine: Engine,
  image: string,
  scratch: string,
): Promise<Source> {
  const source = await sourceOf(engine, image);
  if (source) return source;
  const error = await engine.docker('pull', '--quiet', image).then(
    () => undefined,
    (reason: Error) => reason,
  );
  if (!error) return 'pulled';
  const [name = '', tag = ''] = image.split(':');
  const dockerfile = DOCKERFILES[name];
  if (!dockerfile) throw error;
  await provideDebian(engine, await mkdtemp(join(scratch, 'debian-')));
  await buildStandIn(engine, { image, dockerfile, tag }, await mkdtemp(join(scratch, 'base-')));
  return 'stand-in';
}

/** Removes the stand-ins, which hide the public images of their names. */
export async function removeStandIns({ docker }: Engine): Promise<void> {
  const names = await docker('images', '--quiet', '--filter', `label=${LABEL}`);
  const ids = [...new Set(names.split('\n').filter(Boolean))];
  if (ids.length > 0) await docker('rmi', '--force', ...ids);
}

/** Makes the image that all stand-ins build on. */
async function provideDebian(engine: Engine, folder: string): Promise<void> {
  if (await sourceOf(engine, DEBIAN)) return;
  if (!findProgram('debootstrap') || process.getuid?.() !== 0) {
    throw new StartError(
      'The base images cannot be pulled. To make them from Debian packages, run this as root with debootstrap installed.',
    );
  }
  const root = join(folder, 'root');
  await mustRun(['debootstrap', '--variant=minbase', DEBIAN_SUITE, root, DEBIAN_MIRROR]);
  await mustRun(['chroot', root, 'apt-get', 'clean']);
  for (const path of LEFT_OUT) await rm(join(root, path), { recursive: true });
  const archive = join(folder, 'root.tar');
  await mustRun(['tar', '--directory', root, '--create', '--file', archive, '.']);
  await engine.docker('import', '--change', `LABEL ${LABEL}=true`, archive, DEBIAN);
}

async function buildStandIn(
  engine: Engine,
  { image, dockerfile, tag }: { image: string; dockerfile: string; tag: string },
  folder: string,
): Promise<void> {
  await cp(STAND_INS, folder, { recursive: true });
  const file = join(folder, dockerfile);
  const needsNode = (await readFile(file, 'utf8')).includes('ARG NPM_REGISTRY');
  const args = needsNode ? await addNode(folder, tag) : [];
  await engine.docker('build', '--file', file, '--tag', image, ...args, folder);
}

/** Adds Node.js, npm and this machine's certificates to a build context; returns the arguments of the build. */
async function addNode(folder: string, tag: string): Promise<string[]> {
  const npm = join(folder, 'npm');
  await mkdir(npm);
  await writeFile(join(npm, 'package.json'), '{}');
  const node = `node-linux-${process.arch}@${Number.parseInt(tag, 10)}`;
  await mustRun(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', node, NPM], {
    cwd: npm,
  });
  await copyFile(
    process.env.NODE_EXTRA_CA_CERTS ?? CERTIFICATES,
    join(folder, 'ca-certificates.crt'),
  );
  const registry = (await mustRun(['npm', 'config', 'get', 'registry'])).split('\n').at(-1);
  return ['--build-arg', `NPM_REGISTRY=${registry}`];
}
