import { SaxesParser, type SaxesTagNS } from 'saxes';

/** A child element of an item. */
export interface Child {
  /** The name as written, prefix included. */
  label: string;
  local: string;
  /** Its namespace; empty for none. */
  uri: string;
  /** All text within it, references resolved. */
  text: string;
}

/** Why an item is malformed, and the line within it (from 1). */
interface ItemError {
  detail: string;
  line: number;
}

interface ParsedItem {
  children: readonly Child[];
  /** The first error; `children` are then those that were complete before it. */
  error?: ItemError;
}

/** Thrown by the parser's handlers to stop it at the first error. */
class Stop extends Error {}

/** Strips what saxes adds to its messages: "line:column: " in front and a full stop at the end. */
export const saxesMessage = (message: string): string =>
  message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');

/** CDATA, comments and instructions, in which an ampersand is allowed; or an unescaped ampersand. */
const OPAQUE_OR_AMPERSAND = /<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>|&(?!#?\w{1,32};)/gs;

/**
 * Finds the first unescaped ampersand. It is the most common error, and saxes, which reads on to the next
 * semicolon, reports it too late and by another name.
 * @param xml up to the error: constructs opened there are closed there, which keeps the search short
 */
function bareAmpersand(xml: string): number {
  for (const { 0: found, index } of xml.matchAll(OPAQUE_OR_AMPERSAND)) {
    if (found === '&') return index;
  }
  return Number.POSITIVE_INFINITY;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Parses one item as a document of its own.
 * @param xml from the item's start tag to its end tag
 * @param resolvePrefix the namespaces declared around the item
 * @param maxDepth of nested elements, counting the item
 */
export function parseItem(
  xml: string,
  resolvePrefix: (prefix: string) => string | undefined,
  maxDepth: number,
): ParsedItem {
  const parser = new SaxesParser({ xmlns: true, resolvePrefix });
  const children: Child[] = [];
  let error: ItemError | undefined;
  let depth = 0;

  function failAt(detail: string, line = parser.line): never {
    error = { detail, line };
    if (depth > 1) children.pop();
    throw new Stop();
  }
  function fail({ message }: Error): void {
    const bare = bareAmpersand(xml.slice(0, parser.position));
    if (Number.isFinite(bare)) failAt('an "&" is not written as "&amp;"', lineAt(xml, bare));
    failAt(saxesMessage(message));
  }
  function open(tag: SaxesTagNS): void {
    depth += 1;
    if (depth > maxDepth) failAt(`elements are nested more than ${maxDepth} deep`);
    const { name, local, uri } = tag;
    if (depth === 2) children.push({ label: name, local, uri, text: '' });
  }
  function addText(text: string): void {
    if (depth > 1) children.at(-1)!.text += text;
  }

  parser.on('opentag', open);
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('error', fail);
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return error ? { children, error } : { children };
}
