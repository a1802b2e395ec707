/**
 * Returns a function that computes a value when it is first called. For tables that take long to build, or much memory:
 * a process that names nothing does without.
 */
export function lazily<T extends object>(compute: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= compute();
    return value;
  };
}

/** A word that is longer is seldom seen twice. */
const MAX_WORD_CHARS = 40;
/** So many words are remembered: most of those that feeds repeat. */
const MAX_WORDS = 10_000;

/** Returns a pure function of a word that remembers its results, in bounded memory: titles repeat their words. */
export function remembered<T>(compute: (word: string) => T): (word: string) => T {
  const known = new Map<string, { value: T }>();
  return (word) => {
    const found = known.get(word);
    if (found) return found.value;
    const value = compute(word);
    if (known.size >= MAX_WORDS) known.clear();
    if (word.length <= MAX_WORD_CHARS) known.set(word, { value });
    return value;
  };
}
