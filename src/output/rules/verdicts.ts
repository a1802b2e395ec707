import { z } from 'zod';
import { fringeShare } from '../../imaging/compliance/fringe.ts';
import {
  drawnShare,
  findGround,
  framedSides,
  type Ground,
  largestCutShare,
  loosePieceShare,
  offColourShare,
} from '../../imaging/compliance/ground.ts';
import type { Box, Matte, MattedImage, Rgb, Size } from '../../imaging/picture.ts';
import { aspectWithin, type MeasureBounds } from './layout.ts';
import { RULE_IDS, type RuleId, type RulePack, versionOf } from './pack.ts';

export interface JudgedPicture {
  /** As its file shows it: colours, and how opaque each pixel is. */
  picture: MattedImage;
  /** How much of each pixel of the picture is the subject's, and the box around it; none if there is no subject. */
  subject: Matte;
  box: Box | undefined;
  /** The upright photo with its matte; outside of it the old ground is still there. */
  photo: MattedImage;
  /** The part of the photo that was searched for the subject. */
  region: Box;
  /** The colour behind the subject, if it is one. */
  newGround: Rgb | undefined;
  file: { bytes: number; mediaType: string };
}

const Limit = z.object({
  min: z.number().optional(),
  max: z.number().optional(),
  oneOf: z.array(z.string()).optional(),
});
type Limit = z.infer<typeof Limit>;

const Verdict = z
  .object({
    id: z.string(),
    passed: z.boolean(),
    measured: z
      .union([z.number(), z.string()])
      .optional()
      .meta({ description: 'Absent if it cannot be told; then the rule passes' }),
    limit: Limit,
    advice: z.string().optional().meta({ description: 'What to do; only if it failed' }),
  })
  .meta({ id: 'RuleVerdict' });
export type Verdict = z.infer<typeof Verdict>;

export const RulesReport = z
  .object({
    pack: z.string(),
    version: z.string().meta({ description: 'Of the content of the pack' }),
    passed: z.boolean(),
    verdicts: z.array(Verdict),
  })
  .meta({ id: 'RulesReport' });
export type RulesReport = z.infer<typeof RulesReport>;

/**
 * What stays of a ground, an outline or a side where nothing is wrong: single pixels, and texture that looks like a
 * fault. Measured; see docs/adr/0055-marketplace-rules.md.
 */
const MAX_SHARES = { background: 0.001, overlay: 0.0003, fringe: 0.5, cut: 0.01 } as const;
/** By so much encoding changes a channel of an even ground, 0..255. */
const ENCODING_TOLERANCE = 2;

type Bound<K extends RuleId> = NonNullable<RulePack['rules'][K]>;

interface Rule<K extends RuleId> {
  measure(
    judged: JudgedPicture,
    bound: Bound<K>,
    ground: () => Ground,
  ): number | string | undefined;
  /** By default the bound itself. */
  limit?(bound: Bound<K>): Limit;
  /** What to do if it fails, one sentence without its full stop. */
  advice: string;
}

/** Parses `#rrggbb`. */
function parseRgb(color: string): Rgb {
  const [r = 0, g = 0, b = 0] = Buffer.from(color.slice(1), 'hex');
  return { r, g, b };
}

/** Returns how much of the picture's width or height the subject takes, whichever is more. */
function fillRatio({ picture: { pixels }, box }: JudgedPicture): number {
  return box ? Math.max(box.width / pixels.width, box.height / pixels.height) : 0;
}

/** Returns the smallest of the four margins, as a share of its axis. */
function smallestMargin({ picture: { pixels }, box }: JudgedPicture): number {
  if (!box) return 0;
  const { width, height } = pixels;
  const right = width - box.left - box.width;
  const bottom = height - box.top - box.height;
  return Math.min(box.left / width, right / width, box.top / height, bottom / height);
}

/** A subject's own small pieces, such as an earring, take less of the picture than this; letters take more. */
export const MAX_LOOSE_SHARE = 0.003;

/** Returns how much of the picture seems drawn on it: beside the subject, and what was taken for pieces of it. */
function overlayShare(
  { picture, subject }: JudgedPicture,
  _: false,
  ground: () => Ground,
): number | undefined {
  const loose = loosePieceShare(subject);
  return loose > MAX_LOOSE_SHARE ? loose : drawnShare(picture, ground());
}

const sizeOf = ({ picture: { pixels } }: JudgedPicture): Size => pixels;

