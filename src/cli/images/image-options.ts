import { type Command, Option } from 'commander';
import type { Quality } from '../../output/quality.ts';

/** Said here again so that the help does not load what reads them. */
const QUALITIES = ['fast', 'balanced', 'high'] as const satisfies readonly Quality[];

/** What is said of how cut-outs are made and look. */
export interface ImageOptions {
  quality?: Quality;
  format?: 'png' | 'jpeg' | 'jpg' | 'webp';
  background?: string;
  backgroundImage?: string;
  crop?: true;
  cropMargin?: string;
  scale?: string;
  position?: string;
  roi?: string;
  mask?: true;
  shadow?: true | string;
  maxMegapixels?: string;
}

/** Adds the options that `readImageOptions` reads. */
export const withImageOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--quality <care>', 'how much care').choices(QUALITIES).default('balanced'),
    )
    .addOption(
      new Option('--format <format>', 'of the output')
        .choices(['png', 'jpeg', 'jpg', 'webp'])
        .default('png'),
    )
    .option('--background <colour>', 'behind the subject: #rrggbb or the name of a CSS colour')
    .option('--background-image <file|url>', 'a picture behind the subject')
    .option('--crop', 'cut to the box of the subject')
    .addOption(
      new Option(
        '--crop-margin <lengths>',
        'cut to it with a margin: 30px or 10%; 1, 2 or 4 values as in CSS',
      ).implies({ crop: true }),
    )
    .option('--scale <size>', 'how much of the canvas the subject fits in: 10% to 100%')
    .option('--position <place>', 'of the subject: center, original, or "x% y%"')
    .option('--roi <box>', 'where the subject is sought: "x1 y1 x2 y2" in px or %')
    .option('--mask', 'the matte alone, as a grey picture')
    .option('--shadow [strength]', 'a soft shadow on the ground, 0 to 100 percent strong')
    .option('--max-megapixels <n>', 'larger outputs are scaled down to this');
