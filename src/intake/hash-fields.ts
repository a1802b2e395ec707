/** Fields of a Redis hash as arguments of `HSET`: name, JSON, name, JSON, … Undefined values are left out. */
export const toHashFields = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [name, JSON.stringify(value)],
  );

/** Parses such fields; their values are not validated. */
export const parseHashFields = (
  fields: Readonly<Record<string, string>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, json]) => [name, JSON.parse(json)]));
