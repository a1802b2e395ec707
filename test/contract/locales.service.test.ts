import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { LOCALES } from '../../src/taxonomy/dictionary/schema.ts';
import { CLOSET } from '../look/closet.ts';
import { formWith } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { ask, postJson } = await useSharedStack();

const OPTIONS = '/taxonomy/v1/options';
const META = '/look/v1/meta';

const accepting = (language?: string) =>
  language === undefined ? {} : { 'accept-language': language };
const get = (path: string, language?: string, more: Record<string, string> = {}) =>
  ask('GET', path, { headers: { ...accepting(language), ...more } });
const post = (path: string, body: unknown, language?: string) =>
  postJson(path, body, accepting(language));
/** Classifies a photo, as a form. */
async function classify(fields: Record<string, string>, language?: string) {
  const image = await drawnShirt({ width: 300, height: 300, format: 'png' });
  const body = formWith({ image, ...fields });
  return ask('POST', '/taxonomy/v1/taxonomy', { body, headers: accepting(language) });
}
const languageOf = ({ headers }: Response) => headers.get('content-language');
const Localised = z.looseObject({ locale: z.string() });

const request = {
  weather: { tempC: 4, windMs: 8, humidityPct: 80, condition: 'rain' },
  met: 2,
  occasion: 'work',
  items: CLOSET,
};

describe.each([OPTIONS, META])('%s', (path) => {
  test.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['fr_CA', 'fr'],
    ['nl-Latn-BE-x-own', 'nl'],
    ['en', 'en'],
  ])('reads the tag %s as %s, whatever the header prefers', async (tag, expected) => {
    const response = await get(`${path}?locale=${tag}`, 'it');
    expect(languageOf(response)).toBe(expected);
    expect(response.headers.get('vary') ?? '').not.toMatch(/accept-language/i);
    expect(Localised.parse(await response.json()).locale).toBe(expected);
  });

  test.each([
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en;q=0.2, es-MX;q=0.7', 'es'],
    ['ru, pt-BR;q=0.9, it;q=0.1', 'it'],
    ['fr;q=0, nl', 'nl'],
    ['ja', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;q=,,=de;q=9', 'en'],
    [`${'xx,'.repeat(3000)}de`, 'en'],
  ])('finds the nearest language to the header %.40s', async (header, expected) => {
    const response = await get(path, header);
    expect(languageOf(response)).toBe(expected);
    expect(response.headers.get('vary')).toMatch(/accept-language/i);
    expect(Localised.parse(await response.json()).locale).toBe(expected);
  });

  test('has a tag for each language, and says so when it is not sent again', async () => {
    const german = await get(path, 'de');
    const etag = german.headers.get('etag') ?? '';
    const again = await get(`${path}?locale=de`, undefined, { 'if-none-match': etag });
    expect([again.status, languageOf(again)]).toEqual([304, 'de']);
    const french = await get(path, 'fr', { 'if-none-match': etag });
    expect(french.status).toBe(200);
    expect(french.headers.get('etag')).not.toBe(etag);
  });
});

test('a tag that is too long or no text is rejected', async () => {
  for (const tag of [`de${'-de'.repeat(50)}`, 'x'.repeat(5000)]) {
    expect((await get(`${OPTIONS}?locale=${tag}`)).status).toBe(400);
  }
  const response = await post('/look/v1/outfits', { ...request, locale: 5 });
  expect(await response.json()).toMatchObject({ errors: [{ pointer: '/locale' }] });
});

const Outfits = z.looseObject({
  outfits: z
    .array(
      z.looseObject({ name: z.string(), explanation: z.array(z.object({ text: z.string() })) }),
    )
    .min(1),
  diagnostics: z.array(z.looseObject({ detail: z.string() })),
});
const textsOf = ({ outfits, diagnostics }: z.infer<typeof Outfits>): string[] => [
  ...outfits.flatMap(({ name, explanation }) => [name, ...explanation.map(({ text }) => text)]),
  ...diagnostics.map(({ detail }) => detail),
];

