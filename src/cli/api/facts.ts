import { table } from '../terminal/output.ts';
import type { Operation } from './operations.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const isList = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((one) => !isMembers(one));

const textOf = (value: unknown): string => (isList(value) ? value.join(', ') : String(value ?? ''));

/** Returns name and value, one a line; members of members are indented. Links are left out. */
function factLines(value: Members, indent = ''): string[] {
  return Object.entries(value).flatMap(([name, one]) => {
    if (name === 'links') return [];
    if (isMembers(one) && !isList(one))
      return [`${indent}${name}`, ...factLines(one, `${indent}  `)];
    return [`${indent}${name}  ${textOf(one)}`];
  });
}

/** Returns a member, or a member of a member: `outfit.name`. */
const memberOf = (value: unknown, path: string): unknown =>
  path.split('.').reduce((one, name) => (isMembers(one) ? one[name] : undefined), value);

/** Formats a response for people: its members, then its rows as a table. */
export function factsText(response: Members, shown: Operation['table']): string {
  if (!shown) return factLines(response).join('\n');
  const [member, ...columns] = shown;
  const { [member]: rows, ...rest } = response;
  const cells = Array.isArray(rows)
    ? rows.map((row) => columns.map((column) => textOf(memberOf(row, column))))
    : [];
  const headings = columns.map((column) => column.split('.').at(-1) ?? column);
  return [...factLines(rest), table(headings, cells)].join('\n');
}
