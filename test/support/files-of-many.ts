/** Files whose many cases (many.ts) `unit` runs in part, and `long` all. */
export const FILES_OF_MANY = [
  'test/feed-formats/export.test.ts',
  'test/feed-formats/parse.test.ts',
  'test/feed-formats/splitters.test.ts',
  'test/imaging/strokes.test.ts',
  'test/look/independent.test.ts',
  'test/look/properties.test.ts',
  'test/look/scoring/score.test.ts',
  'test/look/sensible.test.ts',
  'test/look/texts.test.ts',
  'test/taxonomy/category-columns.test.ts',
  'test/taxonomy/text/composed.test.ts',
];
