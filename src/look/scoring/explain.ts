import { type Locale, occasions } from '../../taxonomy/dictionary/schema.ts';
import { type Thermal, thermalOf } from '../comfort/comfort.ts';
import { round } from '../numeric.ts';
import type { Explanation, Ranked } from '../responses.ts';
import {
  AMOUNT_NAMES,
  EXPLANATIONS,
  PLACES,
  REGION_NAMES,
  type WARNINGS,
} from '../texts/explanations.ts';
import { DEFAULT_OCCASION } from '../texts/names.ts';
import { fill, formatNumber } from '../texts/texts.ts';
import { CORE_SLOTS, type Ensemble, itemsOf, SEEN_SLOTS } from '../wardrobe/ensemble.ts';
import type { Garment } from '../wardrobe/garment-clo.ts';
import type { ScoringContext, WornItem } from './context.ts';
import {
  type EnsembleSums,
  missingShelter,
  outermost,
  sumEnsemble,
  type Terms,
  visibleItems,
} from './score.ts';
import { reasonOf } from './sense.ts';

type Params = Explanation['params'];
type Code = keyof typeof EXPLANATIONS;

/** Decimals of insulation and fits in texts; other values have fewer. */
const DECIMALS = 2;
const DECIMALS_OF: Readonly<Record<string, number>> = {
  items: 0,
  minutes: 0,
  points: 0,
  chill: 0,
  wbgt: 0,
  limit: 0,
};

/** Writes explanations in one language: their numbers and words are filled into the text of the code. */
const createWriter =
  (locale: Locale) =>
  (code: Code, params: Params, words: Readonly<Record<string, string>> = {}): Explanation => {
    const numbers = Object.entries(params).flatMap(([name, value]) =>
      typeof value === 'number'
        ? [[name, formatNumber(value, locale, DECIMALS_OF[name] ?? DECIMALS)]]
        : [],
    );
    const values = { ...Object.fromEntries(numbers), ...words };
    return { code, text: fill(EXPLANATIONS[code][locale], values), params };
  };
type Write = ReturnType<typeof createWriter>;

/** Thermal sensation in the first place of the context. */
export function thermalSensation(context: ScoringContext, sums: EnsembleSums): Thermal {
  const [place] = context.places;
  if (!place) throw new Error('A scoring context has a place');
  return thermalOf(place.setting, sums.milliClo, sums.outerLayer);
}

type Region = keyof typeof REGION_NAMES;

/** Insulation worn, milliclo, and target, clo, of the regions that count in this plan. */
function regionSums(context: ScoringContext, sums: EnsembleSums): [Region, number, number][] {
  const { regions, plan } = context;
  const body: [Region, number, number][] =
    sums.form === 'one-piece'
      ? [['dress', sums.top + sums.bottom, regions.dress]]
      : [
          ['top', sums.top, regions.top],
          ['bottom', sums.bottom, regions.bottom],
        ];
  const outside: [Region, number, number][] =
    plan === 'outdoor'
      ? [
          ['outerwear', sums.outer, regions.outerwear],
          ['accessory', sums.accessory, regions.accessory],
        ]
      : [];
  return [...body, ['shoes', sums.shoes, regions.shoes], ...outside];
}

/** The thermal part of a response. */
export function thermalResponse(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
): Ranked['thermal'] {
  const sums = sumEnsemble(context, ensemble);
  const feel = thermalSensation(context, sums);
  const need = context.plan === 'outdoor' ? context.situation.outdoor : context.situation.indoor;
  return {
    plan: context.plan,
    icl: round(feel.icl, 3),
    iclTarget: round(need.iclRequired, 3),
    pmv: round(feel.pmv, 2),
    pmvGoal: round(feel.goal, 2),
    deviation: round(feel.deviation, 2),
    ppd: round(feel.ppd, 1),
    wettedness: feel.wettedness === undefined ? null : round(feel.wettedness, 2),
    exposureLimitH: feel.exposureLimitH === undefined ? null : round(feel.exposureLimitH, 2),
    regions: Object.fromEntries(
      regionSums(context, sums).map(([region, milliClo, target]) => [
        region,
        { clo: round(milliClo / 1000, 3), target: round(target, 3) },
      ]),
    ),
  };
}

