/** A region of the garment dictionary. */
export type GarmentRegion = 'top' | 'outerwear' | 'dress' | 'bottom' | 'shoes' | 'accessory';

/** What the parse network tells apart. */
interface GarmentGroup {
  id: string;
  /** Absent for the background, skin and hair. */
  region?: GarmentRegion;
  /** Groups of one part are added up before the best part of a cell is chosen: they are easily taken for each other. */
  part: string;
  /** What is worn over what: the higher hides the lower. */
  layer: number;
  /** Whether each connected piece is an item of its own; else all pieces are one item, as two shoes are. */
  isCountable?: boolean;
}

/** In the order of the network's answers; the same table is in models/training/groups.py. */
// biome-ignore format: a table reads best aligned
export const GROUPS: readonly GarmentGroup[] = [
  { id: 'background',                              part: 'background',   layer: 0 },
  { id: 'skin',                                    part: 'skin',         layer: 0 },
  { id: 'hair',                                    part: 'hair',         layer: 0 },
  { id: 'top',             region: 'top',          part: 'top',          layer: 2 },
  { id: 'shirt_blouse',    region: 'top',          part: 'top',          layer: 2 },
  { id: 'knit_sweat',      region: 'top',          part: 'top',          layer: 4 },
  { id: 'vest',            region: 'top',          part: 'top',          layer: 4 },
  { id: 'jacket_blazer',   region: 'outerwear',    part: 'outerwear',    layer: 5 },
  { id: 'coat',            region: 'outerwear',    part: 'outerwear',    layer: 6 },
  { id: 'dress_onepiece',  region: 'dress',        part: 'dress',        layer: 3 },
  { id: 'skirt',           region: 'bottom',       part: 'bottom',       layer: 3 },
  { id: 'trousers_jeans',  region: 'bottom',       part: 'bottom',       layer: 3 },
  { id: 'leggings_tights', region: 'bottom',       part: 'bottom',       layer: 1 },
  { id: 'shorts',          region: 'bottom',       part: 'bottom',       layer: 3 },
  { id: 'shoes',           region: 'shoes',        part: 'shoes',        layer: 3 },
  { id: 'boots',           region: 'shoes',        part: 'shoes',        layer: 3 },
  { id: 'socks',           region: 'accessory',    part: 'socks',        layer: 1 },
  { id: 'bag',             region: 'accessory',    part: 'bag',          layer: 9, isCountable: true },
  { id: 'hat',             region: 'accessory',    part: 'hat',          layer: 9 },
  { id: 'scarf_tie',       region: 'accessory',    part: 'scarf_tie',    layer: 8 },
  { id: 'belt',            region: 'accessory',    part: 'belt',         layer: 3 },
  { id: 'small_things',    region: 'accessory',    part: 'small_things', layer: 9, isCountable: true },
];

/** Every part once, in the order of its first group. */
export const PARTS: readonly string[] = [...new Set(GROUPS.map(({ part }) => part))];

const indexOfPart = (part: string): number => PARTS.indexOf(part);

/** For each group, the index of its part. */
export const PART_OF: readonly number[] = GROUPS.map(({ part }) => indexOfPart(part));

export const BACKGROUND = indexOfPart('background');
export const SKIN = indexOfPart('skin');
export const HAIR = indexOfPart('hair');
export const HAT = indexOfPart('hat');

export const IS_WORN: readonly boolean[] = PARTS.map((name) =>
  GROUPS.some(({ part, region }) => part === name && region !== undefined),
);
