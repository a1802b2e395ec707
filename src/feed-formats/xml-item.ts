import { decodeHTMLStrict } from 'entities';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { NoteCode } from './feed-error.ts';

/** A control character that XML does not allow. */
const CONTROLS = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu;
/** A "<" that begins no markup. */
const BARE = '<(?![/?!\\w:\\u0080-\\uffff])';
/** What may be one half of a character beyond U+FFFF: Java and .NET write two references. */
const SURROGATE = '#(?:x[dD][89a-fA-F][\\da-fA-F]{2}|5[5-7]\\d{3});';
const SURROGATES = new RegExp(`&${SURROGATE}`, 'g');
/** One of these, a bare "<", or an "&" before anything but XML's own references. */
const IRREGULAR = new RegExp(
  `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\ufffe\\uffff]|&(?!(?!${SURROGATE})(?:amp|lt|gt|quot|apos|#[1-9]\\d{1,6}|#x[1-9a-fA-F][\\da-fA-F]{1,5});)|${BARE}`,
);
const PARTS = new RegExp(
  String.raw`<!\[CDATA\[[^]*?\]\]>|<!--[^]*?-->|<\?[^]*?\?>|&(#?\w{1,32};)?|${BARE}|${CONTROLS.source}`,
  'gu',
);
const OWN = /^&(?:amp|lt|gt|quot|apos);$/;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Two halves that follow each other are one character then. */
function decodeSurrogate(reference: string): string {
  const unit = Number(reference.slice(2, -1).replace('x', '0x'));
  return unit >= 0xd800 && unit <= 0xdfff ? String.fromCharCode(unit) : reference;
}

/**
 * Makes text of XML what a parser accepts where there is only one way to read it: entities of HTML are decoded, a
 * bare ampersand or "<" is one, a control character becomes U+FFFD. Lines stay where they are.
 */
export function regularXml(xml: string, takeNote: (code: NoteCode) => void): string {
  if (!IRREGULAR.test(xml)) return xml;
  const paired = xml.replace(SURROGATES, decodeSurrogate).replaceAll(/\p{Cs}/gu, '\ufffd');
  function withoutControls(text: string): string {
    if (text.search(CONTROLS) < 0) return text;
    takeNote('control-characters');
    return text.replaceAll(CONTROLS, '\ufffd');
  }
  return paired.replace(PARTS, (part, reference?: string) => {
    if (part === '<') {
      takeNote('bare-ampersands');
      return '&lt;';
    }
    if (part[0] !== '&') return withoutControls(part);
    if (OWN.test(part)) return part;
    const decoded = reference === undefined ? part : decodeHTMLStrict(part);
    if (decoded !== part) {
      if (!part.startsWith('&#')) takeNote('html-entities');
      return escapeText(withoutControls(decoded));
    }
    takeNote('bare-ampersands');
    return `&amp;${part.slice(1)}`;
  });
}

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

/** The elements of an item in the order of their start tags, then the attributes. */
interface ParsedItem {
  /** If there is an error, those that were complete before it. */
  children: readonly Child[];
  /** The first error, and its line within the item, from 1. */
  error?: { detail: string; line: number };
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
  let error: ParsedItem['error'];
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

/** How far below an item names are looked at. */
const LEVELS = 4;

const localName = (name: string): string => name.replace(/^.*:/, '');

/**
 * Returns the elements at the beginning of an XML document, by their paths of local names in the order of the
 * document, each with the names of what is in it: `id`, `images/image`, `@id`.
 */
export function xmlPaths(head: string): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>();
  const open: { path: string; local: string; isNamed: boolean }[] = [];
  const parser = new SaxesParser();
  const labelsOf = (path: string): Set<string> => {
    const labels = paths.get(path) ?? new Set();
    paths.set(path, labels);
    return labels;
  };
  parser.on('error', () => {}); // it goes on; what is wrong is said when the feed is read
  /** Adds a name within the innermost `depth` open elements, and those around it. */
  function addName(depth: number, name: string): void {
    for (let level = 1; level <= Math.min(LEVELS, depth); level++) {
      const within = open.slice(depth - level + 1, depth).map((each) => each.local);
      labelsOf(open[depth - level]!.path).add([...within, name].join('/'));
    }
  }
  /** An element that has attributes, and nothing else, is no value itself. */
  function addElement(text = 'x'): void {
    const element = open.at(-1);
    if (!element || element.isNamed || text.trim() === '') return;
    element.isNamed = true;
    addName(open.length - 1, element.local);
  }
  parser.on('opentag', ({ name, attributes }) => {
    const local = localName(name);
    const path = [...open.map((each) => each.local), local].join('/');
    open.push({ path, local, isNamed: false });
    labelsOf(path);
    const names = Object.keys(attributes);
    for (const attribute of names) addName(open.length, `@${localName(attribute)}`);
    if (names.length === 0) addElement();
  });
  parser.on('text', addElement);
  parser.on('cdata', addElement);
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(regularXml(head, () => {}));
  return paths;
}
