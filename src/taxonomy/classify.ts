import { attributesOf, coloursDiffer } from './attributes/garment-attributes.ts';
import { insulationOf } from './attributes/insulation.ts';
import { toWardrobeItem } from './attributes/wardrobe-item.ts';
import {
  CATEGORY_IDS,
  type Category,
  categories,
  dictionary,
  groups,
  type Locale,
} from './dictionary/schema.ts';
import { type FusionResult, fuse, topClass } from './fuse.ts';
import { withLearned } from './learned.ts';
import type { Learned } from './learned-schema.ts';
import { round3 } from './odds.ts';
import type { GroupEvidence } from './outfit/parse-groups.ts';
import { aloneFrom, ofImageClasses } from './photo/image-classes.ts';
import { type SeenGarment, shownTo, showsSeveral, type WornGarment } from './photo/worn.ts';
import { type ClassifySettings, FEED_COLUMNS, type FeedAttributes } from './request-schema.ts';
import { type Classification, REVIEW_REASONS, type ReviewReason } from './response-schema.ts';
import { classifyText, type TextEvidence } from './text/classify-text.ts';
import { NO_GARMENT } from './text/contradictions.ts';
import type { TextAttributes } from './text/text-attributes.ts';
import { textOf } from './texts.ts';

/** The worker's analysis of a photo of one article. */
export interface ImageEvidence extends SeenGarment {
  /** What a person wears in it, the largest first; empty or absent if it is not worn. */
  worn?: readonly WornGarment[] | undefined;
  /** Width of the upright image, pixels. */
  width: number;
  height: number;
  hasAlpha: boolean;
  /** Name and version of the weights. */
  model: string;
  /** Of what was cut out of the photo. */
  fingerprint?: string | undefined;
}

interface Subject {
  attributes?: FeedAttributes | undefined;
  image?: ImageEvidence | undefined;
  /** The groups it may be, if the photo is a garment cut out of an outfit. */
  group?: GroupEvidence | undefined;
  /** Makes a wardrobe item of the likeliest category of a group that is this likely, if the category is uncertain. */
  guessesFrom?: number | undefined;
  options: ClassifySettings;
  /** What people have decided about such articles of the client, or about this one. */
  learned?: Learned | undefined;
  /** Id of the wardrobe item if the attributes have none. */
  fallbackId: string;
}

/** Leaves room for the number of a piece in an id of 128 characters. */
const MAX_SET_ID_CHARS = 120;
/** Photos whose shorter side has fewer pixels are classified poorly. */
const MIN_SIDE_PIXELS = 96;
/** A classification below this confidence needs review. */
const LOW_CONFIDENCE = 0.7;

const NO_TEXT_ATTRIBUTES: TextAttributes = {
  colors: [],
  pattern: undefined,
  materials: [],
  sleeveLength: undefined,
  gender: undefined,
  ageGroup: undefined,
  weight: undefined,
  properties: [],
  seasons: [],
  unrecognisedColumns: [],
};

/** Maximum number of unknown columns that are listed. */
const MAX_WARNINGS = 20;

/** Candidates below this confidence are noise and are not returned. */
const MIN_CONFIDENCE = 0.005;

function categoryOf(
  fused: FusionResult,
  category: Category | undefined,
  { image, options }: Subject,
  hasTextEvidence: boolean,
): Classification['category'] {
  if (fused.status === 'unknown') return null;
  const source = !image ? 'text' : hasTextEvidence ? 'fused' : 'model';
  const group = groups.get(category?.parentId ?? fused.group.id);
  return {
    id: category?.id ?? null,
    label: (category ?? group)?.labels[options.locale] ?? '',
    groupId: group?.id ?? '',
    region: category?.region ?? group?.region ?? null,
    layer: category?.layer ?? null,
    bodySlot: category?.bodySlot ?? null,
    confidence: round3(category ? (fused.ranked[0]?.confidence ?? 0) : fused.group.confidence),
    source,
  };
}

const toTopK = ({ ranked }: FusionResult, { topK, locale }: ClassifySettings) =>
  ranked
    .slice(0, topK)
    .filter(({ confidence }) => confidence >= MIN_CONFIDENCE)
    .map(({ id, confidence }) => ({
      id,
      label: categories.get(id)?.labels[locale] ?? id,
      confidence: round3(confidence),
    }));

