/** Parses JSON; returns something else if the text is none. */
export function jsonOr(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
