import type { Raw } from './chunk.ts';

/** A member of an object: its key as written, quotes included, and where its value stands. */
export interface Member {
  key: Raw;
  start: number;
  end: number;
}

const isSpace = (letter: string | undefined): boolean =>
  letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r';

const endsValue = (letter: string | undefined): boolean =>
  isSpace(letter) || letter === ',' || letter === '}' || letter === ']';

function afterString(json: Raw, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterValue(json: Raw, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const letter = json[at];
    at = letter === '"' ? afterString(json, at) : at + 1;
    if (letter === '{' || letter === '[') depth += 1;
    if (letter === '}' || letter === ']') depth -= 1;
  } while (depth > 0 || !endsValue(json[at]));
  return at;
}

const nextIn = (json: Raw, from: number): number => {
  let at = from;
  while (isSpace(json[at])) at += 1;
  return at;
};

/** Where what follows a value begins: the next one, or the end of all. */
function afterComma(json: Raw, from: number): number {
  const at = nextIn(json, from);
  return json[at] === ',' ? nextIn(json, at + 1) : at;
}

/**
 * The members of a JSON object in the order they are written.
 * @param json an object that JSON.parse takes; anything else may read past its end
 */
export function jsonMembers(json: Raw): Member[] {
  const members: Member[] = [];
  let at = nextIn(json, nextIn(json, 0) + 1);
  while (json[at] === '"') {
    const keyEnd = afterString(json, at);
    const start = nextIn(json, nextIn(json, keyEnd) + 1);
    const end = afterValue(json, start);
    members.push({ key: json.slice(at, keyEnd), start, end });
    at = afterComma(json, end);
  }
  return members;
}

/**
 * Where the values of a JSON array stand.
 * @param json holds an array that JSON.parse takes; anything else may read past its end
 * @param from where that begins
 */
export function jsonElements(json: Raw, from: number): Pick<Member, 'start' | 'end'>[] {
  const elements: Pick<Member, 'start' | 'end'>[] = [];
  let at = nextIn(json, from + 1);
  while (json[at] !== ']') {
    const end = afterValue(json, at);
    elements.push({ start: at, end });
    at = afterComma(json, end);
  }
  return elements;
}