function toEvidence(
  text: TextEvidence | undefined,
  meant: SeenGarment | undefined,
  fused: FusionResult,
): Classification['evidence'] {
  const top = meant && topClass(meant.probabilities);
  const best = text?.hasEvidence ? Math.max(...text.categories) : 0;
  const named = text?.hasEvidence ? (CATEGORY_IDS[text.categories.indexOf(best)] ?? null) : null;
  return {
    image: top ? { class: top.name, confidence: round3(top.probability), calibrated: true } : null,
    text: text
      ? {
          category: named,
          confidence: round3(best),
          notGarment: round3(text.notGarment),
          thing: text.notGarment > best ? (text.thing ?? null) : null,
          language: text.language ?? null,
          matches: [...(text.matches.get(named ?? NO_GARMENT) ?? [])].map((at) => ({
            ...at,
            span: [...at.span],
          })),
          contradictedBy: [...text.contradictions],
        }
      : null,
    agreement: fused.agreement ?? null,
  };
}

function reviewReasons(
  { image }: Subject,
  text: TextEvidence | undefined,
  meant: SeenGarment | undefined,
  fused: FusionResult,
): ReviewReason[] {
  const { id = '', confidence = 0 } = fused.ranked[0] ?? {};
  const isAlone = image !== undefined && !text?.hasEvidence;
  const holds: Readonly<Record<ReviewReason, boolean>> = {
    'low-confidence': fused.status !== 'unknown' && confidence < LOW_CONFIDENCE,
    'photo-alone': fused.status !== 'unknown' && isAlone && confidence < aloneFrom(id),
    'image-text-disagree': fused.agreement === false,
    'text-category-disagree': text?.isContradicted === true,
    'language-not-supported': text?.isForeign === true,
    'not-a-garment': fused.status === 'unknown',
    'multiple-garments':
      fused.status !== 'unknown' &&
      (isAlone ? showsSeveral(image.worn) : fused.multipleGarments && !text?.isContradicted),
    'too-small': image !== undefined && Math.min(image.width, image.height) < MIN_SIDE_PIXELS,
    'colour-mismatch': coloursDiffer(meant?.colors ?? [], text?.attributes.colors ?? []),
    'material-missing':
      fused.status === 'classified' && (text?.attributes.materials.length ?? 0) === 0,
  };
  return REVIEW_REASONS.filter((reason) => holds[reason]);
}

function collectWarnings(
  attributes: FeedAttributes | undefined,
  textAttributes: TextAttributes,
  locale: Locale,
): string[] {
  // A function, because a name may hold the patterns of a replacement.
  const warn = (kind: 'unknown' | 'unrecognised', column: string): string =>
    textOf(`column.${kind}`, locale).replace('{column}', () => column);
  const unknown = Object.keys(attributes ?? {}).filter((name) => !FEED_COLUMNS.includes(name));
  return [
    ...unknown
      .toSorted()
      .slice(0, MAX_WARNINGS)
      .map((name) => warn('unknown', name.slice(0, 60))),
    ...textAttributes.unrecognisedColumns.map((name) => warn('unrecognised', name)),
  ];
}

/** From this probability on, a text says that it sells no garment; without any known word it is about a half. */
const MIN_NOT_GARMENT = 0.8;
/** Above this probability of "no garment", it is open whether the article is one. */
const MAX_NOT_GARMENT = 0.2;

/** Whether the article is a garment at all; null if that is open. */
function isGarment({ status, notGarment }: FusionResult): boolean | null {
  if (status === 'unknown') return notGarment >= MIN_NOT_GARMENT ? false : null;
  return notGarment <= MAX_NOT_GARMENT ? true : null;
}

/** Reasons that need no review by themselves: a classification without a material is still good. */
const ADVICE: ReadonlySet<ReviewReason> = new Set(['material-missing']);

/** Returns what the photo says beside the text, and the garment in it that is classified. */
function readImage(
  { probabilities, colors, worn = [] }: ImageEvidence,
  text: TextEvidence | undefined,
) {
  const isWorn = worn.length > 0;
  if (text?.hasEvidence && isWorn) return { ...shownTo(text.categories, worn), isWorn };
  const meant = { probabilities: ofImageClasses(probabilities), colors };
  return { probabilities: meant.probabilities, isWorn, meant };
}

