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
