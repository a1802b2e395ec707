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

/** What makes an item unfit, in words, and the line within it (from 1). */
export interface ItemError {
  detail: string;
  line: number;
}

export interface ParsedItem {
  children: readonly Child[];
  /** The first fault; `children` are then those that were complete before it. */
  fault?: ItemError;
}

/** Thrown out of the parser's handlers to stop it at the first fault. */
class Stop extends Error {}

/** saxes puts "line:column: " before its words, and a full stop after them. */
export const saxesWords = (message: string): string =>
  message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');

const HIDING_OR_BARE = /<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>|&(?!#?\w{1,32};)/gs;

/**
 * Where an ampersand stands for itself. It is the commonest fault of all, and saxes, which reads on to
 * the next semicolon, finds it too late to name it.
 * @param xml up to the fault: whatever opens in there closes as well, which keeps the search short
 */
function bareAmpersand(xml: string): number {
  for (const { 0: found, index } of xml.matchAll(HIDING_OR_BARE)) {
    if (found === '&') return index;
  }
  return Number.POSITIVE_INFINITY;
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Parses one item as a document of its own.
 * @param xml from the item's start tag to its end tag
 * @param resolvePrefix the namespaces declared around the item
 * @param maxDepth elements within one another, the item being the first
 */
export function parseItem(
  xml: string,
  resolvePrefix: (prefix: string) => string | undefined,
  maxDepth: number,
): ParsedItem {
  const parser = new SaxesParser({ xmlns: true, resolvePrefix });
  const children: Child[] = [];
  let fault: ItemError | undefined;
  let depth = 0;

  function stop(detail: string, line = parser.line): never {
    fault = { detail, line };
    if (depth > 1) children.pop();
    throw new Stop();
  }
  function fail({ message }: Error): void {
    const bare = bareAmpersand(xml.slice(0, parser.position));
    if (Number.isFinite(bare)) stop('an "&" is not written as "&amp;"', lineAt(xml, bare));
    stop(saxesWords(message));
  }
  function open(tag: SaxesTagNS): void {
    depth += 1;
    if (depth > maxDepth) stop(`elements are nested more than ${maxDepth} deep`);
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
  return fault ? { children, fault } : { children };
}
