import { FORMAT_ALIASES, FORMAT_NAMES } from './formats.ts';

/*
 * The options of a cut-out. Requests, stored options, rules of presets and feeds, the OpenAPI document, the types of
 * the client, flags of the command line with their help and fields of the console follow from this table. It loads no
 * schema library: `selvage --help` reads it.
 */

/** Presets of speed and quality. */
export const QUALITIES = ['fast', 'balanced', 'high'] as const;
export type Quality = (typeof QUALITIES)[number];

export const SHADOWS = ['none', 'drop', 'keep'] as const;

/** What a cut-out shows of a photo: all of the subject, its people, what they wear, or the garments of one region. */
const SUBJECTS = [
  'all',
  'person',
  'garment',
  'top',
  'outerwear',
  'dress',
  'bottom',
  'shoes',
  'accessory',
] as const;

/** Limits of the size of an output, million pixels. */
const MEGAPIXELS = { min: 0.01, max: 1000 } as const;

/** How a text is written; `request.ts` has the check of each. */
export type Notation =
  | 'color'
  | 'url'
  | 'lengths'
  | 'scale'
  | 'position'
  | 'region'
  | 'preset'
  | 'rules';

type Values =
  | {
      words: readonly string[];
      aliases?: Readonly<Record<string, string>>;
    }
  | { flag: true }
  | { min: number; max: number }
  | { text: Notation };

/** What has the option besides removals, jobs, batches and sources, which have them all. */
export type Door = 'presets' | 'feeds' | 'refinements';

interface Flag {
  help: string;
  /** What it stands for if it has no value, or if the value is for another option. */
  means?: string;
  /** Given with it. */
  implies?: string;
  conflicts?: string;
}

interface OptionRow {
  values: Values;
  /** What is meant if it is absent; equal to sending nothing, unless a preset says otherwise. */
  default?: string | number | boolean;
  description: string;
  /** Of the values, in the OpenAPI document. */
  schema?: string;
  doors: readonly Door[];
  /** By what Commander reads, such as `--crop-margin <lengths>`; many need their help only. */
  flags?: Readonly<Record<string, string | Flag>>;
  /** A refinement of it cannot start from the stored file: its alpha is not that of the whole photo. */
  redrawn?: true;
}

const ALL = ['presets', 'feeds', 'refinements'] as const;
/** What draws the output, which feeds settle themselves. */
const DRAWN = ['presets', 'refinements'] as const;