/** Warning codes of an outfit. */
export function warningsOf(context: ScoringContext, thermal: Ranked['thermal']): string[] {
  const { k } = context.model;
  const dangers = new Set(context.dangers.map(({ code }) => code));
  const warnings: [keyof typeof WARNINGS, boolean][] = [
    ['limited-exposure', isDangerous(context.model, thermal.exposureLimitH)],
    ['frostbite-risk', dangers.has('frostbite')],
    [
      'heat-stress',
      dangers.has('heat') || (thermal.wettedness !== null && thermal.wettedness >= k.hot.warnWet),
    ],
    ['too-cold', thermal.deviation <= -k.thermal.warn],
    [
      'too-warm',
      thermal.deviation >= k.thermal.warn && thermal.icl > thermal.iclTarget + NOTABLE_CLO,
    ],
  ];
  return warnings.filter(([, holds]) => holds).map(([code]) => code);
}

/** Differences from which an explanation mentions them, votes, percent and clo; no score depends on them. */
const NOTABLE_VOTES = 0.5;
const NOTABLE_PPD = 25;
const NOTABLE_CLO = 0.1;
/** Need of shelter from which it is mentioned, and rain that is not, 0-1. */
const NOTABLE_NEED = 0.1;
/** Air in which a day is called mild, and hot, °C. */
const MILD_C = 10;
const HOT_C = 25;

/** Variety below which much of an outfit was worn or suggested before. */
const MUCH_REPEATED = 0.5;

/** Fit for the occasion from which an outfit counts as right for it. */
const RIGHT_FIT = 0.65;

/** Garments of about a difference of insulation, clo. */
const AMOUNTS = [
  ['layer', 0.2],
  ['sweater', 0.5],
  ['coat', 0.9],
  ['coats', Number.POSITIVE_INFINITY],
] as const;

/** Whether the body cools too far in these clothes, within so many hours, to say nothing. */
const isDangerous = ({ k }: ScoringContext['model'], exposureLimitH: number | null) =>
  exposureLimitH !== null && exposureLimitH < k.storage.warnH;

function thermalExplanation(
  { model, situation }: ScoringContext,
  { icl, iclTarget, deviation, ppd, plan, exposureLimitH }: Ranked['thermal'],
  write: Write,
  locale: Locale,
): Explanation {
  const isFar = Math.abs(deviation) >= model.k.thermal.warn;
  // What the wind takes is not missing: enough is worn, unless it is far too cold.
  const { tempC } = situation.weather;
  const isCool = deviation < -NOTABLE_VOTES && (isFar || iclTarget - icl >= NOTABLE_CLO);
  const isWarm = deviation > NOTABLE_VOTES && ppd > NOTABLE_PPD;
  const missing = AMOUNTS.find(([, below]) => Math.abs(icl - iclTarget) < below)![0];
  // Work keeps warm clothes that are not enough for standing still: what is dangerous is not "rather cool".
  const isCold = missing === 'coats' || isDangerous(model, exposureLimitH);
  // In the heat one can be too warm in no more than is needed: then nothing is to be taken off.
  const isLight = icl - iclTarget < (isFar && situation.isHot ? AMOUNTS[0][1] : NOTABLE_CLO);
  const side = isCool ? (isFar || isCold ? 'cold' : 'cool') : isLight ? 'hot' : 'warm';
  // Who is warm from running in light clothes is right.
  const isOff = isCool || (isWarm && !(side === 'hot' && plan === 'outdoor' && tempC < HOT_C));
  const code: Code = isOff ? `thermal.${side}` : 'thermal.match';
  // In a room, or on a mild day, nobody misses a winter coat.
  const isCoat = missing === 'coat' || missing === 'coats';
  const amount = isCoat && (plan === 'indoor' || tempC >= MILD_C) ? 'sweaters' : missing;
  const words = { place: PLACES[plan][locale], amount: AMOUNT_NAMES[amount][locale] };
  return write(code, { icl, target: iclTarget, deviation }, words);
}

const isRegion = (name: string): name is Region => Object.hasOwn(REGION_NAMES, name);

function regionExplanations(
  { regions }: Ranked['thermal'],
  write: Write,
  locale: Locale,
): Explanation[] {
  return Object.entries(regions).flatMap(([region, { clo, target }]) => {
    if (!isRegion(region) || Math.abs(clo - target) <= Math.max(NOTABLE_CLO, target / 2)) return [];
    const side = clo < target ? 'low' : 'high';
    const words = { region: REGION_NAMES[region][locale] };
    const explanation = write(`region.{slot}.${side}`, { clo, target }, words);
    return [{ ...explanation, code: `region.${region}.${side}` }];
  });
}

