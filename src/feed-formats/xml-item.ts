import type { SaxesParser, SaxesTagNS } from 'saxes';

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

/**
 * Parses one item as a document of its own.
 * @param xml from the item's start tag to its end tag
 * @param parser with namespaces; it is of no use after an error, and begins anew after an item without one
 * @param maxDepth of nested elements, counting the item
 */
export function parseItem(
  xml: string,
  parser: SaxesParser<{ xmlns: true }>,
  maxDepth: number,
): ParsedItem {
  const children: Child[] = [];
  const attributes: Child[] = [];
  /** The elements that are open within the item. */
  const open: Child[] = [];
  let error: ItemError | undefined;
  let depth = 0;

  function failAt(detail: string): never {
    error = { detail, line: parser.line };
    const [unfinished] = open;
    if (unfinished) children.length = children.indexOf(unfinished);
    throw new Stop();
  }
  function openTag(tag: SaxesTagNS): void {
    depth += 1;
    if (depth > maxDepth) failAt(`elements are nested more than ${maxDepth} deep`);
    const { name: label, uri } = tag;
    if (depth === 1) {
      addAttributes(tag, '');
      return;
    }
    const outer = open.at(-1);
    const local = outer ? `${outer.local}/${tag.local}` : tag.local;
    const child = { label, local, uri, text: '' };
    addAttributes(tag, `${local}/`, children.push(child) - 1);
    open.push(child);
  }
  function addAttributes({ attributes: own, uri }: SaxesTagNS, path: string, of?: number): void {
    for (const name in own) {
      const { local, value: text } = own[name]!;
      const child = { label: `@${name}`, local: `${path}@${local}`, uri, text };
      attributes.push(of === undefined ? child : { ...child, of });
    }
  }
  function addText(text: string): void {
    const [child, inner] = [open[0], open.at(-1)];
    if (child) child.text += text;
    if (inner && inner !== child) inner.text += text;
  }

  parser.on('opentag', openTag);
  parser.on('closetag', () => {
    depth -= 1;
    open.pop();
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('error', ({ message }) => failAt(saxesMessage(message)));
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return error ? { children, error } : { children: children.concat(attributes) };
}
