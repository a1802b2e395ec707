import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

/** What a program that is measured is asked: cut out the subject of one file, into another. */
export const Asked = z.object({ from: z.string(), to: z.string(), mediaType: z.string() });
export type Asked = z.infer<typeof Asked>;

/** What it says when it is done; why not, where it failed. */
export const Answered = z.object({ fault: z.string().optional() });
export type Answered = z.infer<typeof Answered>;

/** Cuts the subject out of an encoded picture, and gives a PNG. */
export type Cut = (image: Buffer<ArrayBuffer>, mediaType: string) => Promise<Uint8Array>;

async function tryTo(cut: Cut, { from, to, mediaType }: Asked): Promise<Answered> {
  try {
    await writeFile(to, await cut(await readFile(from), mediaType));
    return {};
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/** Answers whoever started this process, until that is gone. */
export function answerWith(cut: Cut): void {
  process.on('message', async (message) => {
    process.send?.(await tryTo(cut, Asked.parse(message)));
  });
  process.on('disconnect', () => process.exit());
}
