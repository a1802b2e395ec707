import { SaxesParser, type SaxesTagNS } from 'saxes';
import { excerpt, FeedError, type FeedPosition, type NoteCode } from './feed-error.ts';
import { isAt } from './item-paths.ts';
import { regularXml, saxesMessage } from './xml-item.ts';

export type XmlFormat = 'rss' | 'atom' | 'xml';

/** Paths from the root to a row, by local names; RSS 1.0 has no channel around its items. */
export const ITEM_PATHS: Readonly<Record<'rss' | 'atom', readonly string[]>> = {
  rss: ['rss/channel/item', 'RDF/item'],
  atom: ['feed/entry'],
};

export const GOOGLE = 'http://base.google.com/ns/1.0';
/** What feeds have as Google's namespace. */
const GOOGLE_SPELLINGS = /^https?:\/\/base\.google\.com\/ns\/1\.0\/?$/i;

/** Namespaces of a format's own elements. Atom 0.3 is old, but Google still accepts it. */
const NAMESPACES: Readonly<Record<'rss' | 'atom', readonly string[]>> = {
  rss: ['http://purl.org/rss/1.0', 'http://backend.userland.com/rss2'],
  atom: ['http://www.w3.org/2005/Atom', 'http://purl.org/atom/ns#'],
};

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** The namespace of a prefix that is not declared: none that counts. */
const UNDECLARED = 'urn:undeclared';

export const isGoogle = (uri: string): boolean =>
  uri === GOOGLE || (uri !== '' && GOOGLE_SPELLINGS.test(uri));

/** Whether a namespace is that of a format's own elements: none, the format's, or Google's as the default one. */
const isOwn = (format: XmlFormat, uri: string): boolean =>
  format === 'xml' ||
  uri === '' ||
  isGoogle(uri) ||
  NAMESPACES[format].includes(uri.replace(/^https/, 'http').replace(/\/$/, ''));

const rootError = (format: XmlFormat, name: string): string =>
  name.toLowerCase() === 'html'
    ? 'This is an HTML page, not a feed'
    : `The root element ${excerpt(name)} is not that of ${format === 'rss' ? 'RSS' : 'Atom'}`;

/**
 * Parses the elements around the items: their tags, and only the first and last tag of an item.
 * @param paths of local names from the root to a row
 * @param takeNote takes note of what is not written as it should be
 * @param position of the last tag
 */
export function xmlEnvelope(
  format: XmlFormat,
  paths: readonly string[],
  maxDepth: number,
  takeNote: (code: NoteCode) => void,
  position: () => FeedPosition,
) {
  /** Undeclared prefixes; `g` can only be Google's. */
  function resolvePrefix(prefix: string): string | undefined {
    if (prefix === '' || prefix === 'xmlns') return undefined;
    takeNote('undeclared-prefix');
    return prefix === 'g' ? GOOGLE : UNDECLARED;
  }
  const parser = new SaxesParser({ xmlns: true, resolvePrefix });
  const path: string[] = [];
  let row: string | undefined;
  let closed: string | undefined;

  parser.on('error', ({ message }) => {
    throw new FeedError(
      'malformed-xml',
      `The XML is malformed: ${saxesMessage(message)}`,
      position(),
    );
  });
  parser.on('closetag', ({ name }) => {
    path.pop();
    if (path.length === 0) closed = name;
  });
  parser.on('opentag', ({ name, local, uri }: SaxesTagNS) => {
    if (path.length === maxDepth) {
      const detail = `Elements are nested more than ${maxDepth} deep`;
      throw new FeedError('too-deep', detail, position());
    }
    path.push(local);
    if (path.length === 1) {
      const isRoot = paths.some((each) => each.startsWith(`${local}/`));
      if (!isRoot || !(uri === RDF || isOwn(format, uri)))
        throw new FeedError('unknown-format', rootError(format, name), position());
      if (isGoogle(uri) || (format === 'atom' && uri === '')) takeNote('namespace');
    }
    if (isOwn(format, uri) && paths.some((each) => isAt(path.join('/'), each))) row = uri;
  });

  return {
    /**
     * Reads one tag.
     * @returns the namespace of the row it opens; undefined if it opens none
     * @throws FeedError malformed-xml, too-deep, unknown-format
     */
    take(tag: string): string | undefined {
      row = undefined;
      parser.write(regularXml(tag, takeNote));
      return row;
    },
    /** Returns the namespace of a prefix in the scope of the last tag; Google's if that is meant. */
    resolve(prefix: string): string | undefined {
      const uri = parser.resolve(prefix);
      const isMeant =
        uri !== undefined && (isGoogle(uri) || (prefix === 'g' && /google/i.test(uri)));
      if (uri === GOOGLE || !isMeant) return uri;
      takeNote('namespace');
      return GOOGLE;
    },
    /** The root as it is written, once it is closed. */
    closedRoot: () => closed,
    /** @throws FeedError malformed-xml, if elements are still open */
    end: () => void parser.close(),
  };
}
