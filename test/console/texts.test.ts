import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { ACCESS_STATUSES } from '../../src/auth/access-requests.ts';
import { LANGUAGES, say, textOf } from '../../src/console/browser/texts.js';
import { SOURCE_STATUSES } from '../../src/intake/sources/sources.ts';
import { DELIVERY_STATUSES } from '../../src/intake/webhooks/events.ts';
import { REGION_NAMES } from '../../src/look/texts/explanations.ts';
import { FORMAT_NAMES } from '../../src/output/formats.ts';
import { QUALITIES, SHADOWS } from '../../src/output/option-table.ts';
import { REVIEW_RULES } from '../../src/output/review.ts';
import { RULE_IDS } from '../../src/output/rules/pack.ts';
import { PROBLEMS } from '../../src/platform/problem.ts';
import { LOCALES } from '../../src/taxonomy/dictionary/schema.ts';

const PAGE = 'src/console/browser';
const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' });
const read = (file: string) => readFileSync(join(PAGE, file), 'utf8');
const html = read('index.html');
const modules = files
  .filter((file) => file.endsWith('.js'))
  .map((file) => ({ file, program: parseAst(read(file)) as unknown as Syntax }));

/** A node of a syntax tree (ESTree). */
interface Syntax {
  type: string;
  [part: string]: unknown;
}

type Text = string | Record<string, string>;
const languages = Object.fromEntries(
  LANGUAGES.map((tag): [string, Record<string, Text>] => [
    tag,
    JSON.parse(read(`texts/${tag}.json`)),
  ]),
);
const english = languages.en ?? {};
const formsOf = (text: Text = ''): string[] =>
  typeof text === 'string' ? [text] : Object.values(text);
const valuesOf = (text: string): string[] => text.match(/\{\w+\}/g) ?? [];

const REASONS = [...Object.keys(REVIEW_RULES), 'several-people', 'damaged'];
const ERRORS = ['unreachable', 'interrupted', 'cannot-mend', 'signed-out', 'page-failed'];
const PROBLEM_TYPES = [...Object.keys(PROBLEMS), ...ERRORS, 'replaced', 'sizes-differ'];

/** The words of the product that texts are looked up by, by the first part of their names. */
const FAMILIES: Record<string, readonly string[]> = {
  title: PROBLEM_TYPES,
  advice: [...PROBLEM_TYPES, 'other'],
  region: Object.keys(REGION_NAMES),
  'look-at': REASONS,
  reason: [...REASONS, 'rule'],
  rule: RULE_IDS,
  quality: QUALITIES,
  format: FORMAT_NAMES,
  shadow: SHADOWS,
  state: [
    ...new Set([...ACCESS_STATUSES, ...DELIVERY_STATUSES, ...SOURCE_STATUSES]),
    'disabled',
    'signing',
  ],
};

describe.each(LANGUAGES)('the texts in %s', (tag) => {
  const texts = languages[tag] ?? {};

  test('are those of the others, none empty, with the same values', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [name, text] of Object.entries(texts)) {
      for (const form of formsOf(text)) expect(form, name).toMatch(/\S/);
      const values = new Set(formsOf(english[name]).flatMap(valuesOf));
      expect(new Set(formsOf(text).flatMap(valuesOf)), name).toEqual(values);
    }
  });

  test('have the forms that the language counts by', () => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions();
    const wanted = pluralCategories.filter((form) => form !== 'many'); // of millions: as others
    for (const [name, text] of Object.entries(texts))
      if (typeof text !== 'string') expect(Object.keys(text).sort(), name).toEqual(wanted.sort());
  });

  test('differ from the English ones, but for words that are the same', () => {
    const same = Object.keys(texts).filter((name) => {
      const [text = ''] = formsOf(texts[name]);
      return (
        text === formsOf(english[name])[0] &&
        text
          .replaceAll(/\{\w+\}/g, '')
          .trim()
          .split(/\s+/).length > 3
      );
    });
    if (tag !== 'en') expect(same).toEqual([]);
  });

  test('name the regions so that they fit under their bars', () => {
    for (const region of Object.keys(REGION_NAMES))
      expect(String(texts[`region.${region}`]).length).toBeLessThan(12);
  });
});

test('the languages are those of outfits and of the dictionary', () => {
  expect([...LANGUAGES].sort()).toEqual([...LOCALES].sort());
});

test('every word of the product that the page shows has a text', () => {
  for (const [family, words] of Object.entries(FAMILIES)) {
    const named = Object.keys(english).filter((name) => name.startsWith(`${family}.`));
    expect(named.sort(), family).toEqual([...words].map((word) => `${family}.${word}`).sort());
  }
});

