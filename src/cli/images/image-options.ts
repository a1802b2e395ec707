import { type Command, Option } from 'commander';
import type { Quality } from '../../output/quality.ts';
import { SUBJECTS } from '../../output/subjects.ts';

/** Repeated here so that `--help` loads no schema. */
export const QUALITIES = ['fast', 'balanced', 'high'] as const satisfies readonly Quality[];

/** How cut-outs are made and drawn, as given on the command line. */
export interface ImageOptions {
  quality?: Quality;
  subject?: (typeof SUBJECTS)[number];
  alpha?: 'keep' | 'replace';
  preset?: string;
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
  keepShadow?: true;
  maxMegapixels?: string;
  rules?: string;
  fixRules?: true;
}

/** Adds the options that `readImageOptions` reads. */
export const withImageOptions = (command: Command): Command =>
  command
    .addOption(
      new Option('--quality <level>', 'speed against quality; balanced by default').choices(
        QUALITIES,
      ),
    )
    .addOption(
      new Option(
        '--subject <part>',
        'what to show: the people, what they wear, or one region of it',
      )
        .choices(SUBJECTS)
        .default('all'),
    )
    .addOption(
      new Option(
        '--alpha <mode>',
        'photos that are transparent somewhere keep their alpha',
      ).choices(['keep', 'replace']),
    )
    .addOption(
      new Option('--format <format>', 'format of the output; PNG by default').choices([
        'png',
        'jpeg',
        'jpg',
        'webp',
      ]),
    )
    .option('--preset <name>', 'a preset of yours on the server; options that you give win')
    .option('--background <colour>', 'behind the subject: #rrggbb or the name of a CSS colour')
    .option('--background-image <file|url>', 'an image behind the subject')
    .option('--crop', 'crop to the bounding box of the subject')
    .addOption(
      new Option(
        '--crop-margin <lengths>',
        'crop with a margin: 30px or 10%; 1, 2 or 4 values as in CSS',
      ).implies({ crop: true }),
    )
    .option('--scale <size>', 'how much of the canvas the subject fits in: 10% to 100%')
    .option('--position <place>', 'position of the subject: center, original, or "x% y%"')
    .option('--roi <box>', 'region in which to look for the subject: "x1 y1 x2 y2" in px or %')
    .option('--mask', 'only the matte, as a grey image')
    .option('--shadow [strength]', 'a soft shadow below the subject; opacity 0 to 100 percent')
    .addOption(
      new Option('--keep-shadow', 'the shadow in the photo stays, on an even backdrop').conflicts(
        'shadow',
      ),
    )
    .option('--max-megapixels <n>', 'scale larger outputs down to this size')
    .option('--rules <pack>', 'judge the outputs by a rule pack, such as amazon-main')
    .option('--fix-rules', 'with --rules: make right what needs no new pixels');
