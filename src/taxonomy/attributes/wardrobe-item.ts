import { type Category, dictionary } from '../dictionary/schema.ts';
import type { GarmentAttributes } from '../response-schema.ts';
import type { Insulation } from './insulation.ts';
import type { WardrobeItem } from './wardrobe-item-schema.ts';

/** Maximum number of colours and of materials the outfit engine accepts. */
const MAX_ENTRIES = 8;

/**
 * Returns a classified garment in the form the outfit engine accepts.
 * @param identity `id` of at most 128 characters without control characters; `name` of at most 300
 */
export function toWardrobeItem(
  identity: { id: string; name: string },
  category: Category,
  { clo, min, max }: Insulation,
  attributes: GarmentAttributes,
): WardrobeItem {
  const measured = attributes.colors.filter(({ source }) => source === 'measured');
  const colors = measured.length > 0 ? measured : attributes.colors;
  return {
    id: identity.id,
    name: identity.name,
    category: category.id,
    region: category.region,
    layer: category.layer,
    bodySlot: category.bodySlot,
    clo,
    cloRange: [min, max],
    formality: [category.formality.min, category.formality.max],
    colors: colors.slice(0, MAX_ENTRIES).map(({ hex, share, family }) => ({ hex, share, family })),
    pattern: attributes.pattern?.id,
    materials: attributes.materials.slice(0, MAX_ENTRIES).map(({ id, share }) => ({ id, share })),
    waterResistance: attributes.waterResistance?.value,
    windResistance: attributes.windResistance?.value,
    breathability: attributes.breathability?.value,
    seasons: attributes.seasons?.ids,
    gender: attributes.gender?.id,
    ageGroup: attributes.ageGroup?.id,
    lookEligible: category.lookEligible,
    dictionaryVersion: dictionary.dictionaryVersion,
  };
}