const RULES: { [K in RuleId]-?: Rule<K> } = {
  background: {
    measure: ({ picture }, { color, tolerance = ENCODING_TOLERANCE }, ground) =>
      offColourShare(picture, ground(), parseRgb(color), tolerance),
    limit: () => ({ max: MAX_SHARES.background }),
    advice: 'Use this colour as backgroundColor, without shadow and background image',
  },
  border: {
    measure: ({ picture, subject }) => framedSides(picture.pixels, subject),
    limit: () => ({ max: 0 }),
    advice: 'Crop the frame at the sides away',
  },
  overlay: {
    measure: overlayShare,
    limit: () => ({ max: MAX_SHARES.overlay }),
    advice: 'Remove text, logos and watermarks beside the subject',
  },
  fringe: {
    measure: ({ photo, newGround }) => fringeShare(photo, newGround),
    limit: () => ({ max: MAX_SHARES.fringe }),
    advice: 'The outline shows the old background: mend it, or try quality high',
  },
  'cut-by-frame': {
    measure: ({ photo, region }) => largestCutShare(photo.matte, region),
    limit: () => ({ max: MAX_SHARES.cut }),
    advice: 'Take a wider photo that shows the whole subject',
  },
  'fill-ratio': {
    measure: fillRatio,
    advice: 'Crop to the subject, or leave more room around it',
  },
  margin: {
    measure: smallestMargin,
    advice: 'Leave more room around the subject, and centre it',
  },
  aspect: {
    measure: (judged, bound) => aspectWithin(sizeOf(judged), bound),
    advice: 'Crop or extend the picture to this width divided by its height',
  },
  'longest-side': {
    measure: (judged) => Math.max(sizeOf(judged).width, sizeOf(judged).height),
    advice: 'Send a photo with more pixels, or scale the picture down',
  },
  'shortest-side': {
    measure: (judged) => Math.min(sizeOf(judged).width, sizeOf(judged).height),
    advice: 'Send a photo with more pixels, or scale the picture down',
  },
  megapixels: {
    measure: (judged) => (sizeOf(judged).width * sizeOf(judged).height) / 1e6,
    advice: 'Scale the picture down with maxOutputMegapixels',
  },
  'file-type': {
    measure: ({ file }) => file.mediaType,
    limit: (types) => ({ oneOf: types }),
    advice: 'Set format to one that is allowed',
  },
  'file-bytes': {
    measure: ({ file }) => file.bytes,
    advice: 'Use format jpeg, or scale the picture down',
  },
};

const isWithin = (measured: number | string, { min, max, oneOf }: Limit): boolean =>
  typeof measured === 'string'
    ? (oneOf?.includes(measured) ?? true)
    : measured >= (min ?? measured) && measured <= (max ?? measured);

/** Rounds a share to what people read; whole numbers stay. */
const rounded = (measured: number | string): number | string =>
  typeof measured === 'string' ? measured : Number(measured.toPrecision(4));

/** What was measured of a picture, by rule; null if it cannot be told. */
export const Measurements = z.record(z.string(), z.union([z.number(), z.string(), z.null()]));
export type Measurements = z.infer<typeof Measurements>;

function measureRule<K extends RuleId>(
  id: K,
  bound: Bound<K>,
  judged: JudgedPicture,
  ground: () => Ground,
): number | string | null {
  const { measure } = RULES[id] as unknown as Rule<K>;
  const measured = measure(judged, bound, ground);
  return measured === undefined ? null : rounded(measured);
}

export function measurePicture(judged: JudgedPicture, { rules }: RulePack): Measurements {
  let found: Ground | undefined;
  const ground = () => {
    found ??= findGround(judged.subject);
    return found;
  };
  return Object.fromEntries(
    RULE_IDS.flatMap((id) => {
      const bound = rules[id];
      return bound === undefined ? [] : [[id, measureRule(id, bound as never, judged, ground)]];
    }),
  );
}

function verdictOf<K extends RuleId>(id: K, bound: Bound<K>, measured: number | string): Verdict {
  const { limit: limitOf, advice } = RULES[id] as unknown as Rule<K>;
  const limit = limitOf ? limitOf(bound) : (bound as Limit);
  const passed = isWithin(measured, limit);
  return { id, passed, measured, limit, ...(!passed && { advice }) };
}

/** Returns the report on a picture by what was measured, in the order of `RULE_IDS`. @param name of the pack */
export function reportOf(measured: Measurements, name: string, pack: RulePack): RulesReport {
  const verdicts = RULE_IDS.flatMap((id): Verdict[] => {
    const bound = pack.rules[id];
    if (bound === undefined) return [];
    const value = measured[id];
    if (value !== undefined && value !== null) return [verdictOf(id, bound as never, value)];
    return [{ id, passed: true, limit: {} }];
  });
  const passed = verdicts.every((verdict) => verdict.passed);
  return { pack: name, version: versionOf(pack), passed, verdicts };
}

export const measurementsOf = ({ verdicts }: RulesReport): Measurements =>
  Object.fromEntries(verdicts.map(({ id, measured = null }) => [id, measured]));

/** The part of an outline that may show the old ground, 0..1. */
export const MAX_FRINGE_SHARE: number = MAX_SHARES.fringe;

/** Returns what a pack allows for the measures of a picture. */
export const boundsOf = ({ rules }: RulePack): MeasureBounds => ({
  fill: rules['fill-ratio'],
  minMargin: rules.margin?.min,
  aspect: rules.aspect,
  longest: rules['longest-side'],
  shortest: rules['shortest-side'],
  maxPixels: rules.megapixels && rules.megapixels.max * 1e6,
});

/** Whether rules of a pack look at the pixels of the file, which lossy formats change. */
export const looksAtPixels = ({ rules }: RulePack): boolean =>
  rules.background !== undefined || rules.border === false || rules.overlay === false;
