import { readSigningKeys } from '../../src/look/digest.ts';
import { computeOutfits } from '../../src/look/outfits.ts';
import { PARAMS, readModel } from '../../src/look/params.ts';
import { OutfitsRequest } from '../../src/look/wardrobe/wardrobe-request.ts';
import type { WardrobeItem } from '../../src/taxonomy/attributes/wardrobe-item-schema.ts';
import fieldRequests from '../fixtures/look-requests.json' with { type: 'json' };
import { CLOSET, SUMMER_CLOSET } from './closet.ts';

const model = readModel(PARAMS);
const keys = readSigningKeys('grid:a-key-for-outfits-that-nobody-keeps');

const itemsOf = (name: string) =>
  (fieldRequests.find((one) => one.name === name)!.request as { items: WardrobeItem[] }).items;

/** Closets of ordinary people, with clothes for all weather and for what they do. */
export const CLOSETS: Readonly<Record<string, readonly WardrobeItem[]>> = {
  mixed: CLOSET,
  hers: itemsOf('trip-hat-left-off'),
  his: itemsOf('home-ski-trousers'),
  south: SUMMER_CLOSET,
};

// biome-ignore format: a table reads best aligned
const WEATHERS = [
  [-25, 3, 60, 'clear'],      [-12, 6, 75, 'snow'],   [-4, 2, 80, 'cloudy'],     [-1, 8, 85, 'heavy-snow'],
  [2, 7, 90, 'sleet'],        [4, 3, 95, 'fog'],      [7, 6, 90, 'heavy-rain'],  [10, 3, 70, 'partly-cloudy'],
  [12, 4, 85, 'rain'],        [15, 12, 60, 'windy'],  [16, 3, 80, 'drizzle'],    [19, 2, 55, 'clear'],
  [21, 5, 90, 'thunderstorm'], [24, 2, 50, 'clear'],  [27, 3, 75, 'rain'],       [31, 2, 55, 'clear'],
  [38, 3, 20, 'clear'],
] as const;

/** Activity of each occasion: little, usual, much; met. */
const METS: Readonly<Record<string, readonly [number, number, number]>> = {
  home: [1, 1.2, 2],
  sport: [3, 5, 7],
  outdoor: [1.6, 2.6, 4],
  beach: [1, 1.4, 3],
};
const USUAL_METS = [1.2, 1.6, 2.6] as const;

export interface GridCell {
  closet: string;
  weather: string;
  occasion: string;
  plan: 'default' | 'outdoor';
  met: number;
  request: object;
}

/** Every weather with every occasion, plan, closet and activity: 5,304 requests. */
export function* gridCells(locale = 'en'): Generator<GridCell> {
  for (const [tempC, windMs, humidityPct, condition] of WEATHERS)
    for (const occasion of Object.keys(model.tables.occasion))
      for (const met of METS[occasion] ?? USUAL_METS)
        for (const plan of ['default', 'outdoor'] as const)
          for (const [closet, items] of Object.entries(CLOSETS))
            yield {
              closet,
              weather: `${tempC} °C, ${windMs} m/s, ${condition}`,
              occasion,
              plan,
              met,
              request: {
                weather: { tempC, windMs, humidityPct, condition },
                met,
                occasion,
                items,
                locale,
                ...(plan === 'outdoor' && { plan }),
              },
            };
}

const isHard = new Map(model.tables.sense.map(({ id, isHard: hard }) => [id, hard === true]));

/** The first outfit of a cell, and the rules of common sense that it breaks. */
export function firstOutfit({ request }: Pick<GridCell, 'request'>, limit = 1) {
  const found = computeOutfits(model, keys, OutfitsRequest.parse({ ...request, limit }));
  const [outfit] = found.outfits;
  const broken = (outfit?.explanation ?? []).flatMap(({ params }) =>
    typeof params.rule === 'string' ? [params.rule] : [],
  );
  return {
    found,
    outfit,
    hard: broken.filter((id) => isHard.get(id)),
    soft: broken.filter((id) => !isHard.get(id)),
  };
}
