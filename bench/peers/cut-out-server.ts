import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** A request to a measured program: cut out the subject of one file, into another. */
export const CutOutRequest = z.object({ from: z.string(), to: z.string(), mediaType: z.string() });
export type CutOutRequest = z.infer<typeof CutOutRequest>;

/** The reply when it is done, with the error if it failed. */
export const CutOutReply = z.object({ error: z.string().optional() });
export type CutOutReply = z.infer<typeof CutOutReply>;

/** Cuts the subject out of an encoded image; returns a PNG. */
export type CutOut = (image: Buffer<ArrayBuffer>, mediaType: string) => Promise<Uint8Array>;

async function handle(
  cutOut: CutOut,
  { from, to, mediaType }: CutOutRequest,
): Promise<CutOutReply> {
  try {
    await writeFile(to, await cutOut(await readFile(from), mediaType));
    return {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Serves the parent process until it disconnects. */
export function serveCutOuts(cutOut: CutOut): void {
  process.on('message', async (message) => {
    process.send?.(await handle(cutOut, CutOutRequest.parse(message)));
  });
  process.on('disconnect', () => process.exit());
}
