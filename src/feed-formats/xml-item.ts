import { SaxesParser, type SaxesTagNS } from 'saxes';

/** An element of an item, or an attribute of one or of the item itself. */
export interface Child {
  /** The name as written, prefix included. */
  label: string;
  /** Local names from the item to it: `image`, `images/image`; `@id`, `images/image/@url` for an attribute. */
  local: string;
  /** Its namespace; empty for none. */
  uri: string;
  /** All text within a child; that of its own of an element within one. References are resolved. */
  text: string;
  /** Of an attribute of an element within the item: the index of that. */
  of?: number;
}

/** Why an item is malformed, and the line within it (from 1). */
interface ItemError {
  detail: string;
  line: number;
}

interface ParsedItem {
  /** The elements in the order of their start tags, then the attributes. */
  children: readonly Child[];
  /** The first error; `children` are then those that were complete before it. */
  error?: ItemError;
}

/** Thrown by the parser's handlers to stop it at the first error. */
class Stop extends Error {}

/** Strips what saxes adds to its messages: "line:column: " in front and a full stop at the end. */
export const saxesMessage = (message: string): string =>
  message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');

/** Parses items, each as a document of its own. */
export class ItemParser {
  readonly #resolvePrefix: (prefix: string) => string | undefined;
  readonly #maxDepth: number;
  /** One for many items: it begins anew after each that has no error. */
  #parser: SaxesParser<{ xmlns: true }>;
  #children: Child[] = [];
  #attributes: Child[] = [];
  /** The elements that are open within the item. */
  #open: Child[] = [];
  #error: ItemError | undefined;
  #depth = 0;

  /**
   * @param resolvePrefix the namespaces declared around the item
   * @param maxDepth of nested elements, counting the item
   */
  constructor(resolvePrefix: (prefix: string) => string | undefined, maxDepth: number) {
    this.#resolvePrefix = resolvePrefix;
    this.#maxDepth = maxDepth;
    this.#parser = this.#newParser();
  }

  /** @param xml from the item's start tag to its end tag */
  parse(xml: string): ParsedItem {
    this.#children = [];
    this.#attributes = [];
    this.#open = [];
    this.#error = undefined;
    this.#depth = 0;
    try {
      this.#parser.write(xml).close();
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      this.#parser = this.#newParser();
    }
    const [children, error] = [this.#children, this.#error];
    if (error) return { children, error };
    return { children: children.concat(this.#attributes) };
  }

  #newParser(): SaxesParser<{ xmlns: true }> {
    const parser = new SaxesParser({ xmlns: true, resolvePrefix: this.#resolvePrefix });
    const addText = (text: string) => this.#addText(text);
    parser.on('opentag', (tag) => this.#openTag(tag));
    parser.on('closetag', () => {
      this.#depth -= 1;
      this.#open.pop();
    });
    parser.on('text', addText);
    parser.on('cdata', addText);
    parser.on('error', ({ message }) => this.#failAt(saxesMessage(message)));
    return parser;
  }

  #failAt(detail: string): never {
    this.#error = { detail, line: this.#parser.line };
    const [unfinished] = this.#open;
    if (unfinished) this.#children.length = this.#children.indexOf(unfinished);
    throw new Stop();
  }

  #openTag(tag: SaxesTagNS): void {
    this.#depth += 1;
    const maxDepth = this.#maxDepth;
    if (this.#depth > maxDepth) this.#failAt(`elements are nested more than ${maxDepth} deep`);
    if (this.#depth === 1) {
      this.#addAttributes(tag, '');
      return;
    }
    const outer = this.#open.at(-1);
    const local = outer ? `${outer.local}/${tag.local}` : tag.local;
    const child = { label: tag.name, local, uri: tag.uri, text: '' };
    this.#addAttributes(tag, `${local}/`, this.#children.push(child) - 1);
    this.#open.push(child);
  }

  #addAttributes({ attributes: own, uri }: SaxesTagNS, path: string, of?: number): void {
    for (const name in own) {
      const { local, value: text } = own[name]!;
      const child = { label: `@${name}`, local: `${path}@${local}`, uri, text };
      this.#attributes.push(of === undefined ? child : { ...child, of });
    }
  }

  #addText(text: string): void {
    const [child, inner] = [this.#open[0], this.#open.at(-1)];
    if (child) child.text += text;
    if (inner && inner !== child) inner.text += text;
  }
}
