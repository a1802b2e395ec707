import { columnOf } from '../../src/feed-formats/columns.ts';
import { csvSplitter } from '../../src/feed-formats/csv.ts';
import { detectEncoding } from '../../src/feed-formats/encoding.ts';
import { checkRewrite, checkSplit } from './splitting.ts';
import type { Input } from './target.ts';

export const dictionary = ['id', 'image_link', 'title', '\t', '""', '"\r\n', ',"', '",', ';', '|'];

export const seeds: readonly Input[] = [
  'id,title,image_link\r\n1,"a ""quoted"", word","https://a.test/1.jpg"\r\n\r\n2,b,c\r\n',
  'id\ttitle\timage_link\n1\t5" nails\thttps://a.test/1.jpg\n2\t"b"c\td\n',
  'id;title;color\n1;"two\nlines";red\n2;"never closed;red\n3;c\n',
  'id|title\n\n|\n1|x\n1\n',
  'id,title\nä,\xff\n"",""\n',
];

export const regressions: readonly Input[] = [];

const encoding = detectEncoding(Buffer.alloc(0));
const required = { id: 'id' };
const open = (maxRowBytes: number) => csvSplitter({ encoding, maxRowBytes, columnOf, required });

export function fuzz(input: Buffer): void {
  checkSplit(open, input);
  checkRewrite(open, input);
}
