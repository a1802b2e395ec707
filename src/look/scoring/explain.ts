import { type Thermal, thermalOf } from '../comfort/comfort.ts';
import { round } from '../numeric.ts';
import type { Explanation, Ranked } from '../responses.ts';
import { type Ensemble, itemsOf } from '../wardrobe/ensemble.ts';
import type { ScoringContext, WornItem } from './context.ts';
import { type EnsembleSums, sumEnsemble, type Terms, visibleItems } from './score.ts';

/** All warning codes. */
export const WARNING_CODES = [
  'limited-exposure',
  'frostbite-risk',
  'heat-stress',
  'too-cold',
  'too-warm',
] as const;

/** All explanation codes; `{slot}` is a region of the targets. */
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

const explanation = (code: string, text: string, params: Params = {}): Explanation => ({
  code,
  text,
  params,
});

/** Thermal sensation in the first place of the context. */
export function thermalSensation(context: ScoringContext, sums: EnsembleSums): Thermal {
  const [place] = context.places;
  if (!place) throw new Error('A scoring context has a place');
  return thermalOf(place.setting, sums.milliClo, sums.outerLayer);
}

type Region = 'top' | 'bottom' | 'dress' | 'outerwear' | 'shoes' | 'accessory';

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
  const isOut = context.plan === 'outdoor';
  const warnings: [(typeof WARNING_CODES)[number], boolean][] = [
    [
      'limited-exposure',
      thermal.exposureLimitH !== null && thermal.exposureLimitH < k.storage.warnH,
    ],
    ['frostbite-risk', isOut && context.situation.windChillC <= k.chill.frostC],
    ['heat-stress', thermal.wettedness !== null && thermal.wettedness >= k.hot.warnWet],
    ['too-cold', thermal.deviation <= -k.thermal.warn],
    [
      'too-warm',
      thermal.deviation >= k.thermal.warn && thermal.icl > thermal.iclTarget + NOTABLE_CLO,
    ],
  ];
  return warnings.filter(([, holds]) => holds).map(([code]) => code);
}

function thermalExplanation({ icl, iclTarget, deviation, plan }: Ranked['thermal']): Explanation {
  const params = { icl, target: iclTarget, deviation };
  const numbers = `${icl.toFixed(2)} clo for a need of ${iclTarget.toFixed(2)} clo ${plan}s`;
  if (deviation < -NOTABLE_VOTES)
    return explanation('thermal.cool', `On the cool side: ${numbers}`, params);
  if (deviation > NOTABLE_VOTES)
    return explanation('thermal.warm', `On the warm side: ${numbers}`, params);
  return explanation('thermal.match', `Just right: ${numbers}`, params);
}

/** Differences from which an explanation mentions them, votes and clo; no score depends on them. */
const NOTABLE_VOTES = 0.5;
const NOTABLE_CLO = 0.1;

function regionExplanations(thermal: Ranked['thermal']): Explanation[] {
  return Object.entries(thermal.regions).flatMap(([region, { clo, target }]) => {
    if (Math.abs(clo - target) <= Math.max(NOTABLE_CLO, target / 2)) return [];
    const side = clo < target ? 'low' : 'high';
    const text = `${region}: ${clo.toFixed(2)} clo for a target of ${target.toFixed(2)} clo`;
    return [explanation(`region.${region}.${side}`, text, { clo, target })];
  });
}

/** Reasons for and against an outfit: codes with numbers and an English sentence each. */
export function explain(
  context: ScoringContext,
  ensemble: Ensemble<WornItem>,
  terms: Terms,
  thermal: Ranked['thermal'],
  variety: number,
): Explanation[] {
  const { shelter } = context;
  const outermost = (ensemble.outer ?? ensemble.mid ?? ensemble.main)?.garment;
  const explanations = [thermalExplanation(thermal), ...regionExplanations(thermal)];
  for (const kind of ['water', 'wind'] as const) {
    const need = round(shelter.torso[kind], 2);
    if (need === 0 || !outermost) continue;
    const has = round(outermost[kind], 2);
    const code = kind === 'water' ? 'rain' : 'wind';
    const params = { need, has };
    explanations.push(
      has >= need
        ? explanation(`${code}.ok`, `Keeps ${code} out: ${has} for a need of ${need}`, params)
        : explanation(`${code}.exposed`, `Lets ${code} in: ${has} for a need of ${need}`, params),
    );
  }
  const occasion = round(terms.occasion, 2);
  const id = context.situation.occasion ?? 'casual';
  explanations.push(
    occasion >= 0.7
      ? explanation('occasion.match', `Right for ${id.replaceAll('_', ' ')}`, {
          occasion: id,
          fit: occasion,
        })
      : explanation('occasion.off', `Not quite right for ${id.replaceAll('_', ' ')}`, {
          occasion: id,
          fit: occasion,
        }),
  );
  const colour = round(terms.color, 2);
  if (visibleItems(context, ensemble).every(([item]) => item.garment.colour))
    explanations.push(
      explanation('color.harmony', `Colours go together: ${colour} of 1`, { harmony: colour }),
    );
  if (variety < 1)
    explanations.push(
      explanation('variety.repeat', 'Much of it was worn or offered before', {
        variety: round(variety, 2),
      }),
    );
  const unknown = itemsOf(ensemble).filter(({ garment }) => !garment.colour).length;
  if (unknown > 0)
    explanations.push(
      explanation('data.missing', `Colour not known: ${unknown}`, { items: unknown }),
    );
  return explanations;
}
