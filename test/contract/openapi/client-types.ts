import { z } from 'zod';

/** What the generator reads of a schema of the document. */
export interface Schema {
  type?: string | string[];
  enum?: readonly (string | number)[];
  const?: unknown;
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  items?: Schema;
  prefixItems?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
}

/** The parts of the document that types come from. */
export interface Contract {
  schemas: Readonly<Record<string, Schema>>;
  /** What an operation takes in its query, by operation id. */
  queries: Readonly<Record<string, Schema>>;
  /** Names of the schemas that clients send. */
  sent: ReadonlySet<string>;
}

/**
 * The public types of the client, in their order: where each is in the document, and what the schema there does not
 * say. A place is a schema, and from there on a path: `.member`, `[]` of a list, `{}` of a map, `|0` of a choice;
 * `?operation` is a query.
 */
export const Names = z.record(
  z.string(),
  z.strictObject({
    at: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
    doc: z.string().optional(),
    fields: z.record(z.string(), z.string()).optional(),
    /** Of members, where the document is narrower than the client, which outlives a dictionary, or wider. */
    types: z.record(z.string(), z.string()).optional(),
    /** Types whose members it has, too. */
    extends: z.array(z.string()).optional(),
    /** Members that the client does not have; `*` for those without a name. */
    without: z.array(z.string()).optional(),
  }),
);
export type Names = z.infer<typeof Names>;

const placesOf = (name: string, { at = name }: Names[string]): string[] => [at].flat();

/** All numbers of 32 bits: no range to tell. */
const MAX_SEED = 2 ** 32 - 1;

const lastOf = (ref: string): string => ref.split('/').at(-1)!;

/** A schema without its texts, to compare it with others. */
const shapeOf = (schema: Schema): string =>
  JSON.stringify(schema, (key, value) => (key === 'description' ? undefined : value));

/** A range, a length or a count, in words. */
function limitsOf({ minimum, maximum, minItems, maxItems, maxLength }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined)
    return maximum === MAX_SEED ? undefined : `${minimum} to ${maximum}`.replaceAll('-', '−');
  if (maxItems !== undefined && maxItems === minItems) return `${maxItems} of them`;
  if (maxItems !== undefined) return minItems ? `${minItems} to ${maxItems}` : `up to ${maxItems}`;
  return maxLength === undefined ? undefined : `up to ${maxLength} characters`;
}

/** Adds limits to a text that does not name them. */
function withLimits(schema: Schema): string | undefined {
  const { description, maximum, maxItems, maxLength } = schema;
  const limits = limitsOf(schema);
  if (description === undefined) return limits && limits[0]!.toUpperCase() + limits.slice(1);
  const isSaid =
    limits === undefined || description.includes(String(maximum ?? maxItems ?? maxLength));
  return isSaid ? description : `${description}: ${limits}`;
}

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

const comment = (text: string | undefined): string =>
  text === undefined ? '' : `/** ${sentence(text.replaceAll('*/', '*\\/'))} */\n`;

