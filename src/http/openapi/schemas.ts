import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

/** Whether a schema describes what clients send or what they receive. */
export type Direction = 'input' | 'output';

const refTo = (name: string): string => `#/components/schemas/${name}`;

/** Zod puts named schemas that are only part of others under `$defs` of a shared document. */
const toComponentRef = (ref: string): string => ref.replace(/^.*\/\$defs\//, refTo(''));

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a copy in which every object, the inner ones first, is what `map` returns for it. */
function mapObjects(value: unknown, map: (object: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((member) => mapObjects(member, map));
  if (!isObject(value)) return value;
  return map(
    Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, mapObjects(member, map)]),
    ),
  );
}

/** A response may gain fields, so nothing that clients receive is closed. */
function open(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...rest } = schema;
  return additionalProperties === false ? rest : schema;
}

/** Moves a default into the description: generators would declare the field as required, in requests too. */
function describeDefault(schema: JsonSchema): void {
  const { default: value, description } = schema;
  delete schema.default;
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return;
  const sentences = [description, `Default \`${[value].flat().join(', ')}\``];
  schema.description = sentences.filter((sentence) => sentence !== undefined).join('. ');
}

/** Drops what says nothing: bounds of safe integers, patterns that repeat a format, names that are texts. */
function dropNoise(schema: JsonSchema): void {
  const { format, minimum, maximum, propertyNames } = schema;
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (JSON.stringify(propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  if (format === 'date-time' || format === 'date') delete schema.pattern;
}

/** Neither Python's regular expressions nor those of JavaScript without the flag `u` have classes of Unicode. */
function makePortable(schema: JsonSchema): void {
  if (typeof schema.pattern !== 'string') return;
  schema.pattern = schema.pattern.replaceAll('\\P{Cc}', '[^\\x00-\\x1f\\x7f-\\x9f]');
}

interface Converted {
  named: Record<string, JsonSchema>;
  byRoot: ReadonlyMap<z.ZodType, JsonSchema>;
}

function convert(roots: Iterable<z.ZodType>, io: Direction): Converted {
  const registry = z.registry<{ id: string }>();
  const ids = new Map<z.ZodType, string>();
  for (const root of roots) {
    const id = z.globalRegistry.get(root)?.id ?? `(inline ${ids.size})`;
    ids.set(root, id);
    registry.add(root, { id });
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: refTo,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      describeDefault(jsonSchema);
      dropNoise(jsonSchema);
      makePortable(jsonSchema);
    },
  });
  const finish = (schema: JsonSchema): JsonSchema => {
    const { $schema: _schema, $id: _id, $ref, ...rest } = schema;
    const finished = typeof $ref === 'string' ? { $ref: toComponentRef($ref), ...rest } : rest;
    return io === 'output' ? open(finished) : finished;
  };
  const { __shared: shared, ...own } = mapObjects(schemas, finish) as Record<string, JsonSchema>;
  const isNamed = ([name]: [string, unknown]) => !name.startsWith('(');
  const named = Object.fromEntries(Object.entries(own).filter(isNamed));
  const byRoot = [...ids].map(
    ([root, id]) => [root, named[id] ? { $ref: refTo(id) } : own[id]!] as const,
  );
  return {
    named: { ...named, ...(shared?.$defs as Record<string, JsonSchema> | undefined) },
    byRoot: new Map(byRoot),
  };
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/**
 * Merges the named schemas of both directions. One that is sent and received is there once, and open.
 * @throws Error if it differs otherwise: a client could not send back what it received
 */
function mergeNamed(input: Converted['named'], output: Converted['named']): Converted['named'] {
  for (const [name, received] of Object.entries(output)) {
    const sent = input[name];
    if (sent === undefined || sameJson(mapObjects(sent, open), received)) continue;
    throw new Error(`The schema ${name} is not the same in requests and in responses`);
  }
  const sorted = Object.entries({ ...input, ...output }).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}

/** The schemas of all requests and responses in one vocabulary. */
export class SchemaTable {
  /** The named schemas: those whose `meta` has an `id`. */
  readonly components: Readonly<Record<string, JsonSchema>>;
  readonly #converted: Readonly<Record<Direction, Converted>>;

  constructor(schemas: Readonly<Record<Direction, ReadonlySet<z.ZodType>>>) {
    const [input, output] = [convert(schemas.input, 'input'), convert(schemas.output, 'output')];
    this.#converted = { input, output };
    this.components = mergeNamed(input.named, output.named);
  }

  /** Returns a schema of the table: a reference if it is named. */
  get(schema: z.ZodType, direction: Direction): JsonSchema {
    const found = this.#converted[direction].byRoot.get(schema);
    if (!found) throw new Error(`A schema of the ${direction} was not converted`);
    return found;
  }
}

/**
 * Adds a part to those of its kind that operations share, and returns a reference to it. Others of
 * its name are numbered.
 */
export function share(
  kind: 'parameters' | 'responses',
  components: Record<string, object>,
  name: string,
  part: object,
): { $ref: string } {
  const isTaken = (candidate: string): boolean =>
    candidate in components && JSON.stringify(components[candidate]) !== JSON.stringify(part);
  let key = name;
  for (let number = 2; isTaken(key); number++) key = `${name}${number}`;
  components[key] = part;
  return { $ref: `#/components/${kind}/${key}` };
}