test('what to do about a problem is one plain sentence', () => {
  for (const type of PROBLEM_TYPES) {
    const advice = String(english[`advice.${type}`]);
    expect(advice, type).toMatch(/^[A-Z][^.]+: [^.]+\.$|^[A-Z][^.:]+\.$/);
    expect(advice, type).not.toMatch(/HTTP|header|status|\d{3}/i);
  }
});

const isSyntax = (part: unknown): part is Syntax =>
  typeof part === 'object' && part !== null && 'type' in part;

/** The parts of a node that are nodes. */
const partsOf = (node: Syntax): Syntax[] => Object.values(node).flat().filter(isSyntax);

/** A node and all nodes in it, but for those that are left out. */
function nodesIn(node: Syntax, isLeftOut = (_: Syntax) => false): Syntax[] {
  if (isLeftOut(node)) return [];
  return [node, ...partsOf(node).flatMap((part) => nodesIn(part, isLeftOut))];
}

/** The text of a literal; that of one with values has … in their place. */
function literalOf({ type, value, quasis }: Syntax): string | undefined {
  if (type === 'Literal') return typeof value === 'string' ? value : undefined;
  if (type !== 'TemplateLiteral') return undefined;
  return (quasis as { value: { cooked: string } }[]).map((part) => part.value.cooked).join('…');
}

const isCallOf = (name: string, { callee }: Syntax): boolean =>
  isSyntax(callee) && callee.name === name;

/** What names of texts in a module begin with that are put together, or are words of an option. */
function beginningsIn(node: Syntax): string[] {
  const text = literalOf(node);
  if (text?.endsWith('.…')) return [text.slice(0, -1)];
  if (node.type !== 'CallExpression' || !isCallOf('labelled', node)) return [];
  const [option] = node.arguments as Syntax[];
  return option?.type === 'Literal' ? [`${option.value}.`] : [];
}

test('no text is unused, and the document names none that is missing', () => {
  const inDocument = [...html.matchAll(/data-(?:text|label|hint)="([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
  expect(inDocument.filter((name) => !(name in english))).toEqual([]);
  const nodes = modules.flatMap(({ program }) => nodesIn(program));
  const names = new Set([...inDocument, ...nodes.map(literalOf)]);
  const beginnings = nodes.flatMap(beginningsIn);
  const unused = Object.keys(english).filter(
    (name) => !names.has(name) && !beginnings.some((beginning) => name.startsWith(beginning)),
  );
  expect(unused).toEqual([]);
});

test('the document has no text of its own, but for names', () => {
  const NAMES = ['Selvage', 'OpenAPI', 'The console requires JavaScript; the API does not.'];
  const texts = [...html.matchAll(/>([^<>]*\p{L}[^<>]*)</gu)].map(([, text = '']) => text.trim());
  expect(texts.filter((text) => !NAMES.includes(text))).toEqual([]);
  const attributes = [...html.matchAll(/ (?:aria-label|title|alt|placeholder)="([^"]+)"/g)];
  const hints = attributes.map(([, text = '']) => text);
  expect(hints.filter((text) => !/^slv_|^https:/.test(text))).toEqual([]);
});

/** Whether a literal is a text that people read: a word with a capital, or several words. */
const isText = (text: string): boolean =>
  /\p{Lu}\p{Ll}+\p{P}? |^\p{Lu}\p{Ll}{2,}$/u.test(text.trim());
/** Names, and messages of faults of the page itself. */
const NOT_TRANSLATED = [
  'X-Token: …',
  'Open-Meteo',
  'MET Norway',
  'User-Agent',
  'Referer',
  'Selvage',
];
const EVENTS = [
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
  'Enter',
  'Escape',
];

/** Imports, and what goes to a developer: `new Error('…')`. */
const isNoText = (node: Syntax): boolean =>
  node.type === 'ImportDeclaration' || (node.type === 'NewExpression' && isCallOf('Error', node));

test('no module has a text of its own', () => {
  const known = new Set([...NOT_TRANSLATED, ...EVENTS]);
  const found = modules.flatMap(({ file, program }) =>
    nodesIn(program, isNoText).flatMap((node) => {
      const text = literalOf(node) ?? '';
      return isText(text) && !known.has(text) ? [`${file}: ${text}`] : [];
    }),
  );
  expect(found).toEqual([]);
});

test('a text is filled in: numbers as the language writes them, forms by count', () => {
  expect(say('progress.done', { done: 1, needed: 10_000 })).toBe('1 of 10,000 reviewed');
  expect(say('bulk.count', { count: 1 })).toBe('1 pending row will be approved.');
  expect(say('bulk.count', { count: 0 })).toBe('0 pending rows will be approved.');
  expect(textOf('no.such')).toBeUndefined();
  expect(textOf('toString')).toBeUndefined();
});
