import { FEED_LIMITS, type RecordChunk } from '../../src/feed-formats/chunk.ts';
import { columnOf } from '../../src/feed-formats/columns.ts';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { xmlSplitter } from '../../src/feed-formats/xml.ts';
import { xmlTokenizer } from '../../src/feed-formats/xml-tokens.ts';
import { checkRewrite, checkSplit } from './splitting.ts';
import type { Input } from './target.ts';

// biome-ignore format: a list reads best in lines
export const dictionary = [
  '<rss>', '<channel>', '<item>', '</item>', '<item/>', '</channel></rss>', '<g:id>', '</g:id>',
  '<feed xmlns="http://www.w3.org/2005/Atom">', '<entry>', '</entry>', '</feed>', 'xmlns:g=',
  '"http://base.google.com/ns/1.0"', '<![CDATA[', ']]>', '<!--', '-->', '<?', '?>', '<!DOCTYPE',
  '&amp;', '&#38;', '&#x0;', '&', '/>', '<rdf:RDF>', 'xmlns=""', ']]', '--', '="', "='",
];

const rss = (items: string) =>
  `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>${items}</channel></rss>`;

export const seeds: readonly Input[] = [
  rss('<item><g:id>1</g:id><g:image_link>https://a.test/?a=1&amp;b=2</g:image_link></item>'),
  rss('<item><title lang=">">a<![CDATA[</item>]]></title><!-- </item> --><x/></item> text <?pi ?>'),
  rss("<item><id>c</id><bad></item><item a='\"/>'><item>inner</item>&unknown; & </item><item/>"),
  '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>ä</id><link href="x"/></entry></feed>',
  '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item><title>a</title></item></rdf:RDF>',
  '<!DOCTYPE rss [<!ENTITY a "aaaa">]><rss/>',
  '<rss><channel><item><a><b><c><d>deep</d></c></b></a></item></channel></rss>',
];

export const regressions: readonly Input[] = [
  // An element and one in it were both rewritten, one over the other.
  rss('<item><g:id>1</g:id><a>x<b>y</b></a><c><d/></c></item>'),
  // The value of an attribute was written where there is no element.
  rss('<item id="1" a = \'"&amp;\'><b/></item>'),
];

const encoding = detectEncoding(Buffer.alloc(0));

/** The elements of an item that have elements in them. */
function containers({ raw }: RecordChunk): Set<number> {
  const found = new Set<number>();
  const open: number[] = [];
  let elements = -1; // the item itself
  for (const token of xmlTokenizer().push(raw)) {
    if (token.kind !== 'tag') continue;
    if (token.raw.startsWith('</')) open.pop();
    else {
      const outer = open.at(-1);
      if (outer !== undefined) found.add(outer);
      if (!token.raw.endsWith('/>')) open.push(elements);
      elements += 1;
    }
  }
  found.delete(-1);
  return found;
}

export function fuzz(input: Buffer): void {
  const format = input.includes('<feed') ? 'atom' : 'rss';
  const open = (maxRowBytes: number) =>
    xmlSplitter({
      format,
      encoding,
      limits: { ...FEED_LIMITS, maxRowBytes, maxDepth: 5 },
      columnOf,
    });
  checkSplit(open, input);
  checkRewrite(open, input, containers);
}
