import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import type { Random } from '../faults/random.ts';
import { drawnShirt, transparentShirt } from '../support/images.ts';

/** An image made to break decoders. */
export interface MaliciousImage {
  what: string;
  bytes: Buffer;
}

/** A valid image that damaged ones are made from. */
export interface ValidImage {
  what: string;
  bytes: Buffer;
}

const SIDE = { width: 96, height: 72 } as const;

/** Returns one valid image of each accepted kind. */
export async function drawValidImages(): Promise<ValidImage[]> {
  const shirt = await drawnShirt({ ...SIDE, format: 'png' });
  const clear = await transparentShirt({ ...SIDE, format: 'png' });
  const from = (image: Buffer) => sharp(image);
  // biome-ignore format: a table reads best aligned
  const made: [what: string, image: Promise<Buffer>][] = [
    ['JPEG',             from(shirt).jpeg().toBuffer()],
    ['progressive JPEG', from(shirt).jpeg({ progressive: true }).toBuffer()],
    ['CMYK JPEG',        from(shirt).toColourspace('cmyk').jpeg().toBuffer()],
    ['grey JPEG',        from(shirt).greyscale().jpeg().toBuffer()],
    ['JPEG with EXIF',   from(shirt).withExif({ IFD0: { Copyright: 'nobody', Orientation: '6' } }).jpeg().toBuffer()],
    ['JPEG with ICC',    from(shirt).withIccProfile('p3').jpeg().toBuffer()],
    ['PNG',              Promise.resolve(shirt)],
    ['clear PNG',        Promise.resolve(clear)],
    ['palette PNG',      from(shirt).png({ palette: true }).toBuffer()],
    ['interlaced PNG',   from(clear).png({ progressive: true }).toBuffer()],
    ['16-bit PNG',       from(shirt).toColourspace('rgb16').png().toBuffer()],
    ['PNG with ICC',     from(shirt).withIccProfile('p3').png().toBuffer()],
    ['WebP',             from(shirt).webp().toBuffer()],
    ['lossless WebP',    from(clear).webp({ lossless: true }).toBuffer()],
    ['WebP with EXIF',   from(shirt).withExif({ IFD0: { Copyright: 'nobody' } }).webp().toBuffer()],
    ['animated WebP',    sharp([shirt, shirt, shirt], { join: { animated: true } }).webp().toBuffer()],
  ];
  return Promise.all(made.map(async ([what, image]) => ({ what, bytes: await image })));
}

/** A PNG chunk with correct length and CRC. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

const SIGNATURE_BYTES = 8;
const HEADER_END = 33;

const behindHeader = (png: Buffer, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, HEADER_END), ...chunks, png.subarray(HEADER_END)]);

/** The chunks of a valid PNG. */
function chunksOf(png: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    chunks.push(png.subarray(at, end));
    at = end;
  }
  return chunks;
}

function pngOf(width: number, height: number, depth: number, colour: number, data: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...[pngChunk('IHDR', header), pngChunk('IDAT', data), pngChunk('IEND', Buffer.alloc(0))],
  ]);
}

/** A segment of a JPEG, at most 65,533 bytes of data. */
function jpegSegment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

const behindStart = (jpeg: Buffer, ...segments: Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

const iccPart = (at: number, of: number, data: Buffer) =>
  jpegSegment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0'), Buffer.from([at, of]), data]));
const exif = (data: Buffer) => jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), data]));

/** An EXIF directory whose entries are given as `[tag, type, count, value]`, and where the next one is. */
function tiff(entries: readonly [number, number, number, number][], next = 0): Buffer {
  const bytes = Buffer.alloc(8 + 2 + 12 * entries.length + 4);
  bytes.write('MM\0*\0\0\0\x08', 'latin1');
  bytes.writeUInt16BE(entries.length, 8);
  for (const [at, [tag, type, count, value]] of entries.entries()) {
    bytes.writeUInt16BE(tag, 10 + 12 * at);
    bytes.writeUInt16BE(type, 12 + 12 * at);
    bytes.writeUInt32BE(count, 14 + 12 * at);
    bytes.writeUInt32BE(value, 18 + 12 * at);
  }
  bytes.writeUInt32BE(next, bytes.length - 4);
  return bytes;
}