/** Members between braces: a few without comments on one line. */
function block(members: readonly string[]): string {
  const text = members.join('');
  const isShort = text.length < 80 && !/\/\*\*|\{/.test(text);
  return isShort ? `{ ${text.trim().replaceAll(/;\n/g, '; ').replace(/;$/, '')} }` : `{\n${text}}`;
}

/** Indents lines by the braces around them. */
function indented(code: string): string {
  let depth = 0;
  const indent = (line: string): string => {
    const text = line.replace(/\/\*\*.*?\*\//, '');
    if (text.startsWith('}')) depth--;
    const placed = line === '' ? '' : `${'  '.repeat(depth)}${line}`;
    if (text.endsWith('{')) depth++;
    return placed;
  };
  return code.split('\n').map(indent).join('\n');
}

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);

const keyOf = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`);

/** Writes the types of the client. */
class TypeWriter {
  readonly #contract: Contract;
  readonly #names: Names;
  /** The first name of each place. */
  readonly #byPlace = new Map<string, string>();
  /** The name of words, and of objects with more than one member, wherever they are. */
  readonly #byShape = new Map<string, string>();
  /** Notes that no schema makes superfluous. */
  readonly #used = new Set<string>();

  constructor(contract: Contract, names: Names) {
    this.#contract = contract;
    this.#names = names;
    for (const [name, entry] of Object.entries(names)) {
      for (const place of placesOf(name, entry)) {
        const schema = this.#at(place);
        if (!this.#byPlace.has(place)) this.#byPlace.set(place, name);
        const members = Object.keys(schema.properties ?? {}).length;
        const shape = shapeOf(schema);
        if ((schema.enum || members > 1) && !this.#byShape.has(shape))
          this.#byShape.set(shape, name);
      }
    }
  }

  write(): string {
    const types = Object.entries(this.#names).map(([name, entry]) => this.#declare(name, entry));
    const unused = Object.entries(this.#names).flatMap(([name, { fields = {} }]) =>
      Object.keys(fields)
        .map((field) => `${name}.${field}`)
        .filter((note) => !this.#used.has(note)),
    );
    if (unused.length > 0) throw new Error(`These notes are not needed: ${unused.join(', ')}`);
    return indented(types.join(''));
  }

  /** Returns the schema of a place. @throws Error if there is none */
  #at(place: string): Schema {
    const [root = '', ...steps] = place.split(/(?=\.|\[\]|\{\}|\|)/);
    const { queries, schemas } = this.#contract;
    const first = root.startsWith('?') ? queries[root.slice(1)] : schemas[root];
    const found = steps.reduce<Schema | undefined>(
      (schema, step) => schema && this.#step(schema, step),
      first,
    );
    if (!found) throw new Error(`The document has no ${place}`);
    return found;
  }

  #step(schema: Schema, step: string): Schema | undefined {
    const whole = schema.$ref ? this.#contract.schemas[lastOf(schema.$ref)]! : schema;
    if (step === '[]') return whole.items;
    if (step === '{}') return whole.additionalProperties as Schema;
    if (step.startsWith('|')) return (whole.anyOf ?? whole.allOf)?.[Number(step.slice(1))];
    return whole.properties?.[step.slice(1)];
  }

  #declare(name: string, entry: Names[string]): string {
    const [place = name] = placesOf(name, entry);
    const first = this.#byPlace.get(place)!;
    const schema = this.#at(place);
    const doc = comment(entry.doc ?? schema.description);
    if (first !== name) return `${doc}export type ${name} = ${first};\n`;
    if (schema.properties && !schema.allOf)
      return `${doc}export interface ${[name, ...this.#extended(entry)].join(' ')} ${this.#object(schema, place, name)}\n`;
    return `${doc}export type ${name} = ${this.#inline(schema, place)};\n`;
  }

  #extended({ extends: bases = [] }: Names[string]): string[] {
    return bases.length > 0 ? ['extends', bases.join(', ')] : [];
  }

  /** The members of the types that a type extends. @throws Error if it has not all of them, as they are there */
  #inherited(properties: Record<string, Schema>, name: string | undefined): ReadonlySet<string> {
    const bases = (name && this.#names[name]?.extends) || [];
    const inherited = bases.flatMap((base) => {
      const schema = this.#at(placesOf(base, this.#names[base]!)[0]!);
      return Object.entries(schema.properties ?? {});
    });
    for (const [key, member] of inherited)
      if (!properties[key] || shapeOf(properties[key]) !== shapeOf(member))
        throw new Error(`${name}.${key} is not as in the types that it extends`);
    return new Set(inherited.map(([key]) => key));
  }

  /** Returns the type of a schema, by its name if it has one. */
  #type(schema: Schema, place: string): string {
    const named = this.#byPlace.get(place);
    if (named) return named;
    if (schema.$ref) {
      const component = lastOf(schema.$ref);
      return this.#type(this.#contract.schemas[component]!, component);
    }
    return this.#byShape.get(shapeOf(schema)) ?? this.#inline(schema, place);
  }

  #inline(schema: Schema, place: string): string {
    const { anyOf, allOf, const: only, enum: words, type, items, prefixItems } = schema;
    if (anyOf) return anyOf.map((each, i) => this.#type(each, `${place}|${i}`)).join(' | ');
    if (allOf) return allOf.map((each, i) => this.#type(each, `${place}|${i}`)).join(' & ');
    if (only !== undefined) return literal(only);
    if (words) return words.map(literal).join(' | ');
    if (Array.isArray(type))
      return type.map((each) => this.#inline({ type: each }, place)).join(' | ');
    if (prefixItems) return `[${prefixItems.map((each) => this.#type(each, place)).join(', ')}]`;
    if (items) return this.#list(this.#type(items, `${place}[]`));
    if (type === 'object') return this.#object(schema, place);
    const primitive = {
      string: 'string',
      number: 'number',
      integer: 'number',
      boolean: 'boolean',
      null: 'null',
    }[type ?? ''];
    return primitive ?? (type === 'array' ? 'unknown[]' : 'unknown');
  }

  #list = (item: string): string => (/[^\w]/.test(item) ? `(${item})[]` : `${item}[]`);

  #object(schema: Schema, place: string, name?: string): string {
    const { properties = {}, required = [], additionalProperties: rest, propertyNames } = schema;
    const isSent = place.startsWith('?') || this.#contract.sent.has(place.split(/[.[{|]/)[0]!);
    const restType = typeof rest === 'object' ? this.#type(rest, `${place}{}`) : undefined;
    const { types = {}, without = [] } = (name && this.#names[name]) || {};
    const inherited = this.#inherited(properties, name);
    const described = Object.entries(properties).filter(
      ([key]) => !without.includes(key) && !inherited.has(key),
    );
    const members = described.map(([key, member]) => {
      const isOptional = !required.includes(key);
      const own = types[key] ?? this.#type(member, `${place}.${key}`);
      const type = `${own}${isOptional && isSent ? ' | undefined' : ''}`;
      return `${this.#memberComment(member, key, name)}${keyOf(key)}${isOptional ? '?' : ''}: ${type};\n`;
    });
    if (restType === undefined || without.includes('*')) return block(members);
    if (members.length === 0 && name === undefined) {
      const record = `Record<${propertyNames?.enum ? this.#inline(propertyNames, place) : 'string'}, ${restType}>`;
      return propertyNames?.enum && required.length === 0 ? `Partial<${record}>` : record;
    }
    return block([...members, '[extra: string]: unknown;\n']);
  }

  /** What a member is, by its schema, else by the notes; and its limits. */
  #memberComment(member: Schema, key: string, name: string | undefined): string {
    const shared = member.$ref ? this.#contract.schemas[lastOf(member.$ref)] : undefined;
    const isNamed = shared && this.#byPlace.has(lastOf(member.$ref!));
    const schema = isNamed ? member : { ...shared, ...member };
    const note = name === undefined ? undefined : this.#names[name]?.fields?.[key];
    if (note !== undefined && schema.description === undefined) {
      this.#used.add(`${name}.${key}`);
      return comment(note);
    }
    return comment(withLimits(schema));
  }
}

/** Returns the types of the client as TypeScript, not formatted. @throws Error about places and notes that are stale */
export const writeTypes = (contract: Contract, names: Names): string =>
  new TypeWriter(contract, names).write();
