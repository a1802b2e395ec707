import type { Raw } from './chunk.ts';

/** A member of an object: its key as written, including quotes, and the span of its value. */
export interface Member {
  key: Raw;
  start: number;
  end: number;
}

const isSpace = (char: string | undefined): boolean =>
  char === ' ' || char === '\t' || char === '\n' || char === '\r';

const endsValue = (char: string | undefined): boolean =>
  isSpace(char) || char === ',' || char === '}' || char === ']';

function afterString(json: Raw, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterValue(json: Raw, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = json[at];
    at = char === '"' ? afterString(json, at) : at + 1;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
  } while (depth > 0 || !endsValue(json[at]));
  return at;
}

const skipSpace = (json: Raw, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

/** Returns the start of what follows a value: the next one, or the closing bracket. */
function afterComma(json: Raw, from: number): number {
  const at = skipSpace(json, from);
  return json[at] === ',' ? skipSpace(json, at + 1) : at;
}

/**
 * Returns the members of a JSON object in the order they are written.
 * @param json an object that JSON.parse accepts; other input may be read past its end
 * @param from start of the object, or spaces before it
 */
export function jsonMembers(json: Raw, from = 0): Member[] {
  const members: Member[] = [];
  let at = skipSpace(json, skipSpace(json, from) + 1);
  while (json[at] === '"') {
    const keyEnd = afterString(json, at);
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = afterValue(json, start);
    members.push({ key: json.slice(at, keyEnd), start, end });
    at = afterComma(json, end);
  }
  return members;
}

/**
 * Returns the spans of the values of a JSON array.
 * @param json holds an array that JSON.parse accepts; other input may be read past its end
 * @param from start of the array
 */
export function jsonElements(json: Raw, from: number): Pick<Member, 'start' | 'end'>[] {
  const elements: Pick<Member, 'start' | 'end'>[] = [];
  let at = skipSpace(json, from + 1);
  while (json[at] !== ']') {
    const end = afterValue(json, at);
    elements.push({ start: at, end });
    at = afterComma(json, end);
  }
  return elements;
}