/** Images that each attack a known weakness of decoders. */
export async function craftImages(sound: readonly ValidImage[]): Promise<MaliciousImage[]> {
  const of = (what: string) => sound.find((picture) => picture.what === what)!.bytes;
  const [jpeg, png, webp] = [of('JPEG'), of('PNG'), of('WebP')];
  const chunks = chunksOf(png);
  const signature = png.subarray(0, SIGNATURE_BYTES);
  const noise = Buffer.alloc(60_000, 0x5a);
  const zip = Buffer.concat([
    Buffer.from('504b0304', 'hex'),
    deflateRawSync(Buffer.alloc(1000)),
    Buffer.from('504b0506', 'hex'),
    Buffer.alloc(18),
  ]);
  const thumb = Buffer.concat([
    tiff([[0x112, 3, 1, 6 << 16]], 30),
    tiff([
      [0x201, 4, 1, 60],
      [0x202, 4, 1, 500],
    ]),
    jpeg.subarray(0, 500),
  ]);
  const frame = await sharp(png).resize(8, 8).raw().toBuffer();
  // biome-ignore format: a table reads best aligned
  const made: [what: string, bytes: Buffer][] = [
    ['a PNG and a page',            Buffer.concat([png, Buffer.from('<html><script>alert(1)</script>')])],
    ['a PNG with a page inside',    behindHeader(png, pngChunk('tEXt', Buffer.from('a\0<script>alert(1)</script>')))],
    ['a PNG and an archive',        Buffer.concat([png, zip])],
    ['a JPEG and an archive',       Buffer.concat([jpeg, zip])],
    ['a JPEG with PHP as comment',  behindStart(jpeg, jpegSegment(0xfe, Buffer.from('<?php system($_GET[0]); ?>')))],
    ['a GIF that begins as a JPEG', Buffer.concat([Buffer.from('ffd8ff', 'hex'), Buffer.from('GIF89a')])],
    ['two JPEGs',                   Buffer.concat([jpeg, jpeg])],
    ['a JPEG in a JPEG',            behindStart(jpeg, jpegSegment(0xe0, jpeg.subarray(0, 3000)))],
    ['garbage as ICC in a JPEG',    behindStart(jpeg, iccPart(1, 1, noise))],
    ['5 MB of ICC in a JPEG',       behindStart(jpeg, ...Array.from({ length: 85 }, (_, at) => iccPart(at + 1, 85, noise)))],
    ['ICC in wrong order',          behindStart(jpeg, iccPart(3, 2, noise), iccPart(0, 0, noise), iccPart(255, 1, noise))],
    ['an ICC without an end',       behindStart(jpeg, iccPart(1, 255, noise))],
    ['garbage as ICC in a PNG',     behindHeader(png, pngChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(noise)])))],
    ['an ICC bomb in a PNG',        behindHeader(png, pngChunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100e6))])))],
    ['a text bomb in a PNG',        behindHeader(png, pngChunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(100e6))])))],
    ['100,000 chunks of text',      behindHeader(png, Buffer.concat(Array(100_000).fill(pngChunk('tEXt', Buffer.from('a\0b')))))],
    ['garbage as EXIF',             behindStart(jpeg, exif(noise))],
    ['EXIF that leads to itself',   behindStart(jpeg, exif(tiff([[0x8769, 4, 1, 8], [0x112, 3, 1, 6 << 16]], 8)))],
    ['EXIF past its end',           behindStart(jpeg, exif(tiff([[0x10e, 2, 0xffffffff, 0xfffffff0], [0x112, 3, 1, 99 << 16]], 0xffffffff)))],
    ['EXIF of 65,535 entries',      behindStart(jpeg, exif(Buffer.from('4d4d002a00000008ffff', 'hex')))],
    ['EXIF with a thumbnail',       behindStart(jpeg, exif(thumb))],
    ['chunks in reverse',           Buffer.concat([signature, ...[...chunks].reverse()])],
    ['a PNG whose end is first',    Buffer.concat([signature, chunks.at(-1)!, ...chunks])],
    ['two headers',                 Buffer.concat([signature, chunks[0]!, ...chunks])],
    ['no data',                     Buffer.concat([signature, ...chunks.filter((chunk) => chunk.toString('latin1', 4, 8) !== 'IDAT')])],
    ['a critical chunk unknown',    behindHeader(png, pngChunk('XXXX', noise))],
    ['a chunk of 4 GB in words',    behindHeader(png, Buffer.from('ffffffff49444154', 'hex'))],
    ['APNG',                        behindHeader(png, pngChunk('acTL', Buffer.from('ffffffffffffffff', 'hex')), pngChunk('fcTL', Buffer.alloc(26, 0xff)), pngChunk('fdAT', noise))],
    ['a palette that is not there', pngOf(8, 8, 8, 3, deflateSync(Buffer.alloc(72)))],
    ['a bit depth that is none',    pngOf(8, 8, 7, 2, deflateSync(frame))],
    ['a colour type that is none',  pngOf(8, 8, 8, 5, deflateSync(frame))],
    ['more data than pixels',       pngOf(8, 8, 8, 2, deflateSync(Buffer.alloc(50e6)))],
    ['fewer data than pixels',      pngOf(1000, 1000, 8, 2, deflateSync(Buffer.alloc(10)))],
    ['data that is not packed',     pngOf(8, 8, 8, 2, noise)],
    ['a PNG of 0 x 0',              pngOf(0, 0, 8, 2, deflateSync(Buffer.alloc(0)))],
    ['a PNG of 2^31 x 2^31',        pngOf(0x80000000, 0x80000000, 8, 2, deflateSync(frame))],
    ['a bomb of one colour',        pngOf(16_000, 16_000, 1, 0, deflateSync(Buffer.alloc(2001 * 16_000)))],
    ['a WebP longer than it says',  Buffer.concat([webp, noise])],
    ['a WebP of 4 GB in words',     Buffer.concat([webp.subarray(0, 4), Buffer.from('ffffffff', 'hex'), webp.subarray(8)])],
    ['a WebP without a picture',    Buffer.concat([Buffer.from('RIFF\x0c\0\0\0WEBPVP8X', 'latin1')])],
    ['a WebP of unknown chunks',    Buffer.concat([webp.subarray(0, 12), Buffer.from('ABCD\xff\xff\xff\x7f', 'latin1'), webp.subarray(12)])],
    ['a JPEG of 65,535 a side',     resized(jpeg, 65_535, 65_535)],
    ['a JPEG of no size',           resized(jpeg, 0, 0)],
    ['1,000 scans',                 Buffer.concat([jpeg.subarray(0, -2), ...Array(1000).fill(jpeg.subarray(jpeg.indexOf(Buffer.from('ffda', 'hex')), -2)), Buffer.from('ffd9', 'hex')])],
    ['first bytes and nothing else', Buffer.from('ffd8ffe0', 'hex')],
  ];
  return made.map(([what, bytes]) => ({ what, bytes }));
}

