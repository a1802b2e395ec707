import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationExamples } from '../../../src/http/openapi/document.ts';
import { ROOT } from '../../support/root.ts';
import type { Operation } from './document.ts';
import type { Exchange } from './recorder.ts';

/**
 * Lists are cut to their first element, unless they are tuples of numbers; texts to a line, and
 * tables by name to their first row.
 */
const MAX_CHARS = 60;
const TABLES = ['tables', 'limits', 'labels'];

const isTuple = (list: readonly unknown[]): boolean =>
  list.length <= 4 && list.every((member) => typeof member === 'number');

/** Secrets are cut to what says their kind. */
const SECRETS = ['key', 'secret'];

/** Ids and hashes are cut to as much as tells them apart. */
const LONG_ID = /[0-9a-f]{20,}/g;

function shortenText(whole: string, name: string): string {
  if (SECRETS.includes(name)) return `${whole.split('_')[0]}_…`;
  const text = whole.replaceAll(LONG_ID, (id) => id.slice(0, 6));
  return text.length > MAX_CHARS ? `${text.slice(0, 32)}…` : text;
}

/** Returns a short form of a request or an answer, fit to be read. */
export function shorten(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return shortenText(value, name);
  if (Array.isArray(value))
    return isTuple(value) ? value : value.slice(0, 1).map((v) => shorten(v));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    (TABLES.includes(name) ? members.slice(0, 1) : members).map(([key, member]) => [
      key,
      shorten(member, key),
    ]),
  );
}

/** Shortens the JSON of a line, or of an event's data. */
const shortenLine = (line: string): string =>
  line.replace(
    /^(data: )?(\{.*)$/,
    (_line, prefix = '', value) => `${prefix}${JSON.stringify(shorten(JSON.parse(value)))}`,
  );

/** Texts are cut to four lines, lines of JSON to one; JSON is shortened. */
export function shortenBody(body: unknown): unknown {
  if (typeof body !== 'string') return shorten(body);
  const lines = body.trim().split('\n');
  return `${lines
    .slice(0, lines[0]?.startsWith('{') ? 1 : 4)
    .map(shortenLine)
    .join('\n')}\n`;
}

/** Returns the shape of a value: the path of every member, and its type. */
export function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((member) => shapeOf(member, `${path}[]`));
  if (typeof value !== 'object' || value === null) {
    return [`${path}: ${value === null ? 'null' : typeof value}`];
  }
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, `${path}.${name}`));
}

const FILES: readonly [file: string, prefix: string][] = [
  ['bg', '/bg/'],
  ['taxonomy', '/taxonomy/'],
  ['look', '/look/'],
  ['jobs', '/intake/v1/jobs'],
  ['batches', '/intake/v1/batches'],
  ['feeds', '/intake/v1/feeds'],
  ['sources', '/intake/v1/sources'],
  ['rules', '/intake/v1/rules'],
  ['presets', '/intake/v1/presets'],
  ['webhooks', '/intake/v1/webhooks'],
  ['usage', '/intake/v1/'],
  ['compat', '/compat/'],
  ['access', '/access/'],
  ['account', '/account/'],
  ['console', '/console/'],
  ['service', '/'],
];

const isExemplary = ({ mediaType }: Exchange): boolean =>
  /json$|^text\/event-stream$/.test(mediaType);

/** Returns the first successes of an operation with a body that can be an example, by status. */
export function firstSuccesses(own: readonly Exchange[]): Map<number, Exchange> {
  const found = own.filter((each) => each.status < 300 && isExemplary(each));
  return new Map(found.reverse().map((each) => [each.status, each]));
}

/** Writes the examples of all operations anew, from their first successes. */
export async function writeExamples(
  operations: readonly Operation[],
  exchangesOf: (operation: Operation) => readonly Exchange[],
): Promise<void> {
  const files = new Map<string, Record<string, OperationExamples>>();
  for (const operation of operations) {
    const file = FILES.find(([, prefix]) => operation.path.startsWith(prefix))![0];
    const examples = files.get(file) ?? {};
    files.set(file, examples);
    const own = exchangesOf(operation);
    const sent = own.find(({ status, request }) => status < 300 && request !== undefined);
    const successes = [...firstSuccesses(own)];
    const example: OperationExamples = {
      ...(sent && { request: shortenRequest(sent.request) }),
      ...(successes.length > 0 && {
        successes: Object.fromEntries(
          successes.map(([status, { body }]) => [status, shortenBody(body)]),
        ),
      }),
    };
    if (Object.keys(example).length > 0) examples[operation.operationId] = example;
  }
  for (const [file, examples] of files) {
    const path = join(ROOT, 'data/api/examples', `${file}.json`);
    await writeFile(path, `${JSON.stringify(examples, null, 2)}\n`);
  }
}

/** A request must remain one: only its long texts are cut. */
const shortenRequest = (request: unknown): unknown =>
  typeof request === 'string'
    ? request
    : JSON.parse(JSON.stringify(request), (name, value) =>
        typeof value === 'string' ? shortenText(value, name) : value,
      );

/** Returns what the folder of examples has. */
export async function readExamples(): Promise<Record<string, OperationExamples>> {
  const texts = await Promise.all(
    FILES.map(([file]) => readFile(join(ROOT, 'data/api/examples', `${file}.json`), 'utf8')),
  );
  return Object.assign({}, ...texts.map((text) => JSON.parse(text)));
}
