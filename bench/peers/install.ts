import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The peer. Its licence (AGPL) keeps it out of this project: it is installed in a folder of its own. */
export const PEER = { name: '@imgly/background-removal-node', version: '1.4.5' } as const;

/** The peer's version of sharp downloads its binaries; this one has them in packages. */
const OVERRIDES = JSON.stringify({ sharp: '0.34.5' });

export const howToInstall = (
  folder: string,
): string => `There is no ${PEER.name} ${PEER.version} in ${folder}. To install it:

  mkdir -p ${folder} && cd ${folder} && npm init -y
  npm pkg set --json overrides='${OVERRIDES}'
  npm install --ignore-scripts ${PEER.name}@${PEER.version}

It is under the AGPL and takes 300 MB; do not add any of it to this project.`;

const Manifest = z.object({ version: z.string() });

/** Returns the version installed in a folder, if any. */
export function installedVersion(folder: string): string | undefined {
  try {
    const manifest = join(folder, 'node_modules', PEER.name, 'package.json');
    return Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
  } catch {
    return undefined;
  }
}
