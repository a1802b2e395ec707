import { writeFile } from 'node:fs/promises';
import type { Client } from '../../../packages/client/src/client.ts';
import type { CutOutOptions } from '../../output/options.ts';
import type { CutOutReview } from '../../output/review.ts';
import type { ImageRequest } from './image-request.ts';
import { startLocalEngine } from './local-engine.ts';
import { readPicture, withReadableFile } from './photos.ts';

/** What is reported of a cut-out, apart from the image. */
export interface CutOutInfo {
  bytes: number;
  model?: string | undefined;
  /** 0 to 1. */
  confidence?: number | undefined;
  review?: CutOutReview | undefined;
  /** Whether it meets the rules, and the ids of those that it does not. */
  rules?: { passed: boolean; failed: string[] };
  /** The photo kept its own alpha. */
  alpha?: 'kept' | undefined;
  requestId?: string;
}

/** Removes the background of one file and writes another. */
export interface BackgroundRemover {
  removeBackground(input: string, output: string, signal: AbortSignal): Promise<CutOutInfo>;
  close(): Promise<void>;
}

/** Uses a server. */
export const serverRemover = (client: Client, request: ImageRequest): BackgroundRemover => ({
  async removeBackground(input, output, signal) {
    const bytes = await readPicture(input);
    const response = await client.removeBackground(bytes, { ...request, signal });
    const { image, model, confidence, review, rules, alpha, requestId } = response;
    await writeFile(output, image);
    const info = { bytes: image.length, model, confidence, review, requestId };
    return { ...info, ...(rules && { rules }), ...(alpha && { alpha }) };
  },
  close: async () => {},
});

/**
 * Uses this machine, without a server.
 * @param background path of an image to put behind the subject
 * @throws CliError if the model cannot be loaded
 */
export async function localRemover(
  slots: number,
  options: CutOutOptions,
  background: string | undefined,
  signal: AbortSignal,
): Promise<BackgroundRemover> {
  const engine = await startLocalEngine(slots, signal);
  const backgroundField = background === undefined ? {} : { background };
  return {
    async removeBackground(input, output) {
      const { rules, ...done } = await withReadableFile(input, `${output}.input`, (file) =>
        engine.cutOut({ input: file, output, options, ...backgroundField }),
      );
      if (!rules) return done;
      const failed = rules.verdicts.filter(({ passed }) => !passed).map(({ id }) => id);
      return { ...done, rules: { passed: rules.passed, failed } };
    },
    close: engine.close,
  };
}
