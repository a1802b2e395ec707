import type { Cell, Raw } from './chunk.ts';
import type { Column } from './columns.ts';
import { jsonElements, jsonMembers, type Member } from './json-members.ts';

/** Objects within objects that are read. */
const MAX_DEPTH = 6;

/** Returns a scalar as text; undefined for other values and for integers that JavaScript would round. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The label of a value within another; a slash in a key is written as in JSON Pointer. */
const within = (label: string, key: string): string =>
  label === '' ? key : `${label}/${key.replaceAll('/', '~1')}`;

/**
 * Returns the cells of a row: one for each key, its values those of an array. The values of objects have the path
 * to them as label (`images/src`), those of an array of objects together.
 */
export function jsonCells(object: object, columnOf: (label: string) => Column | undefined): Cell[] {
  const cells: Cell[] = [];
  const nested = new Map<string, string[]>();
  function valuesOf(label: string): string[] {
    const known = nested.get(label);
    if (known) return known;
    const values: string[] = [];
    nested.set(label, values);
    cells.push({ label, name: columnOf(label), values });
    return values;
  }
  function add(label: string, value: unknown, depth: number): void {
    const own = valuesOf(label);
    if (!isNested(value)) own.push(textOf(value) ?? '');
    else if (depth > MAX_DEPTH) own.push('');
    else if (Array.isArray(value)) for (const each of value) add(label, each, depth + 1);
    else {
      own.push('');
      for (const [key, each] of Object.entries(value as object)) {
        add(within(label, key), each, depth + 1);
      }
    }
  }
  for (const [key, value] of Object.entries(object)) {
    const isFlat = !isNested(value) && !key.includes('/'); // as nearly all are
    if (isFlat) cells.push({ label: key, name: columnOf(key), values: [textOf(value) ?? ''] });
    else add(key, value, 1);
  }
  return cells;
}

type Span = Pick<Member, 'start' | 'end'>;

/** Returns where the values of a row's cells are written, in the order of `jsonCells`. */
export function jsonSpans(raw: Raw, decode: (raw: Raw) => string): Map<string, Span[]> {
  const spans = new Map<string, Span[]>();
  function add(label: string, { start, end }: Span, depth: number): void {
    const own = spans.get(label) ?? [];
    spans.set(label, own);
    const isArray = raw[start] === '[';
    if (!isArray || depth > MAX_DEPTH) own.push({ start, end });
    if (depth > MAX_DEPTH) return;
    if (isArray) for (const each of jsonElements(raw, start)) add(label, each, depth + 1);
    else if (raw[start] === '{') addMembers(start, label, depth + 1);
  }
  function addMembers(start: number, label: string, depth: number): void {
    /** Of several equal keys, JSON.parse uses the last. */
    const members = new Map(
      jsonMembers(raw, start).map((member) => [String(JSON.parse(decode(member.key))), member]),
    );
    for (const [key, member] of members) add(within(label, key), member, depth);
  }
  addMembers(0, '', 1);
  return spans;
}
