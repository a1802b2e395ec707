import { expect, test } from 'vitest';
import { namedBy } from '../feed-rows.ts';

/** A reader may rely on an answer from here on. */
const SURE = 0.9;

test.each([
  ['a maker, wearer, colour and size', 'Damen Jeans blau Gr. 38', 'jeans'],
  ['sleeves that the category has', 'Camiseta manga larga mujer', 'long_sleeve_tee'],
  ['a piece of the set', 'Completo giacca e pantalone uomo blu 50', 'suit_set'],
])('is sure with %s: "%s"', (_, title, id) => {
  const answer = namedBy({ title });
  expect(answer.id).toBe(id);
  expect(answer.confidence).toBeGreaterThanOrEqual(SURE);
});

test.each([
  ['a name that Britain and America use for two', 'Pumps womens black 38', 'heels'],
  ['a name that shops file under two', 'Loafers Herren braun 43', 'dress_shoes'],
  ['a name that has no category of its own', 'Bretelles homme noir', 'belt'],
  ['a name of another kind beside it', 'Jumpsuit pak dames groen', 'jumpsuit'],
  ['a part that may be what is sold', 'Dirndl Schürzenschließe Silber', 'dirndl'],
  ['a name that only the lexicon has', 'Zamarra hombre marrón M', 'wool_coat'],
  ['a noun in a maker’s name', 'Lia Fontana Trench sabbia', 'trench_coat'],
  ['a name that is underwear and a top', 'Singlet heren wit rib', 'tank_top'],
  ['a jacket that may be light or warm', 'Herrenjacke blau 52', 'light_jacket'],
  ['a word before it that no list has', 'Zorvikelo capa bebé azul', 'cape_poncho'],
])('is not sure with %s: "%s"', (_, title, id) => {
  const answer = namedBy({ title });
  expect([id, undefined]).toContain(answer.id);
  expect(answer.confidence).toBeLessThan(SURE);
});

// The linear model believes most in "no garment" there: not of what has a wearer, a maker of clothes or a size.
test.each(['38', 'femme', 'jonak', '2XL', 'T.38', '36/38', '40R'])(
  'an unknown word beside "%s" is a name',
  (wear) => {
    const title = 'Ballerines zorvik encaustique';
    expect(namedBy({ title }).confidence).toBeLessThan(SURE);
    const answer = namedBy({ title: `${title} ${wear}` });
    expect(answer.id).toBe('flats');
    expect(answer.confidence).toBeGreaterThanOrEqual(SURE);
  },
);

test.each(['38 cm', '200 m', '1.5 l', 'lot de 3'])('"%s" is no size', (amount) => {
  expect(namedBy({ title: `Ballerines zorvik encaustique ${amount}` }).confidence).toBeLessThan(
    SURE,
  );
});

test('a product type that agrees makes sure what the linear model does not know', () => {
  const title = 'Chubasquero zorvik chocolate';
  expect(namedBy({ title }).confidence).toBeLessThan(SURE);
  expect(namedBy({ title, product_type: 'Chubasqueros' }).confidence).toBeGreaterThan(SURE);
});

test('a title in which no word names anything is what the linear model takes it for, but not surely', () => {
  const answer = namedBy({ title: 'Levi 34x32 Mens slim dark wash' });
  expect(answer.id).toBe('jeans');
  expect(answer.confidence).toBeLessThan(SURE);
  expect(namedBy({ title: 'Zorvik 12' }).id).toBeUndefined();
});
