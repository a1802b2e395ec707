import { attributesOf, coloursDiffer } from './attributes/garment-attributes.ts';
import { insulationOf } from './attributes/insulation.ts';
import { toWardrobeItem } from './attributes/wardrobe-item.ts';
import {
  CATEGORY_IDS,
  type Category,
  categories,
  dictionary,
  groups,
} from './dictionary/schema.ts';
import { fuse, topClass, type Verdict } from './fuse.ts';
import type { MeasuredColor } from './photo/color.ts';
import { type ClassifyOptions, FEED_COLUMNS, type FeedAttributes } from './request-schema.ts';
import { type Classification, REVIEW_REASONS, type ReviewReason } from './response-schema.ts';
import { classifyText, type TextEvidence } from './text/classify-text.ts';
import type { TextAttributes } from './text/text-attributes.ts';

/** What a photo of one article says, as the worker answers it. */
export interface ImageEvidence {
  /** Of the ten classes of `IMAGE_CLASSES`, calibrated, summing to 1. */
  probabilities: readonly number[];
  /** Of the cut-out, the largest first. */
  colors: readonly MeasuredColor[];
  /** Pixels, upright. */
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Name and version of the weights. */
  model: string;
}

export interface Subject {
  attributes?: FeedAttributes | undefined;
  image?: ImageEvidence | undefined;
  options: ClassifyOptions;
  /** Names the wardrobe item where the attributes have no `id`. */
  fallbackId: string;
}

/** Photos smaller than this, in pixels of the shorter side, are seen badly. */
const SMALL = 96;
/** A category below this was named, but somebody should look. */
const LOW_CONFIDENCE = 0.7;

const NOTHING_TOLD: TextAttributes = {
  colors: [],
  pattern: undefined,
  materials: [],
  sleeveLength: undefined,
  gender: undefined,
  ageGroup: undefined,
  weight: undefined,
  properties: [],
  seasons: [],
  notUnderstood: [],
};

/** Unknown columns that are told one by one. */
const MOST_WARNINGS = 20;

/** Candidates below this are noise, and not told. */
const LEAST_CANDIDATE = 0.005;

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function categoryOf(
  verdict: Verdict,
  category: Category | undefined,
  { image, options }: Subject,
  textSpeaks: boolean,
): Classification['category'] {
  if (verdict.status === 'unknown') return null;
  const source = !image ? 'text' : textSpeaks ? 'fused' : 'model';
  const group = groups.get(category?.parentId ?? verdict.group.id);
  return {
    id: category?.id ?? null,
    label: (category ?? group)?.labels[options.locale] ?? '',
    groupId: group?.id ?? '',
    region: category?.region ?? group?.region ?? null,
    layer: category?.layer ?? null,
    bodySlot: category?.bodySlot ?? null,
    confidence: rounded(category ? (verdict.ranked[0]?.confidence ?? 0) : verdict.group.confidence),
    source,
  };
}

const candidatesOf = ({ ranked }: Verdict, { topK, locale }: ClassifyOptions) =>
  ranked
    .slice(0, topK)
    .filter(({ confidence }) => confidence >= LEAST_CANDIDATE)
    .map(({ id, confidence }) => ({
      id,
      label: categories.get(id)?.labels[locale] ?? id,
      confidence: rounded(confidence),
    }));

function evidenceOf(
  text: TextEvidence | undefined,
  image: ImageEvidence | undefined,
  verdict: Verdict,
): Classification['evidence'] {
  const seen = image && topClass(image.probabilities);
  const best = text?.speaks ? Math.max(...text.categories) : 0;
  const named = text?.speaks ? (CATEGORY_IDS[text.categories.indexOf(best)] ?? null) : null;
  return {
    image: seen
      ? { class: seen.name, confidence: rounded(seen.probability), calibrated: true }
      : null,
    text: text
      ? {
          category: named,
          confidence: rounded(best),
          language: text.language ?? null,
          matches: [...(text.found.get(named ?? '') ?? [])].map((at) => ({
            ...at,
            span: [...at.span],
          })),
        }
      : null,
    agreement: verdict.agreement ?? null,
  };
}

function reasonsOf(
  { image }: Subject,
  text: TextEvidence | undefined,
  verdict: Verdict,
): ReviewReason[] {
  const confidence = verdict.ranked[0]?.confidence ?? 0;
  const holds: Readonly<Record<ReviewReason, boolean>> = {
    'low-confidence': verdict.status !== 'unknown' && confidence < LOW_CONFIDENCE,
    'image-text-disagree': verdict.agreement === false,
    'not-a-garment': verdict.status === 'unknown',
    'multiple-garments': verdict.status !== 'unknown' && verdict.severalArticles,
    'too-small': image !== undefined && Math.min(image.width, image.height) < SMALL,
    'colour-mismatch': coloursDiffer(image?.colors ?? [], text?.attributes.colors ?? []),
    'material-missing':
      verdict.status === 'classified' && (text?.attributes.materials.length ?? 0) === 0,
  };
  return REVIEW_REASONS.filter((reason) => holds[reason]);
}

function warningsOf(attributes: FeedAttributes | undefined, told: TextAttributes): string[] {
  const unknown = Object.keys(attributes ?? {}).filter((name) => !FEED_COLUMNS.includes(name));
  return [
    ...unknown
      .toSorted()
      .slice(0, MOST_WARNINGS)
      .map((name) => `The column "${name.slice(0, 60)}" is not known and was passed over`),
    ...told.notUnderstood.map(
      (name) => `The column "${name}" has no word that the dictionary knows`,
    ),
  ];
}

/** Advice that needs nobody: an answer without a material is still a good one. */
const ADVICE: ReadonlySet<ReviewReason> = new Set(['material-missing']);

/** A garment's class, colours, warmth and wardrobe item from what feed and photo say of it. Pure. */
export function classify(subject: Subject): Classification {
  const { attributes, image, options } = subject;
  const text = attributes && classifyText(attributes);
  const told = text?.attributes ?? NOTHING_TOLD;
  const verdict = fuse(text, image?.probabilities, options.minConfidence);
  const isNamed = verdict.status === 'classified';
  const category = isNamed ? categories.get(verdict.ranked[0]?.id ?? '') : undefined;
  const answered = attributesOf(category, told, image?.colors ?? []);
  const insulation = category ? insulationOf(category, told) : null;
  const reasons = reasonsOf(subject, text, verdict);
  const answerCategory = categoryOf(verdict, category, subject, text?.speaks ?? false);
  const identity = {
    id: attributes?.id ?? subject.fallbackId,
    name: attributes?.title ?? answerCategory?.label ?? '',
  };
  return {
    status: verdict.status,
    dictionaryVersion: dictionary.dictionaryVersion,
    modelVersion: image?.model ?? null,
    category: answerCategory,
    topK: verdict.status === 'unknown' ? [] : candidatesOf(verdict, options),
    evidence: evidenceOf(text, image, verdict),
    attributes: answered,
    insulation: insulation && { ...insulation, sources: [...insulation.sources] },
    mappings: {
      shopify: (category ?? groups.get(answerCategory?.groupId ?? ''))?.mappings.shopify.id ?? null,
      google: category?.mappings.google.id ?? null,
    },
    wardrobeItem:
      category && insulation && options.wardrobeItem
        ? toWardrobeItem(identity, category, insulation, answered)
        : null,
    review: { needed: reasons.some((reason) => !ADVICE.has(reason)), reasons },
    warnings: warningsOf(attributes, told),
  };
}
