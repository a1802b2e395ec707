import { Command } from 'commander';
import type { RefineOptions } from '../images/refine-photo.ts';

const EXAMPLES = `
strokes.json, pixels of the upright photo:
  [{"mode": "add", "radius": 12, "points": [[310, 220], [340, 400]]}]

Example:
  $ selvage refine photo.jpg --alpha photo.png --strokes strokes.json -o mended.png`;

/** `refine photo.jpg --alpha photo.png --strokes strokes.json -o mended.png` */
export const refineCommand = (signal: AbortSignal): Command =>
  new Command('refine')
    .description('mend a cut-out with strokes of a brush')
    .argument('<photo>', 'the photo of which the cut-out was made')
    .requiredOption('--alpha <file>', 'PNG of the size of the upright photo, such as its cut-out')
    .requiredOption('--strokes <file>', 'JSON: which strokes add to the subject, and which erase')
    .requiredOption('-o, --output <file>', 'the mended cut-out, a PNG')
    .option('--force', 'replace an existing file')
    .addHelpText('after', EXAMPLES)
    .action(async (photo: string, options: RefineOptions) => {
      const { refinePhoto } = await import('../images/refine-photo.ts');
      await refinePhoto(photo, options, signal);
    });
