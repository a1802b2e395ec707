import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The peer. Its licence (AGPL) keeps it out of this project: whoever wants to measure it installs it elsewhere. */
export const PEER = { name: '@imgly/background-removal-node', version: '1.4.5' } as const;

/** Its own sharp needs a download; this one comes as a package. */
const OVERRIDES = JSON.stringify({ sharp: '0.34.5' });

export const howToInstall = (
  folder: string,
): string => `There is no ${PEER.name} in ${folder}. To make that folder:

  mkdir -p ${folder} && cd ${folder} && npm init -y
  npm pkg set --json overrides='${OVERRIDES}'
  npm install --ignore-scripts ${PEER.name}@${PEER.version}

It is under the AGPL and 300 MB large; nothing of it belongs into this project.`;

const Manifest = z.object({ version: z.string() });

/** The version that lies in a folder, if any. */
export function versionIn(folder: string): string | undefined {
  try {
    const manifest = join(folder, 'node_modules', PEER.name, 'package.json');
    return Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
  } catch {
    return undefined;
  }
}
