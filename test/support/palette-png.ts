import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const ends = [Buffer.alloc(4), Buffer.alloc(4)];
  ends[0]!.writeUInt32BE(data.length);
  ends[1]!.writeUInt32BE(crc32(body));
  return Buffer.concat([ends[0]!, body, ends[1]!]);
}

/** Encodes a PNG whose pixels are places in a palette of four colours. */
export function palettePng(rows: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(rows[0]!.length, 0);
  header.writeUInt32BE(rows.length, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from([0, 0, 0, 200, 30, 30, 30, 200, 30, 200, 30, 31]);
  const lines = Buffer.from(rows.flatMap((row) => [0, ...row]));
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
