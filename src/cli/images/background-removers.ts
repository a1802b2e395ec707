import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '../../client/client.ts';
import type { CutOutOptions } from '../../output/quality.ts';
import type { ImageWish } from './image-request.ts';
import { startLocalEngine } from './local-engine.ts';

/** What is told of a cut-out beside its picture. */
export interface CutOutFacts {
  bytes: number;
  model?: string | undefined;
  /** 0..1 */
  confidence?: number | undefined;
  requestId?: string;
}

/** What cuts out one file into another. */
export interface Cutter {
  cutOut(input: string, output: string, signal: AbortSignal): Promise<CutOutFacts>;
  close(): Promise<void>;
}

/** Has a server cut out. */
export const serverCutter = (client: Client, wish: ImageWish): Cutter => ({
  async cutOut(input, output, signal) {
    const bytes = await readFile(input);
    const picture = await client.removeBackground(bytes, { ...wish, signal });
    const { image, model, confidence, requestId } = picture;
    await writeFile(output, image);
    return { bytes: image.length, model, confidence, requestId };
  },
  close: async () => {},
});

/**
 * Cuts out on this machine, without a server.
 * @param background a file
 * @throws CliError where the model cannot be loaded
 */
export async function localCutter(
  slots: number,
  options: CutOutOptions,
  background: string | undefined,
  signal: AbortSignal,
): Promise<Cutter> {
  const engine = await startLocalEngine(slots, signal);
  const behind = background === undefined ? {} : { background };
  return {
    cutOut: (input, output) => engine.cutOut({ input, output, options, ...behind }),
    close: engine.close,
  };
}
