import { createRequire } from 'node:module';
import { join } from 'node:path';
import { z } from 'zod';
import { serveCutOuts } from './cut-out-server.ts';
import { PEER } from './install.ts';

/** The peer as its readme uses it, loaded from the working directory, where it looks for its models. */
const Peer = z.object({
  removeBackground: z.custom<(image: Blob) => Promise<Blob>>(
    (value) => typeof value === 'function',
  ),
});
const { removeBackground } = Peer.parse(
  createRequire(join(process.cwd(), 'package.json'))(PEER.name),
);

serveCutOuts(async (image, type) => {
  const cutOut = await removeBackground(new Blob([image], { type }));
  return new Uint8Array(await cutOut.arrayBuffer());
});