const rows = {
  quality: {
    values: { words: QUALITIES },
    default: 'balanced',
    description:
      '`high` refines the edges with the photo further and takes longer; `fast` leaves that out, takes less time and produces a larger file',
    schema: 'Quality',
    doors: ['presets', 'feeds', 'refinements'],
    flags: { '--quality <level>': 'speed against quality; balanced by default' },
  },
  format: {
    values: { words: FORMAT_NAMES, aliases: FORMAT_ALIASES },
    default: 'png',
    description: '`jpeg` has no transparency and gets a white background',
    doors: DRAWN,
    flags: { '--format <format>': 'format of the output; PNG by default' },
    redrawn: true,
  },
  channels: {
    values: { words: ['rgba', 'alpha'] },
    default: 'rgba',
    description: '`alpha` returns the matte alone, as an 8-bit grayscale image',
    doors: DRAWN,
    flags: { '--mask': { help: 'only the matte, as a grey image', means: 'alpha' } },
  },
  backgroundColor: {
    values: { text: 'color' },
    description: '`#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa` or the name of a CSS colour',
    doors: DRAWN,
    flags: { '--background <colour>': 'behind the subject: #rrggbb or the name of a CSS colour' },
    redrawn: true,
  },
  backgroundImageUrl: {
    values: { text: 'url' },
    description: 'An image that covers the canvas; public addresses only',
    doors: ['presets'],
    flags: { '--background-image <file|url>': 'an image behind the subject' },
    redrawn: true,
  },
  crop: {
    values: { flag: true },
    default: false,
    description: 'Crop to the bounding box of the subject',
    doors: DRAWN,
    flags: { '--crop': 'crop to the bounding box of the subject' },
    redrawn: true,
  },
  cropMargin: {
    values: { text: 'lengths' },
    description: '`30px` or `10%` of the bounding box; 1, 2 or 4 values as in CSS. Requires `crop`',
    doors: DRAWN,
    flags: {
      '--crop-margin <lengths>': {
        help: 'crop with a margin: 30px or 10%; 1, 2 or 4 values as in CSS',
        implies: 'crop',
      },
    },
  },
  scale: {
    values: { text: 'scale' },
    default: 'original',
    description: 'Share of the canvas that the subject fits in: `10%` to `100%`, or `original`',
    doors: DRAWN,
    flags: { '--scale <size>': 'how much of the canvas the subject fits in: 10% to 100%' },
    redrawn: true,
  },
  position: {
    values: { text: 'position' },
    description: '`original`, `center` (the default with `scale`), or `x% y%` of the free space',
    doors: DRAWN,
    flags: { '--position <place>': 'position of the subject: center, original, or "x% y%"' },
    redrawn: true,
  },
  roi: {
    values: { text: 'region' },
    description: '`x1 y1 x2 y2` in px or %: the region to search for the subject',
    doors: ['presets'],
    flags: { '--roi <box>': 'region in which to look for the subject: "x1 y1 x2 y2" in px or %' },
  },
  maxOutputMegapixels: {
    values: MEGAPIXELS,
    description: 'A larger output is scaled down to this many million pixels',
    doors: DRAWN,
    flags: { '--max-megapixels <n>': 'scale larger outputs down to this size' },
    redrawn: true,
  },
  shadow: {
    values: { words: SHADOWS },
    default: 'none',
    description:
      '`drop`: a soft shadow is drawn; `keep`: the soft shadow of the photo stays, on an even backdrop',
    doors: DRAWN,
    flags: {
      '--shadow [strength]': {
        help: 'a soft shadow below the subject; opacity 0 to 100 percent',
        means: 'drop',
      },
      '--keep-shadow': {
        help: 'the shadow in the photo stays, on an even backdrop',
        means: 'keep',
        conflicts: 'shadow',
      },
    },
    redrawn: true,
  },
  shadowOpacityPct: {
    values: { min: 0, max: 100 },
    default: 50,
    description: 'Requires `shadow` `drop`',
    doors: DRAWN,
    // Its flag is the value of --shadow.
  },
  semitransparency: {
    values: { flag: true },
    default: true,
    description: '`false`: the subject is opaque except for its outline',
    doors: DRAWN,
    redrawn: true,
  },
  subject: {
    values: { words: SUBJECTS },
    default: 'all',
    description:
      '`person`: the people; `garment`: what is worn, without skin and hair; or one region of it',
    schema: 'Subject',
    doors: ['presets', 'feeds'],
    flags: {
      '--subject <part>':
        'what to show: the people, what they wear, or one region of it; all by default',
    },
  },
  rules: {
    values: { text: 'rules' },
    description: 'Judges the output by this rule pack, such as `amazon-main`',
    doors: ALL,
    flags: { '--rules <pack>': 'judge the outputs by a rule pack, such as amazon-main' },
  },
  fixRules: {
    values: { flag: true },
    default: false,
    description:
      'Makes right what can be made right without inventing pixels, before it is judged. Requires `rules`',
    doors: ALL,
    flags: { '--fix-rules': 'with --rules: make right what needs no new pixels' },
    redrawn: true,
  },
  alpha: {
    values: { words: ['replace', 'keep'] },
    default: 'replace',
    description:
      '`keep`: an image that is transparent somewhere is not cut out, it keeps its alpha',
    schema: 'AlphaMode',
    doors: ['presets', 'feeds'],
    flags: { '--alpha <mode>': 'photos that are transparent somewhere keep their alpha' },
  },
  preset: {
    values: { text: 'preset' },
    description: 'The name of a preset of yours: its options apply where you send none',
    doors: ['feeds'],
    flags: { '--preset <name>': 'a preset of yours on the server; options that you give win' },
  },
} as const satisfies Record<string, OptionRow>;

type Rows = typeof rows;
export type OptionName = keyof Rows;
/** The rows in the order of answers. */
export const OPTIONS: Readonly<Record<OptionName, OptionRow>> = rows;
export const OPTION_NAMES = Object.keys(rows) as OptionName[];

/** What is meant by an option that is absent. */
export const defaultOf = <Name extends OptionName>(
  name: Name,
): Rows[Name] extends { default: infer D } ? D : undefined => OPTIONS[name].default as never;

/** A value of an option as the program has it. */
export type ValueOf<Name extends OptionName> = Rows[Name]['values'] extends {
  words: readonly (infer Word)[];
}
  ? Word
  : Rows[Name]['values'] extends { flag: true }
    ? boolean
    : Rows[Name]['values'] extends { min: number }
      ? number
      : string;

/** The same as it is stored: words and flags without their default. */
export type StoredValueOf<Name extends OptionName> = Rows[Name] extends {
  values: { flag: true } | { words: unknown };
  default: infer Default;
}
  ? Exclude<ValueOf<Name>, Default>
  : ValueOf<Name>;

export type OptionAt<D extends Door> = {
  [Name in OptionName]: D extends Rows[Name]['doors'][number] ? Name : never;
}[OptionName];

export const optionsAt = <D extends Door>(door: D): OptionAt<D>[] =>
  OPTION_NAMES.filter((name): name is OptionAt<D> => OPTIONS[name].doors.includes(door));

export const DEFAULT_QUALITY: Quality = defaultOf('quality');
/** A subject that is not all of it. */
export type PartialSubject = StoredValueOf<'subject'>;