describe('outfits', () => {
  test('have names, explanations and diagnostics in every language', async () => {
    const texts = new Map<string, string[]>();
    for (const locale of LOCALES) {
      const response = await post('/look/v1/outfits', {
        ...request,
        exclude: [CLOSET[0]!.id],
        locale: `${locale}-XX`,
      });
      expect(languageOf(response)).toBe(locale);
      texts.set(locale, textsOf(Outfits.parse(await response.json())));
    }
    const english = texts.get('en') ?? [];
    expect(english.length).toBeGreaterThan(10);
    expect(english).toContain('Items excluded by the request: 1');
    expect(texts.get('de')).toContain('Von der Anfrage ausgeschlossene Teile: 1');
    for (const [locale, own] of texts) {
      expect(own).toHaveLength(english.length);
      if (locale === 'en') continue;
      expect(own.filter((text) => english.includes(text))).toEqual([]);
      expect(own.find((text) => text.includes('clo'))).toMatch(/\d,\d\d clo/);
    }
  });

  const NAMES = ['outfits', 'candidates', 'day'];
  test.each(NAMES)('of /%s are in the preferred language', async (name) => {
    const { weather, met, items, occasion } = request;
    const body = name === 'day' ? { hours: [{ weather, met }], items, occasion } : request;
    const response = await post(`/look/v1/${name}`, body, 'es-ES,es;q=0.9');
    expect(response.status).toBe(200);
    expect(languageOf(response)).toBe('es');
    expect(response.headers.get('vary')).toMatch(/accept-language/i);
    await response.body?.cancel();
  });

  test('are explained in the language of /score', async () => {
    const found = await (await post('/look/v1/candidates', { ...request, limit: 1 })).json();
    const { targets, candidates } = z
      .looseObject({ targets: z.unknown(), candidates: z.unknown() })
      .parse(found);
    const body = { targets, candidates, items: CLOSET, locale: 'it-CH' };
    const response = await post('/look/v1/score', body, 'de');
    expect(languageOf(response)).toBe('it');
    expect(await response.text()).toContain('Adatto all’occasione: Lavoro');
  });

  test('of /targets have no texts, and no language', async () => {
    const { weather, met } = request;
    const response = await post('/look/v1/targets', { weather, met }, 'de');
    expect(languageOf(response)).toBeNull();
  });
});

describe('a classification', () => {
  test('explains its doubts and names its labels in the preferred language', async () => {
    const body = { attributes: { title: 'Jeans', colour_code: '7' } };
    const response = await post('/taxonomy/v1/taxonomy', body, 'fr-CH, de;q=0.5');
    expect(languageOf(response)).toBe('fr');
    expect(await response.json()).toMatchObject({
      category: { id: 'jeans', label: 'Jean' },
      review: {
        reasons: ['material-missing'],
        explanation: [{ code: 'material-missing', text: 'Aucune matière n’est indiquée' }],
      },
      warnings: ['La colonne « colour_code » est inconnue et a été ignorée'],
    });
  });

  test('of a form or a batch takes the language of its options', async () => {
    const one = await classify({ options: '{"locale":"nl-BE"}' }, 'de');
    expect([one.status, languageOf(one)]).toEqual([200, 'nl']);
    const items = [{ attributes: { title: 'Jeans' } }];
    const batch = await post('/taxonomy/v1/taxonomy', { items, options: { locale: 'ES' } });
    expect(languageOf(batch)).toBe('es');
    expect(await batch.text()).toContain('Vaqueros');
  });
});

describe('the documents have what their design names', () => {
  test('/meta: the version of the taxonomy, and texts for warnings and explanations', async () => {
    const meta = z
      .looseObject({
        versions: z.looseObject({ taxonomy: z.string(), dictionary: z.string() }),
        dictionaries: z.looseObject({
          warning: z.array(z.object({ id: z.string(), label: z.string() })),
          explanation: z.array(z.object({ id: z.string(), label: z.string() })),
        }),
        codes: z.object({ warning: z.array(z.string()), explanation: z.array(z.string()) }),
      })
      .parse(await (await get(`${META}?locale=de`)).json());
    const { versions, dictionaries, codes } = meta;
    const options = await (await get(OPTIONS)).json();
    expect(options).toMatchObject({ dictionaryVersion: versions.taxonomy });
    expect(versions.dictionary).toBe(versions.taxonomy);
    expect(dictionaries.warning.map(({ id }) => id)).toEqual(codes.warning);
    expect(dictionaries.explanation.map(({ id }) => id)).toEqual(codes.explanation);
    expect(dictionaries.warning).toContainEqual({ id: 'too-cold', label: 'Zu kalt' });
    const windy = { id: 'shell.wind', label: 'Draußen ist es windig' };
    expect(dictionaries.explanation).toContainEqual(windy);
  });

  test('/options: the version of the model that classifies', async () => {
    const { model } = z
      .looseObject({ model: z.looseObject({ version: z.string() }) })
      .parse(await (await get(OPTIONS)).json());
    const response = await classify({});
    expect(await response.json()).toMatchObject({ modelVersion: model.version });
  });
});
