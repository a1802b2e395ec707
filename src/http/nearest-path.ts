/** Parts of a path without what clients get wrong: the version, slashes, capitals. */
const partsOf = (path: string): string[] =>
  path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '' && !/^v\d[\d.]*$/.test(part));

/** Longer ones are no misspelt address. */
const MAX_CHARS = 200;

const isParameter = (part: string): boolean => part.startsWith(':');

/** Whether parts are the last ones of a route's. */
const isEnd = (sought: readonly string[], known: readonly string[]): boolean =>
  sought.length <= known.length &&
  sought.every((part, i) => {
    const own = known[known.length - sought.length + i]!;
    return isParameter(own) || part === own;
  });

/** Returns a function that finds the address that was meant by one where nothing is: never what was sent. */
export function nearestPath(paths: readonly string[]): (sought: string) => string | undefined {
  const known = paths.map((path) => ({
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    parts: partsOf(path),
  }));
  return (sought) => {
    const parts = partsOf(sought.slice(0, MAX_CHARS));
    if (parts.length === 0) return undefined;
    const ends = known.filter(
      (each) => !isParameter(each.parts.at(-1) ?? ':') && isEnd(parts, each.parts),
    );
    return (ends.find((each) => each.parts.length === parts.length) ?? ends[0])?.path;
  };
}
