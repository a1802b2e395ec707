import { SaxesParser, type SaxesTagNS } from 'saxes';
import { excerpt, FeedError, type FeedPosition } from './feed-error.ts';
import { saxesMessage } from './xml-item.ts';

export type XmlFormat = 'rss' | 'atom';

/** Paths from the root to a row, by local names; RSS 1.0 has no channel around its items. */
const PATHS: Readonly<Record<XmlFormat, readonly string[]>> = {
  rss: ['rss/channel/item', 'RDF/item'],
  atom: ['feed/entry'],
};

/** Namespaces of a format's own elements. Atom 0.3 is old, but Google still accepts it. */
const NAMESPACES: Readonly<Record<XmlFormat, readonly string[]>> = {
  rss: ['', 'http://purl.org/rss/1.0/', 'http://backend.userland.com/rss2'],
  atom: ['http://www.w3.org/2005/Atom', 'http://purl.org/atom/ns#'],
};

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';

/** Parses the elements around the items: their tags, and only the first and last tag of an item. */
interface Envelope {
  /**
   * Reads one tag.
   * @returns the namespace of the row it opens; undefined if it opens none
   * @throws FeedError malformed-xml, too-deep, unknown-format
   */
  take(tag: string, position: FeedPosition): string | undefined;
  /** Returns the namespace of a prefix in the scope of the last tag. */
  resolve(prefix: string): string | undefined;
  /** @throws FeedError malformed-xml, if elements are still open */
  end(position: FeedPosition): void;
}

const isRoot = (format: XmlFormat, local: string, uri: string): boolean =>
  PATHS[format].some((path) => path.startsWith(`${local}/`)) &&
  [...NAMESPACES[format], RDF].includes(uri);

const rootError = (format: XmlFormat, name: string): string =>
  name.toLowerCase() === 'html'
    ? 'This is an HTML page, not a feed'
    : `The root element ${excerpt(name)} is not that of ${format === 'rss' ? 'RSS' : 'Atom'}`;

export function xmlEnvelope(format: XmlFormat, maxDepth: number): Envelope {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  let position: FeedPosition = { line: 1, column: 1 };
  let row: string | undefined;

  parser.on('error', ({ message }) => {
    throw new FeedError(
      'malformed-xml',
      `The XML is malformed: ${saxesMessage(message)}`,
      position,
    );
  });
  parser.on('closetag', () => {
    path.pop();
  });
  parser.on('opentag', ({ name, local, uri }: SaxesTagNS) => {
    if (path.length === maxDepth) {
      const detail = `Elements are nested more than ${maxDepth} deep`;
      throw new FeedError('too-deep', detail, position);
    }
    path.push(local);
    if (path.length === 1 && !isRoot(format, local, uri)) {
      throw new FeedError('unknown-format', rootError(format, name), position);
    }
    if (NAMESPACES[format].includes(uri) && PATHS[format].includes(path.join('/'))) row = uri;
  });

  return {
    take(tag, at) {
      position = at;
      row = undefined;
      parser.write(tag);
      return row;
    },
    resolve: (prefix) => parser.resolve(prefix),
    end(at) {
      position = at;
      parser.close();
    },
  };
}
