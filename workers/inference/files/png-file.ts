import { deflateSync, inflateRawSync } from 'node:zlib';
import { pngChunk } from '../assembly.ts';
import type { ReadableFile } from './readable-file.ts';

type Xy = readonly [x: number, y: number];
type Vector = readonly [number, number, number];

/** What the values of a picture mean. */
interface Colours {
  primaries: { white: Xy; red: Xy; green: Xy; blue: Xy };
  /** Light by value, both 0..1; of HDR the light above the white of paper is cut off. */
  toLight: (value: number) => number;
}

const D65: Xy = [0.3127, 0.329];
const BT709 = { white: D65, red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] } as const;
/** Those of cICP, ITU-T H.273 table 2. */
const PRIMARIES: Readonly<Record<number, Colours['primaries']>> = {
  1: BT709,
  9: { white: D65, red: [0.708, 0.292], green: [0.17, 0.797], blue: [0.131, 0.046] },
  12: { white: D65, red: [0.68, 0.32], green: [0.265, 0.69], blue: [0.15, 0.06] },
};

/** Nits of white paper, and of the brightest light in PQ and HLG: ITU-R BT.2408, BT.2100. */
const [WHITE_NITS, PQ_NITS, HLG_NITS] = [203, 10_000, 1000];
const bt709 = (v: number) => (v < 0.081 ? v / 4.5 : ((v + 0.099) / 1.099) ** (1 / 0.45));
const srgb = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
function pq(v: number): number {
  const root = v ** (32 / 2523);
  const light = Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root);
  return (light ** (8192 / 1305) * PQ_NITS) / WHITE_NITS;
}
function hlg(v: number): number {
  const scene =
    v <= 0.5 ? (v * v) / 3 : (Math.exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return (scene ** 1.2 * HLG_NITS) / WHITE_NITS;
}
/** H.273 table 3. */
const TRANSFERS: Readonly<Record<number, Colours['toLight']>> = {
  1: bt709,
  4: (v) => v ** 2.2,
  5: (v) => v ** 2.8,
  6: bt709,
  8: (v) => v,
  13: srgb,
  14: bt709,
  15: bt709,
  16: pq,
  18: hlg,
};

/** Chunks that say what the values mean; the first one that is there counts. */
const COLOUR_CHUNKS: readonly string[] = ['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM'];
/** In gAMA and cHRM. */
const UNIT = 100_000;
/** Such small differences are those of writers that mean sRGB. */
const SRGB = { gamma: 0.45455, maxDifference: 0.01 };

const isAlike = (a: number, b: number) => Math.abs(a - b) <= SRGB.maxDifference;

function readPrimaries(chunk: Buffer | undefined): Colours['primaries'] {
  if (chunk?.length !== 32) return BT709;
  const xy = (n: number): Xy => [
    chunk.readUInt32BE(8 * n) / UNIT,
    chunk.readUInt32BE(8 * n + 4) / UNIT,
  ];
  const [white, red, green, blue] = [xy(0), xy(1), xy(2), xy(3)];
  const known = Object.values(BT709).flat();
  const isSrgb = [white, red, green, blue].flat().every((v, i) => isAlike(v, known[i]!));
  return isSrgb ? BT709 : { white, red, green, blue };
}

/** Returns what a PNG's values mean if it is neither sRGB nor said by a profile. */
function readColours(chunks: ReadonlyMap<string, Buffer>): Colours | undefined {
  const [cicp, gama] = [chunks.get('cICP'), chunks.get('gAMA')];
  const primaries = PRIMARIES[cicp?.[0] ?? -1];
  const toLight = TRANSFERS[cicp?.[1] ?? -1];
  if (primaries && toLight)
    return primaries === BT709 && toLight === srgb ? undefined : { primaries, toLight };
  if (chunks.has('iCCP') || chunks.has('sRGB') || gama?.length !== 4) return undefined;
  const gamma = gama.readUInt32BE() / UNIT;
  const chosen = readPrimaries(chunks.get('cHRM'));
  if (gamma <= 0 || (isAlike(gamma, SRGB.gamma) && chosen === BT709)) return undefined;
  return { primaries: chosen, toLight: (v) => v ** (1 / gamma) };
}

const xyzOf = ([x, y]: Xy): Vector => [x / y, 1, (1 - x - y) / y];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** The eye's cones after Bradford, and the white of profiles, D50. */
const CONES: readonly Vector[] = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const FROM_CONES: readonly Vector[] = [
  [0.9869929, -0.1470543, 0.1599627],
  [0.4323053, 0.5183603, 0.0492912],
  [-0.0085287, 0.0400428, 0.9684867],
];
const D50: Vector = [0.9642, 1, 0.8249];

const times = (rows: readonly Vector[], v: Vector): Vector => [
  dot(rows[0]!, v),
  dot(rows[1]!, v),
  dot(rows[2]!, v),
];

/** Returns the XYZ of full red, green and blue under D50; undefined if they are no colours. */
function colorants({ white, red, green, blue }: Colours['primaries']): Vector[] | undefined {
  const [r, g, b] = [xyzOf(red), xyzOf(green), xyzOf(blue)];
  const target = xyzOf(white);
  const volume = dot(r, cross(g, b));
  const amounts = [dot(target, cross(g, b)), dot(target, cross(b, r)), dot(target, cross(r, g))];
  const [from, to] = [times(CONES, target), times(CONES, D50)];
  const adapted = [r, g, b].map((v, i) => {
    const amount = amounts[i]! / volume;
    const cones = times(CONES, v).map((cone, c) => (cone * amount * to[c]!) / from[c]!);
    return times(FROM_CONES, cones as unknown as Vector);
  });
  return adapted.flat().every((v) => Math.abs(v) < 2) ? adapted : undefined;
}

const CURVE_POINTS = 4096;

function curveTag(toLight: Colours['toLight']): Buffer {
  const tag = Buffer.alloc(12 + 2 * CURVE_POINTS);
  tag.write('curv');
  tag.writeUInt32BE(CURVE_POINTS, 8);
  for (let i = 0; i < CURVE_POINTS; i++) {
    const light = Math.min(1, Math.max(0, toLight(i / (CURVE_POINTS - 1))));
    tag.writeUInt16BE(Math.round(65_535 * light), 12 + 2 * i);
  }
  return tag;
}

function xyzTag(v: Vector): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ');
  for (const [i, value] of v.entries()) tag.writeInt32BE(Math.round(65_536 * value), 8 + 4 * i);
  return tag;
}

