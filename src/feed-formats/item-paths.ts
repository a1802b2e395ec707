/** The path of JSON objects that nothing is around: a document that is one product, or several one after the other. */
export const DOCUMENT = '.';

const keysOf = (path: string): string[] => path.split('/').filter(Boolean);

/** Whether a path is one that the pattern names, or within it. */
export function isWithin(path: string, pattern: string): boolean {
  const keys = keysOf(path);
  return keysOf(pattern).every((key, i) => i < keys.length && (key === '*' || key === keys[i]));
}

/** Whether a path is one that the pattern names. */
export const isAt = (path: string, pattern: string): boolean =>
  path === pattern || (isWithin(path, pattern) && keysOf(path).length === keysOf(pattern).length);