/** Whether the clothes keep the rain out, all over the body, and the outermost layer the wind. */
function shelterExplanations(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  write: Write,
): Explanation[] {
  const { water, wind } = context.shelter.torso;
  const dry = water - missingShelter(context, 'water', ensemble);
  return (
    [
      ['rain', water, dry, NOTABLE_NEED],
      ['wind', wind, outermost(ensemble)?.garment.wind ?? 0, 0],
    ] as const
  ).flatMap(([kind, need, has, slack]) =>
    need < NOTABLE_NEED
      ? []
      : [
          write(`${kind}.${round(need - has, 2) <= slack ? 'ok' : 'exposed'}`, {
            need: round(need, 2),
            has: round(Math.max(0, has), 2),
          }),
        ],
  );
}

function occasionExplanation(
  { situation }: ScoringContext,
  terms: Terms,
  write: Write,
  locale: Locale,
): Explanation {
  const fit = round(terms.occasion, 2);
  const occasion = situation.occasion ?? DEFAULT_OCCASION;
  const label = occasions.get(occasion)?.labels[locale] ?? occasion;
  const code = fit >= RIGHT_FIT ? 'occasion.match' : 'occasion.off';
  return write(code, { occasion, fit }, { occasion: label });
}

/** What the weather can do to a person, the worst first, and how long these clothes keep off the cold. */
function dangerExplanations(
  { dangers, model }: ScoringContext,
  { exposureLimitH }: Ranked['thermal'],
  write: Write,
): Explanation[] {
  const explanations = dangers.map(({ code, params }) =>
    write(
      `danger.${code}`,
      Object.fromEntries(Object.entries(params).map(([name, value]) => [name, round(value, 1)])),
    ),
  );
  if (exposureLimitH !== null && isDangerous(model, exposureLimitH))
    explanations.push(
      write('danger.cold', { minutes: Math.max(5, Math.round(60 * exposureLimitH)) }),
    );
  return explanations;
}

/** The rules of common sense that an outfit breaks, each with the garment or the two that break it. */
export function brokenRules({ sense }: ScoringContext, ensemble: Ensemble<WornItem>) {
  const garments = SEEN_SLOTS.flatMap((slot) => ensemble[slot]?.garment ?? []);
  const clothes = CORE_SLOTS.flatMap((slot) => ensemble[slot]?.garment ?? []);
  return garments.flatMap((garment, at) => [
    ...(clothes.includes(garment) ? sense.brokenBy(garment) : []).map((rule) => ({
      rule,
      garment,
      other: undefined,
    })),
    ...garments
      .slice(at + 1)
      .flatMap((other) =>
        sense.brokenByPair(garment, other).map((rule) => ({ rule, garment, other })),
      ),
  ]);
}

/** The broken rules as sentences, the costliest first; of equal sentences one. */
function senseExplanations(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  write: Write,
  locale: Locale,
): Explanation[] {
  const labelOf = ({ category }: Garment) =>
    (category.labels[locale] ?? category.id).split(' (')[0]!;
  const occasion = context.situation.occasion ?? DEFAULT_OCCASION;
  return brokenRules(context, ensemble)
    .sort((a, b) => (b.rule.points ?? 0) - (a.rule.points ?? 0))
    .map(({ rule, garment, other }) => {
      const params = {
        rule: rule.id,
        points: rule.points ?? 0,
        itemId: garment.id,
        ...(other && { otherId: other.id }),
      };
      const words = {
        garment: labelOf(garment),
        other: other ? labelOf(other) : '',
        occasion: occasions.get(occasion)?.labels[locale] ?? occasion,
      };
      return write(`sense.${reasonOf(context.model, rule)}`, params, words);
    })
    .filter(({ text }, at, all) => all.findIndex((one) => one.text === text) === at);
}

/** Reasons for and against an outfit: codes with numbers, and a sentence each in one language. */
export function explain(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  terms: Terms,
  thermal: Ranked['thermal'],
  variety: number,
  locale: Locale,
): Explanation[] {
  const write = createWriter(locale);
  const explanations = [
    ...dangerExplanations(context, thermal, write),
    ...senseExplanations(context, ensemble, write, locale),
    thermalExplanation(context, thermal, write, locale),
    ...regionExplanations(thermal, write, locale),
    ...shelterExplanations(context, ensemble, write),
    occasionExplanation(context, terms, write, locale),
  ];
  if (visibleItems(context, ensemble).every(([item]) => item.garment.colour))
    explanations.push(write('color.harmony', { harmony: round(terms.color, 2) }));
  if (variety < MUCH_REPEATED)
    explanations.push(write('variety.repeat', { variety: round(variety, 2) }));
  const unknown = itemsOf(ensemble).filter(({ garment }) => !garment.colour).length;
  if (unknown > 0) explanations.push(write('data.missing', { items: unknown }));
  return explanations;
}