const PROFILE_HEADER_BYTES = 128;

/** Makes an ICC profile, version 2.1. */
function profileOf({ primaries, toLight }: Colours, isGrey: boolean): Buffer | undefined {
  const curve = curveTag(toLight);
  const [red, green, blue] = colorants(primaries) ?? [];
  if (!red || !green || !blue) return undefined;
  const tags: [string, Buffer][] = isGrey
    ? [['kTRC', curve]]
    : [
        ['rXYZ', xyzTag(red)],
        ['gXYZ', xyzTag(green)],
        ['bXYZ', xyzTag(blue)],
        ['rTRC', curve],
        ['gTRC', curve],
        ['bTRC', curve],
      ];
  tags.push(['wtpt', xyzTag(D50)]);
  const header = Buffer.alloc(PROFILE_HEADER_BYTES + 4 + 12 * tags.length);
  header.writeUInt32BE(0x02100000, 8);
  header.write(`mntr${isGrey ? 'GRAY' : 'RGB '}XYZ `, 12);
  header.write('acsp', 36);
  xyzTag(D50).copy(header, 68, 8);
  header.writeUInt32BE(tags.length, PROFILE_HEADER_BYTES);
  const data = [...new Set(tags.map(([, tag]) => tag))];
  tags.forEach(([name, tag], i) => {
    const before = data.slice(0, data.indexOf(tag));
    const offset = before.reduce((sum, { length }) => sum + length, header.length);
    header.write(name, PROFILE_HEADER_BYTES + 4 + 12 * i);
    header.writeUInt32BE(offset, PROFILE_HEADER_BYTES + 8 + 12 * i);
    header.writeUInt32BE(tag.length, PROFILE_HEADER_BYTES + 12 + 12 * i);
  });
  const profile = Buffer.concat([header, ...data]);
  profile.writeUInt32BE(profile.length);
  return profile;
}

/**
 * Returns the chunk that says by a profile what `cICP`, or `gAMA` and `cHRM`, say, as decoders know profiles alone.
 * @param chunks by type, those before the pixels
 * @returns undefined if the values are sRGB, or have a profile, or mean nothing that is known
 */
function profileChunk(
  chunks: ReadonlyMap<string, Buffer>,
  isGrey: boolean,
): Uint8Array | undefined {
  const colours = readColours(chunks);
  const profile = colours && profileOf(colours, isGrey);
  if (!profile) return undefined;
  return pngChunk('iCCP', Buffer.concat([Buffer.from('png\0\0', 'latin1'), deflateSync(profile)]));
}

const SIGNATURE_BYTES = 8;
/** Signature and IHDR. */
const HEADER_BYTES = 33;
const FRAME_BYTES = 12;
const ZLIB_HEADER_BYTES = 2;
const MAX_CHUNKS = 65_536;

/** A chunk of a PNG; its data may be cut off. */
interface PngChunk {
  type: string;
  data: Uint8Array;
  start: number;
  /** Offset behind its checksum, which may lie behind the end of the file. */
  end: number;
}

