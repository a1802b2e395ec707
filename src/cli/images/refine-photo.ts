import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Strokes } from '../../output/strokes.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { readInput, readJsonFile, save } from '../terminal/files.ts';
import { type Output, print, say } from '../terminal/output.ts';

/** The options of `selvage refine`. */
export interface RefineOptions extends ServerOptions, Output {
  alpha: string;
  strokes: string;
  output: string;
  force?: true;
}

/** Mends the cut-out of a photo, and writes the new one. @throws CliError, SelvageError */
export async function refinePhoto(
  photo: string,
  options: RefineOptions,
  signal: AbortSignal,
): Promise<void> {
  const { output } = options;
  const strokes = await readJsonFile(options.strokes, Strokes);
  const [image, alpha] = await Promise.all([readInput(photo), readInput(options.alpha)]);
  const target = { folder: dirname(output), force: options.force ?? false };
  const mended = await save(output, target, async (temporary) => {
    const response = await connect(options).refineCutOut({ image, alpha, strokes }, { signal });
    await writeFile(temporary, response.image);
    return response;
  });
  const { requestId } = mended;
  if (options.json)
    print(options, { file: photo, output, bytes: mended.image.length, requestId }, '');
  else say(options, `${output} is mended.`);
}