/** Returns the likeliest category, if it is uncertain and its group is not. */
function guessOf(
  { status, group, ranked, agreement }: FusionResult,
  from: number | undefined,
): Category | undefined {
  const isOpen = status === 'uncertain' && agreement !== false;
  if (from === undefined || !isOpen || group.confidence < from) return undefined;
  const likeliest = categories.get(ranked[0]?.id ?? '');
  return likeliest?.parentId === group.id ? likeliest : undefined;
}

/** Returns an item that an outfit can have. */
function wardrobeItemOf(
  identity: { id: string; name: string },
  category: Category,
  text: TextAttributes,
  colors: SeenGarment['colors'],
) {
  const attributes = attributesOf(category, text, colors);
  return toWardrobeItem(identity, category, insulationOf(category, text), attributes);
}

/** Returns the garments of a set, if the text names several. */
function itemsOf(
  { options }: Subject,
  identity: { id: string; name: string },
  text: TextEvidence | undefined,
  category: Category | undefined,
): Pick<Classification, 'items'> {
  const pieces = (text?.pieces ?? []).flatMap((id) => categories.get(id) ?? []);
  if (!text || !category || pieces.length < 2 || !options.wardrobeItem) return {};
  return {
    items: pieces.map((piece, i) =>
      wardrobeItemOf(
        { id: `${identity.id.slice(0, MAX_SET_ID_CHARS)}-${i}`, name: identity.name },
        piece,
        text.attributes,
        [],
      ),
    ),
  };
}

/** Classifies an article by its feed row, its photo or both: category, attributes, insulation, wardrobe item. Pure. */
export function classify(subject: Subject): Classification {
  const { attributes, image, group, options, learned } = subject;
  const said = attributes && classifyText(attributes);
  const text = said && withLearned(said, learned);
  const textAttributes = text?.attributes ?? NO_TEXT_ATTRIBUTES;
  const shown = image && readImage(image, text);
  const meant = shown?.meant;
  // What somebody has decided about the article needs no photo.
  const weighed = learned?.path === null ? undefined : shown;
  const fused = fuse(text, weighed, options.minConfidence, group);
  const isNamed = fused.status === 'classified';
  const category = isNamed ? categories.get(fused.ranked[0]?.id ?? '') : undefined;
  const worn = category ?? guessOf(fused, subject.guessesFrom);
  const garmentAttributes = attributesOf(category, textAttributes, meant?.colors ?? []);
  const insulation = category ? insulationOf(category, textAttributes) : null;
  const reasons = reviewReasons(subject, text, meant, fused);
  const responseCategory = categoryOf(fused, category, subject, text?.hasEvidence ?? false);
  const identity = {
    id: attributes?.id ?? subject.fallbackId,
    name: attributes?.title ?? responseCategory?.label ?? '',
  };
  return {
    status: fused.status,
    garment: isGarment(fused),
    dictionaryVersion: dictionary.dictionaryVersion,
    modelVersion: image?.model ?? null,
    category: responseCategory,
    topK: fused.status === 'unknown' ? [] : toTopK(fused, options),
    evidence: {
      ...toEvidence(said && text && { ...said, contradictions: text.contradictions }, meant, fused),
      ...(said && learned && { learned }),
    },
    attributes: garmentAttributes,
    insulation: insulation && { ...insulation, sources: [...insulation.sources] },
    mappings: {
      shopify:
        (category ?? groups.get(responseCategory?.groupId ?? ''))?.mappings.shopify.id ?? null,
      google: category?.mappings.google.id ?? null,
    },
    wardrobeItem:
      worn && options.wardrobeItem
        ? wardrobeItemOf(identity, worn, textAttributes, meant?.colors ?? [])
        : null,
    ...itemsOf(subject, identity, text, category),
    review: {
      needed: reasons.some((reason) => !ADVICE.has(reason)),
      reasons,
      explanation: reasons.map((code) => ({
        code,
        text: textOf(`review.${code}`, options.locale),
      })),
    },
    warnings: collectWarnings(attributes, textAttributes, options.locale),
    ...(image?.fingerprint && { fingerprint: image.fingerprint }),
  };
}
