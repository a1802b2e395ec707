import { SaxesParser, type SaxesTagNS } from 'saxes';
import { FeedError, type FeedPosition, shown } from './feed-error.ts';
import { saxesWords } from './xml-item.ts';

export type XmlFormat = 'rss' | 'atom';

/** The way from the root to a row, by local names; RSS 1.0 has no channel around its items. */
const PATHS: Readonly<Record<XmlFormat, readonly string[]>> = {
  rss: ['rss/channel/item', 'RDF/item'],
  atom: ['feed/entry'],
};

/** Namespaces that a format's own elements may be in. Atom 0.3 is old, and Google still takes it. */
const NAMESPACES: Readonly<Record<XmlFormat, readonly string[]>> = {
  rss: ['', 'http://purl.org/rss/1.0/', 'http://backend.userland.com/rss2'],
  atom: ['http://www.w3.org/2005/Atom', 'http://purl.org/atom/ns#'],
};

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** The elements around the items: it sees their tags, and of an item no more than its first and last. */
export interface Envelope {
  /**
   * Reads one tag.
   * @returns the namespace of the row it opens, or undefined when it opens none
   * @throws FeedError malformed-xml, too-deep, unknown-format
   */
  take(tag: string, place: FeedPosition): string | undefined;
  /** What a prefix means where the last tag stands. */
  resolve(prefix: string): string | undefined;
  /** @throws FeedError malformed-xml, when elements are still open */
  end(place: FeedPosition): void;
}

const isRoot = (format: XmlFormat, local: string, uri: string): boolean =>
  PATHS[format].some((way) => way.startsWith(`${local}/`)) &&
  [...NAMESPACES[format], RDF].includes(uri);

const rootFault = (format: XmlFormat, name: string): string =>
  name.toLowerCase() === 'html'
    ? 'This is an HTML page, not a feed'
    : `The root element is ${shown(name)}, which is not the one of ${format === 'rss' ? 'RSS' : 'Atom'}`;

export function xmlEnvelope(format: XmlFormat, maxDepth: number): Envelope {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  let place: FeedPosition = { line: 1, column: 1 };
  let row: string | undefined;

  parser.on('error', ({ message }) => {
    throw new FeedError('malformed-xml', `The XML is malformed: ${saxesWords(message)}`, place);
  });
  parser.on('closetag', () => {
    path.pop();
  });
  parser.on('opentag', ({ name, local, uri }: SaxesTagNS) => {
    if (path.length === maxDepth) {
      const detail = `Elements are nested more than ${maxDepth} deep`;
      throw new FeedError('too-deep', detail, place);
    }
    path.push(local);
    if (path.length === 1 && !isRoot(format, local, uri)) {
      throw new FeedError('unknown-format', rootFault(format, name), place);
    }
    if (NAMESPACES[format].includes(uri) && PATHS[format].includes(path.join('/'))) row = uri;
  });

  return {
    take(tag, at) {
      place = at;
      row = undefined;
      parser.write(tag);
      return row;
    },
    resolve: (prefix) => parser.resolve(prefix),
    end(at) {
      place = at;
      parser.close();
    },
  };
}
