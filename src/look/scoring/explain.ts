import { type Thermal, thermalOf } from '../comfort/comfort.ts';
import { round } from '../numeric.ts';
import type { Explanation, Ranked } from '../responses.ts';
import type { Worn } from '../wardrobe/ensemble.ts';
import { wornItems } from '../wardrobe/ensemble.ts';
import type { Judgement, Piece } from './context.ts';
import { type Parts, partsOf, type Terms, visiblePieces } from './score.ts';

/** Every warning there is. */
export const WARNING_CODES = [
  'limited-exposure',
  'frostbite-risk',
  'heat-stress',
  'too-cold',
  'too-warm',
] as const;

/** Every code of an explanation; `{slot}` is a region of the targets. */
export const EXPLANATION_CODES = [
  'thermal.match',
  'thermal.cool',
  'thermal.warm',
  'region.{slot}.low',
  'region.{slot}.high',
  'rain.ok',
  'rain.exposed',
  'wind.ok',
  'wind.exposed',
  'occasion.match',
  'occasion.off',
  'color.harmony',
  'variety.repeat',
  'data.missing',
] as const;

type Params = Explanation['params'];

const say = (code: string, text: string, params: Params = {}): Explanation => ({
  code,
  text,
  params,
});

/** The place that an outfit is judged for first, and how it feels there. */
export function feelOf(judgement: Judgement, parts: Parts): Thermal {
  const [place] = judgement.places;
  if (!place) throw new Error('A judgement has a place');
  return thermalOf(place.setting, parts.milli, parts.outside);
}

type Region = 'top' | 'bottom' | 'dress' | 'outerwear' | 'shoes' | 'accessory';

/** Sums worn against targets, clo, for the regions that count in this plan. */
function regionSums(judgement: Judgement, parts: Parts): [Region, number, number][] {
  const { regions, plan } = judgement;
  const body: [Region, number, number][] =
    parts.form === 'one-piece'
      ? [['dress', parts.top + parts.bottom, regions.dress]]
      : [
          ['top', parts.top, regions.top],
          ['bottom', parts.bottom, regions.bottom],
        ];
  const outside: [Region, number, number][] =
    plan === 'outdoor'
      ? [
          ['outerwear', parts.outer, regions.outerwear],
          ['accessory', parts.accessory, regions.accessory],
        ]
      : [];
  return [...body, ['shoes', parts.shoes, regions.shoes], ...outside];
}

/** The thermal part of an answer. */
export function thermalAnswer(judgement: Judgement, worn: Worn<Piece>): Ranked['thermal'] {
  const parts = partsOf(judgement, worn);
  const feel = feelOf(judgement, parts);
  const need =
    judgement.plan === 'outdoor' ? judgement.situation.outdoor : judgement.situation.indoor;
  return {
    plan: judgement.plan,
    icl: round(feel.icl, 3),
    iclTarget: round(need.iclRequired, 3),
    pmv: round(feel.pmv, 2),
    pmvGoal: round(feel.goal, 2),
    deviation: round(feel.deviation, 2),
    ppd: round(feel.ppd, 1),
    wettedness: feel.wettedness === undefined ? null : round(feel.wettedness, 2),
    exposureLimitH: feel.exposureLimitH === undefined ? null : round(feel.exposureLimitH, 2),
    regions: Object.fromEntries(
      regionSums(judgement, parts).map(([region, milli, target]) => [
        region,
        { clo: round(milli / 1000, 3), target: round(target, 3) },
      ]),
    ),
  };
}

/** What to beware of, as codes. */
export function warningsOf(judgement: Judgement, thermal: Ranked['thermal']): string[] {
  const { k } = judgement.model;
  const isOut = judgement.plan === 'outdoor';
  const warnings: [(typeof WARNING_CODES)[number], boolean][] = [
    [
      'limited-exposure',
      thermal.exposureLimitH !== null && thermal.exposureLimitH < k.storage.warnH,
    ],
    ['frostbite-risk', isOut && judgement.situation.windChillC <= k.chill.frostC],
    ['heat-stress', thermal.wettedness !== null && thermal.wettedness >= k.hot.warnWet],
    ['too-cold', thermal.deviation <= -k.thermal.warn],
    [
      'too-warm',
      thermal.deviation >= k.thermal.warn && thermal.icl > thermal.iclTarget + NOTICED_CLO,
    ],
  ];
  return warnings.filter(([, holds]) => holds).map(([code]) => code);
}

function thermalWords({ icl, iclTarget, deviation, plan }: Ranked['thermal']): Explanation {
  const params = { icl, target: iclTarget, deviation };
  const numbers = `${icl.toFixed(2)} clo for a need of ${iclTarget.toFixed(2)} clo ${plan}s`;
  if (deviation < -NOTICED) return say('thermal.cool', `On the cool side: ${numbers}`, params);
  if (deviation > NOTICED) return say('thermal.warm', `On the warm side: ${numbers}`, params);
  return say('thermal.match', `Just right: ${numbers}`, params);
}

/** Votes, and clo, from which words say so; they change no score. */
const NOTICED = 0.5;
const NOTICED_CLO = 0.1;

function regionWords(thermal: Ranked['thermal']): Explanation[] {
  return Object.entries(thermal.regions).flatMap(([region, { clo, target }]) => {
    if (Math.abs(clo - target) <= Math.max(NOTICED_CLO, target / 2)) return [];
    const way = clo < target ? 'low' : 'high';
    const text = `${region}: ${clo.toFixed(2)} clo where ${target.toFixed(2)} would be right`;
    return [say(`region.${region}.${way}`, text, { clo, target })];
  });
}

/** What speaks for and against an outfit, as codes with numbers and an English sentence each. */
export function explain(
  judgement: Judgement,
  worn: Worn<Piece>,
  terms: Terms,
  thermal: Ranked['thermal'],
  variety: number,
): Explanation[] {
  const { shelter } = judgement;
  const front = (worn.outer ?? worn.mid ?? worn.main)?.garment;
  const said = [thermalWords(thermal), ...regionWords(thermal)];
  for (const kind of ['water', 'wind'] as const) {
    const need = round(shelter.torso[kind], 2);
    if (need === 0 || !front) continue;
    const has = round(front[kind], 2);
    const code = kind === 'water' ? 'rain' : 'wind';
    const params = { need, has };
    said.push(
      has >= need
        ? say(`${code}.ok`, `Keeps ${code} out: ${has} for a need of ${need}`, params)
        : say(`${code}.exposed`, `Lets ${code} in: ${has} for a need of ${need}`, params),
    );
  }
  const occasion = round(terms.occasion, 2);
  const id = judgement.situation.occasion ?? 'casual';
  said.push(
    occasion >= 0.7
      ? say('occasion.match', `Right for ${id.replaceAll('_', ' ')}`, {
          occasion: id,
          fit: occasion,
        })
      : say('occasion.off', `Not quite right for ${id.replaceAll('_', ' ')}`, {
          occasion: id,
          fit: occasion,
        }),
  );
  const colour = round(terms.color, 2);
  if (visiblePieces(judgement, worn).every(([piece]) => piece.garment.colour))
    said.push(say('color.harmony', `Colours go together: ${colour} of 1`, { harmony: colour }));
  if (variety < 1)
    said.push(
      say('variety.repeat', 'Much of it was worn or offered before', {
        variety: round(variety, 2),
      }),
    );
  const unknown = wornItems(worn).filter(({ garment }) => !garment.colour).length;
  if (unknown > 0)
    said.push(say('data.missing', `Colour not known: ${unknown}`, { items: unknown }));
  return said;
}