/** A JPEG whose header has another size. */
function resized(jpeg: Buffer, width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg);
  const at = bytes.indexOf(Buffer.from('ffc0', 'hex'));
  bytes.writeUInt16BE(height, at + 5);
  bytes.writeUInt16BE(width, at + 7);
  return bytes;
}

type Damage = (bytes: Buffer, random: Random) => Buffer;

/** Ways to damage any image; the same random numbers damage it in the same way. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut short': (bytes, random) => bytes.subarray(0, 4 + random.below(bytes.length - 4)),
  'bits turned': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    for (let left = 1 + random.below(20); left > 0; left--)
      damaged[random.below(damaged.length)]! ^= 1 << random.below(8);
    return damaged;
  },
  'a length changed': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    const value = random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff, random.below(0xffff)]);
    damaged.writeUInt32BE(value, random.below(Math.min(400, damaged.length - 4)));
    return damaged;
  },
  'a stretch repeated': (bytes, random) => {
    const at = random.below(bytes.length);
    const chunk = bytes.subarray(at, at + 1 + random.below(300));
    return Buffer.concat([
      bytes.subarray(0, at),
      ...Array(1 + random.below(50)).fill(chunk),
      bytes.subarray(at),
    ]);
  },
  'a stretch left out': (bytes, random) => {
    const at = 4 + random.below(bytes.length - 4);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(200))]);
  },
  'a stretch of noise': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    const at = random.below(damaged.length);
    for (let i = at; i < Math.min(damaged.length, at + 64); i++) damaged[i] = random.below(256);
    return damaged;
  },
};

/** A valid image damaged in one or two ways. */
export function damageImage(sound: readonly ValidImage[], random: Random): MaliciousImage {
  const picture = random.pick(sound);
  const ways = Object.entries(DAMAGES);
  const chosen = random.next() < 0.3 ? [random.pick(ways), random.pick(ways)] : [random.pick(ways)];
  const bytes = chosen.reduce(
    (so, [, damage]) => (so.length > 8 ? damage(so, random) : so),
    picture.bytes,
  );
  return { what: `${picture.what}, ${chosen.map(([name]) => name).join(', ')}`, bytes };
}