function* pngChunks(image: Uint8Array): Generator<PngChunk> {
  const view = Buffer.from(image.buffer, image.byteOffset, image.length);
  let start = SIGNATURE_BYTES;
  for (let count = 0; count < MAX_CHUNKS && start + 8 <= image.length; count++) {
    const length = view.readUInt32BE(start);
    const end = start + FRAME_BYTES + length;
    const data = image.subarray(start + 8, end - 4);
    yield { type: view.toString('latin1', start + 4, start + 8), data, start, end };
    start = end;
  }
}

/** Ends a file that breaks off: decoders want the checksum of the last data and the end mark, which hold no pixel. */
function withEnd(image: Uint8Array): Uint8Array | undefined {
  let complete = SIGNATURE_BYTES;
  let last: Uint8Array = new Uint8Array();
  for (const { type, data, end } of pngChunks(image)) {
    if (type === 'IEND') return undefined;
    if (end <= image.length) complete = end;
    else if (type === 'IDAT') last = pngChunk(type, data);
  }
  return Buffer.concat([image.subarray(0, complete), last, pngChunk('IEND', new Uint8Array())]);
}

/** Offset of the colour type, and those without colour. */
const COLOUR_TYPE = { offset: 25, greys: [0, 4] };

/** What decoders do not look at, where they do: an orientation behind the pixels, colours that are said by no profile. */
function withKnownChunks(image: Uint8Array): Uint8Array {
  const before = new Map<string, PngChunk>();
  let hasPixels = false;
  let exif: Uint8Array | undefined;
  for (const chunk of pngChunks(image)) {
    if (chunk.type === 'IDAT') hasPixels = true;
    else if (!hasPixels) before.set(chunk.type, chunk);
    else if (chunk.type === 'eXIf') exif = chunk.data;
  }
  const colours = COLOUR_CHUNKS.flatMap((type) => before.get(type) ?? []);
  const profile = profileChunk(
    new Map(colours.map(({ type, data }) => [type, Buffer.from(data)])),
    COLOUR_TYPE.greys.includes(image[COLOUR_TYPE.offset]!),
  );
  if (!profile && (!exif || before.has('eXIf'))) return image;
  const parts = [image.subarray(0, HEADER_BYTES)];
  if (profile) parts.push(profile);
  if (exif && !before.has('eXIf')) parts.push(pngChunk('eXIf', exif));
  let from = HEADER_BYTES;
  const dropped = profile ? colours.sort((a, b) => a.start - b.start) : [];
  for (const { start, end } of dropped) {
    parts.push(image.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...parts, image.subarray(from)]);
}

/** Channels by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes of pixels that are decompressed to see whether they are whole. */
const MAX_PIXEL_BYTES = 256 * 1024 * 1024;

/** Writes the checksum of all pixels anew, if they are whole and that of each chunk is right: it holds no pixel. */
function withChecksum(image: Uint8Array): Uint8Array | undefined {
  const view = Buffer.from(image.buffer, image.byteOffset, image.length);
  const parts: Uint8Array[] = [];
  let first = 0;
  for (const { type, data, start, end } of pngChunks(image)) {
    if (type !== 'IDAT') continue;
    if (!view.subarray(start, end).equals(pngChunk(type, data))) return undefined;
    first ||= start;
    parts.push(data);
  }
  const [width, height] = [view.readUInt32BE(16), view.readUInt32BE(20)];
  const bits = (CHANNELS[image[COLOUR_TYPE.offset]!] ?? 0) * image[COLOUR_TYPE.offset - 1]!;
  const size = height * (1 + Math.ceil((width * bits) / 8));
  if (isInterlaced(image) || first === 0 || size > MAX_PIXEL_BYTES) return undefined;
  try {
    const data = Buffer.concat(parts).subarray(ZLIB_HEADER_BYTES);
    const rows = inflateRawSync(data, { maxOutputLength: size });
    if (rows.length !== size) return undefined;
    const pixels = pngChunk('IDAT', deflateSync(rows, { level: 0 }));
    return Buffer.concat([image.subarray(0, first), pixels, pngChunk('IEND', new Uint8Array())]);
  } catch {
    return undefined; // pixels are missing, or damaged
  }
}

/** Interlaced ones are decoded in passes. */
const isInterlaced = (image: Uint8Array): boolean => image[28] !== 0;

export function pngFile(image: Uint8Array): ReadableFile {
  const bytes = withKnownChunks(image);
  return {
    bytes,
    failOn: 'error',
    isDamaged: false,
    isByRows: !isInterlaced(image),
    mended() {
      const ended = withEnd(bytes);
      return withChecksum(ended ?? bytes) ?? ended;
    },
  };
}
