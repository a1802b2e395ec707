/** What two garments that are sold together make. */
const SETS: readonly { set: string; first: readonly string[]; second: readonly string[] }[] = [
  {
    set: 'suit_set',
    first: ['blazer'],
    second: [
      'dress_trousers',
      'trousers',
      'chinos',
      'shorts',
      'skirt_light',
      'skirt_heavy',
      'waistcoat',
      'corduroy_wool_trousers',
    ],
  },
  {
    set: 'tracksuit_set',
    first: ['hoodie', 'sweatshirt', 'windbreaker'],
    second: ['joggers', 'leggings'],
  },
];
/** What gives a set its name, whatever else is in it. */
export const NAMES_OF_SETS: readonly string[] = [
  'suit_set',
  'tracksuit_set',
  'sleepwear',
  'swimwear',
];

/** Returns the category of a set by its pieces, in the order of the text. */
export function categoryOfSet(pieces: readonly string[]): string | undefined {
  const made = SETS.find(
    ({ first, second }) =>
      pieces.some((id) => first.includes(id)) &&
      pieces.some((id) => second.includes(id)) &&
      pieces.every((id) => first.includes(id) || second.includes(id)),
  );
  return made?.set ?? NAMES_OF_SETS.find((id) => pieces.includes(id)) ?? pieces[0];
}
