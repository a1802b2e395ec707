const codes = (characters: string): readonly number[] =>
  [...characters].map((character) => character.charCodeAt(0));
const [QUOTE, BACKSLASH, ...BRACKETS] = codes('"\\[{]}');
const [OPEN_ARRAY, OPEN_OBJECT, CLOSE_ARRAY, CLOSE_OBJECT] = BRACKETS;

/** Returns how many arrays and objects of a valid JSON text are within each other at most. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let max = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += Number(code === BACKSLASH);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) max = Math.max(max, ++depth);
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
  }
  return max;
}
