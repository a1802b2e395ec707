import { z } from 'zod';
import type { Evidence } from '../imaging/evidence.ts';
import type { RuleId } from './rules/pack.ts';
import type { RulesReport } from './rules/verdicts.ts';

/** When a reason applies, and what it is called. */
interface Rule {
  /** The number it is judged by. */
  of: keyof Evidence;
  /** It applies below this value. */
  below?: number;
  /** It applies from this value on. */
  from?: number;
  /** Whether it alone asks for a person. */
  asks: boolean;
  /** For people, in one sentence without its full stop. */
  text: string;
}

/**
 * Why a person may want to look at a cut-out, in the order in which reasons are listed. Names are the contract;
 * thresholds are measured: see docs/adr/0045-review-reasons.md.
 */
// biome-ignore format: a table reads best aligned
export const REVIEW_RULES = {
  'low-confidence':            { of: 'confidence',     below: 0.955, asks: true,  text: 'The outline may be wrong' },
  'gap-unsure':                { of: 'unsureGapShare', from: 0.015,  asks: true,  text: 'A gap may be filled, or a part missing' },
  'hole-in-subject':           { of: 'holeShare',      from: 0.0002, asks: true,  text: 'There may be a hole in the subject' },
  'ground-in-gap':             { of: 'groundShare',    from: 0.0002, asks: true,  text: 'Background may be left within the subject' },
  'several-subjects':          { of: 'otherShare',     from: 0.1,    asks: true,  text: 'There may be more than one subject' },
  'subject-too-small':         { of: 'subjectShare',   below: 0.02,  asks: true,  text: 'The subject is very small in the photo' },
  'blurred':                   { of: 'sharpness',      below: 0.29,  asks: true,  text: 'The photo is blurred' },
  'same-colour-as-background': { of: 'blendedShare',   from: 0.25,   asks: false, text: 'Parts of the outline have the colour of the background' },
  'cut-by-frame':              { of: 'cutShare',       from: 0.02,   asks: false, text: 'The edge of the photo cuts the subject' },
} as const satisfies Record<string, Rule>;

export type ReviewReason = keyof typeof REVIEW_RULES;

const RULES = Object.entries(REVIEW_RULES) as [ReviewReason, Rule][];

/** Whether a person should look at a cut-out, and why. Newer workers may name reasons that are unknown here. */
export const CutOutReview = z
  .object({
    needed: z.boolean().meta({ description: 'Whether a person should look at the cut-out' }),
    reasons: z.array(z.string()).meta({
      description: `What was noticed: ${[...RULES.map(([code]) => code), 'damaged'].map((code) => `\`${code}\``).join(', ')}, and \`rule:\` with the id of a rule. More may be added`,
    }),
  })
  .meta({ id: 'CutoutReview' });
export type CutOutReview = z.infer<typeof CutOutReview>;

const applies = ({ of, below, from }: Rule, evidence: Evidence): boolean =>
  (below !== undefined && evidence[of] < below) || (from !== undefined && evidence[of] >= from);

/** Returns the reasons for which the evidence is beyond its threshold. */
export function reviewOf(evidence: Evidence): CutOutReview {
  const found = RULES.filter(([, rule]) => applies(rule, evidence));
  return { needed: found.some(([, { asks }]) => asks), reasons: found.map(([code]) => code) };
}

/** Reasons that no number of the evidence tells, which all ask for a person, in the words for people. */
const FOUND_REASONS = {
  'several-people': 'There are several people, and only the largest was taken',
  damaged: 'The file is damaged, and what it shows may be wrong',
} as const;

/** Adds a reason to a review if it was found. */
export const withReason = (
  review: CutOutReview,
  reason: keyof typeof FOUND_REASONS,
  isFound: boolean | undefined,
): CutOutReview => (isFound ? { needed: true, reasons: [...review.reasons, reason] } : review);

/** Before the id of a rule of a marketplace that the picture does not meet. */
const RULE_PREFIX = 'rule:';

/** What is wrong with a picture that does not meet a rule. */
const RULE_TEXTS: Record<RuleId, string> = {
  background: 'The background does not have the colour that the marketplace wants',
  border: 'The picture has a frame',
  overlay: 'There is text, a logo or a watermark beside the subject',
  fringe: 'The outline shows the old background',
  'cut-by-frame': 'The edge of the photo cuts the subject, and the marketplace wants all of it',
  'fill-ratio': 'The subject fills too little or too much of the picture',
  margin: 'There is too little room around the subject',
  aspect: 'The picture has the wrong ratio of width to height',
  'longest-side': 'The longer side of the picture has too few or too many pixels',
  'shortest-side': 'The shorter side of the picture has too few or too many pixels',
  megapixels: 'The picture has too many pixels',
  'file-type': 'The marketplace does not take this file format',
  'file-bytes': 'The file is too large for the marketplace',
};

/** Adds to a review the rules that a picture does not meet; without a report it stays the same. */
export function withRules(
  { needed, reasons }: CutOutReview,
  report: Pick<RulesReport, 'verdicts'> | undefined,
): CutOutReview {
  const failed = report?.verdicts.filter(({ passed }) => !passed) ?? [];
  return {
    needed: needed || failed.length > 0,
    reasons: [...reasons, ...failed.map(({ id }) => `${RULE_PREFIX}${id}`)],
  };
}

const TEXTS: Readonly<Record<string, string>> = Object.fromEntries([
  ...RULES.map(([code, { text }]) => [code, text]),
  ...Object.entries(FOUND_REASONS),
  ...Object.entries(RULE_TEXTS).map(([id, text]) => [`${RULE_PREFIX}${id}`, text]),
]);

/** Returns the reasons of a review as sentences without full stops; none if there is no review. */
export const reviewTexts = ({ reasons }: Pick<CutOutReview, 'reasons'>): string[] =>
  reasons.map((reason) => (Object.hasOwn(TEXTS, reason) ? TEXTS[reason]! : reason));
