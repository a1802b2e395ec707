/*
 * Filters rows of RGBA pixels as PNG does and compresses them (zlib, RFC 1950 and 1951), a pixel at once: `Up`, then
 * repetitions of whole pixels, then the best prefix code of every block. `npm run build:wasm` compiles it.
 *
 * AssemblyScript: TypeScript with the types of WebAssembly. Names of memory are addresses.
 */

import { assignBits, assignCodes, count } from './prefix-codes.ts';

/** Pixels in a block: each has a code of its own, and repeats nothing of another. */
const BLOCK: i32 = 1 << 15;
const WINDOW: i32 = 1 << 15;
/** Pixels that one repetition may have: 258 bytes. */
const MAX_REPEATED: i32 = 64;
const HASH_BITS: i32 = 11;
const HASH_FACTOR: i32 = 0x9e3779b1;
const FILTER_UP: i32 = 2;
const ADLER: u64 = 65521;
/** Deflate, a window of 32 KiB, no dictionary, the fastest algorithm. */
const HEADER: u64 = 0x0178;

/** Symbols of literals and lengths, of distances, and of the lengths of codes. */
const LITERALS: i32 = 286;
const DISTANCES: i32 = 30;
const CODE_LENGTHS: i32 = 19;
const END: i32 = 256;
const LONGEST: i32 = 258;
/** Four codes of pixels, and the seven bits before them, are in 64 bits. */
const MAX_BITS: i32 = 14;

/**
 * Tokens: 32 bits of what follows, and above them what it is: bytes to repeat, or one of these. A repetition has the
 * symbol of its distance above 16 bits of what follows that.
 */
const PIXEL: i32 = 0;
const BYTE: i32 = 1;
const ZEROS: i32 = 2;

/** The last pixel of each hash: itself, its place in `words`, the end of its row, and its byte less four times its place. */
const TABLE_BYTES: i32 = 16 << HASH_BITS;
const TABLE = memory.data(TABLE_BYTES) as i32;
/** Counts of all symbols, then of the bytes of pixels by channel: 32 bits each. */
const COUNTS_BYTES: i32 = 4 * (LITERALS + DISTANCES + CODE_LENGTHS) + 3 * 1024;
const LITERAL_COUNTS = memory.data(COUNTS_BYTES) as i32;
const DISTANCE_COUNTS = LITERAL_COUNTS + 4 * LITERALS;
const LENGTH_COUNTS = DISTANCE_COUNTS + 4 * DISTANCES;
const CHANNELS = LENGTH_COUNTS + 4 * CODE_LENGTHS;
/** How many bits the code of each symbol has, a byte each, and the codes, as `assignCodes` writes them. */
const BITS = memory.data(LITERALS + DISTANCES) as i32;
const LENGTH_BITS = memory.data(CODE_LENGTHS) as i32;
const LITERAL_CODES = memory.data(4 * LITERALS, 4) as i32;
const DISTANCE_CODES = memory.data(4 * DISTANCES, 4) as i32;
const LENGTH_CODES = memory.data(4 * CODE_LENGTHS, 4) as i32;
/** Code and bits of lengths of 4, 8, 12 bytes and so on, 32 bits each: their number is in the last five. */
const REPEATED_CODES = memory.data(4 * (MAX_REPEATED + 1), 4) as i32;
/** The order in which the lengths of the code of lengths are written, a byte each. */
const ORDER = memory.data<u8>([
  16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
]) as i32;

let width: i32 = 0;
/** A row's colours, three bytes a pixel, and its alpha; and the row above, RGBA. */
export let colours: i32 = 0;
export let alpha: i32 = 0;
let above: i32 = 0;
/** Filtered pixels of this block, its tokens, and what was compressed. */
let words: i32 = 0;
let tokens: i32 = 0;
export let out: i32 = 0;

let used: i32 = 0;
let tokensEnd: i32 = 0;
let zeros: i32 = 0;
/** Bytes before the row. */
let position: i32 = 0;
/** Where the row above is visible. */
let aboveFrom: i32 = 0;
let aboveTo: i32 = 0;
let hold: u64 = 0;
let held: i32 = 0;
let end: i32 = 0;
let adlerLow: u64 = 1;
let adlerHigh: u64 = 0;

/** Begins an image. Nothing of another one is left. */
export function begin(columns: i32): void {
  memory.fill(TABLE, 0, TABLE_BYTES);
  memory.fill(LITERAL_COUNTS, 0, COUNTS_BYTES);
  used = held = position = aboveTo = 0;
  zeros = 0;
  hold = adlerHigh = 0;
  adlerLow = 1;
  width = aboveFrom = columns;
  // Four pixels at once reach three behind the row.
  const rowBytes = (4 * columns + 31) & ~15;
  colours = __heap_base as i32;
  alpha = colours + rowBytes;
  above = alpha + rowBytes;
  words = above + rowBytes;
  tokens = words + 4 * BLOCK + rowBytes;
  tokensEnd = tokens;
  // At most three more tokens a row, and a row has a pixel.
  out = tokens + 8 * (4 * BLOCK + columns + 8);
  end = out;
  const bytes = out + 8 * (BLOCK + columns) + 32 * BLOCK + 1024;
  memory.grow(max(0, (bytes >>> 16) + 1 - memory.size()));
  memory.fill(above, 0, rowBytes);
  write(HEADER, 16);
}

/** The symbol of a length less 3, or of a distance less 1, and how many bits of it follow. */
function lengthBits(length: i32): i32 {
  return 29 - clz(length | 4);
}
function lengthSymbol(length: i32, bits: i32): i32 {
  return length === LONGEST - 3 ? LITERALS - 1 : END + 1 + (bits << 2) + (length >> bits);
}
function countLength(length: i32): void {
  count(LITERAL_COUNTS, lengthSymbol(length - 3, lengthBits(length - 3)), 1);
}
function distanceBits(distance: i32): i32 {
  return 30 - clz(distance | 2);
}
function distanceSymbol(distance: i32, bits: i32): i32 {
  return (bits << 1) + (distance >> bits);
}

function addToken(kind: i32, value: i32): void {
  store<i32>(tokensEnd, value);
  store<i32>(tokensEnd, kind, 4);
  tokensEnd += 8;
}

function addByte(value: i32): void {
  addToken(BYTE, value);
  count(LITERAL_COUNTS, value, 1);
  adlerLow = (adlerLow + value) % ADLER;
  adlerHigh = (adlerHigh + adlerLow) % ADLER;
}

function addZeros(count: i32): void {
  zeros += count;
  adlerHigh = (adlerHigh + adlerLow * (count as u64)) % ADLER;
}

/** Adds the zeros so far: one, and repetitions of it. */
function flushZeros(): void {
  if (zeros === 0) return;
  addToken(ZEROS, zeros);
  const repetitions = (zeros - 1) / LONGEST;
  const rest = (zeros - 1) % LONGEST;
  count(LITERAL_COUNTS, 0, rest < 3 ? 1 + rest : 1);
  count(LITERAL_COUNTS, LITERALS - 1, repetitions);
  if (rest >= 3) countLength(rest);
  count(DISTANCE_COUNTS, 0, repetitions + (rest < 3 ? 0 : 1));
  zeros = 0;
}

/** Adds a row without a visible pixel. */
export function clearRow(): void {
  memory.fill(above + 4 * aboveFrom, 0, 4 * max(0, aboveTo - aboveFrom));
  aboveFrom = width;
  aboveTo = 0;
  addZeros(1 + 4 * width);
  position += 1 + 4 * width;
}

/** Pixels whose sums have 32 bits. */
const SUMMED: i32 = 1024;
/** Where the bytes of four pixels' colours, and of their alpha, belong. */
const COLOURS: v128 = i8x16(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
const ALPHA: v128 = i8x16(-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, 3);
/** How often each of eight bytes counts, of sixteen that follow each other. */
const FIRST_EIGHT: v128 = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
const LAST_EIGHT: v128 = i16x8(8, 7, 6, 5, 4, 3, 2, 1);

function sumOf(four: v128): u64 {
  const two = i64x2.add(i64x2.extend_low_i32x4_u(four), i64x2.extend_high_i32x4_u(four));
  return i64x2.extract_lane(two, 0) + i64x2.extract_lane(two, 1);
}

/**
 * Writes the pixels `from` to `to` less those above to the end of `words`, four at once: the next three must be clear,
 * and those above them.
 */
function filter(from: i32, to: i32): void {
  let word = words + 4 * used;
  let x = from;
  while (x < to) {
    const start = x;
    const stop = min(to, x + SUMMED);
    let sums = i32x4.splat(0);
    let before = i32x4.splat(0);
    let weighted = i32x4.splat(0);
    for (; x < stop; x += 4, word += 16) {
      const opacity = i8x16.swizzle(v128.load32_zero(alpha + x), ALPHA);
      const all = v128.or(i8x16.swizzle(v128.load(colours + 3 * x), COLOURS), opacity);
      const pixels = v128.andnot(all, i32x4.eq(opacity, i32x4.splat(0)));
      const difference = i8x16.sub(pixels, v128.load(above + 4 * x));
      v128.store(above + 4 * x, pixels);
      v128.store(word, difference);
      before = i32x4.add(before, sums);
      const pairs = i16x8.extadd_pairwise_i8x16_u(difference);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(pairs));
      const first = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(difference), FIRST_EIGHT);
      const last = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(difference), LAST_EIGHT);
      weighted = i32x4.add(weighted, i32x4.add(first, last));
    }
    adlerHigh += 4 * ((x - start) as u64) * adlerLow + 16 * sumOf(before) + sumOf(weighted);
    adlerLow += sumOf(sums);
  }
  adlerHigh = (adlerHigh - 4 * ((x - to) as u64) * adlerLow) % ADLER;
  adlerLow %= ADLER;
}

/** Adds the pixels `from` to `to` of `words`. @param lead the byte of a pixel less four times its place */
function match(from: i32, to: i32, lead: i32): void {
  const stop = words + 4 * to;
  const row = ((lead as u64) << 32) | (stop as u64);
  let token = tokensEnd;
  let opaque = 0;
  let single = 0;
  for (let at = words + 4 * from; at < stop; token += 8) {
    const word = load<u32>(at);
    const slot = TABLE + ((((word as i32) * HASH_FACTOR) >>> (32 - HASH_BITS)) << 4);
    const last = load<u64>(slot);
    const known = (last >> 32) as i32;
    const distance = at + lead - known - load<i32>(slot, 12);
    const room = load<i32>(slot, 8) - known;
    store<u64>(slot, ((at as u64) << 32) | (word as u64));
    store<u64>(slot, row, 8);
    if ((last as u32) === word && known !== 0 && distance <= WINDOW) {
      const more = distanceBits(distance - 1);
      const symbol = distanceSymbol(distance - 1, more);
      let length = 4;
      if (load<u32>(known + 4) !== load<u32>(at + 4) || room === 4 || at + 4 === stop) single++;
      else {
        const most = min(4 * MAX_REPEATED, min(stop - at, room));
        do length += 4;
        while (length < most && load<u32>(known + length) === load<u32>(at + length));
        countLength(length);
      }
      store<u64>(
        token,
        ((length as u64) << 32) |
          ((symbol << 16) as u64) |
          (((distance - 1) & ((1 << more) - 1)) as u64),
      );
      count(DISTANCE_COUNTS, symbol, 1);
      at += length;
    } else {
      store<u64>(token, word as u64);
      count(CHANNELS, word & 255, 1);
      count(CHANNELS + 1024, (word >> 8) & 255, 1);
      count(CHANNELS + 2048, (word >> 16) & 255, 1);
      if (word >> 24 === 0) opaque++;
      else count(LITERAL_COUNTS, word >> 24, 1);
      at += 4;
    }
  }
  tokensEnd = token;
  count(LITERAL_COUNTS, 0, opaque);
  count(LITERAL_COUNTS, lengthSymbol(1, 0), single);
}

/** Adds a row of which the pixels `from` to `to` are visible. @returns bytes at `out` to take, mostly none */
export function row(from: i32, to: i32): i32 {
  const first = min(from, aboveFrom);
  const last = max(to, aboveTo);
  memory.fill(alpha + first, 0, from - first);
  memory.fill(alpha + to, 0, last - to + 3);
  flushZeros();
  addByte(FILTER_UP);
  addZeros(4 * first);
  flushZeros();
  filter(first, last);
  match(used, used + last - first, position + 1 + 4 * (first - used) - words);
  used += last - first;
  addZeros(4 * (width - last));
  aboveFrom = from;
  aboveTo = to;
  position += 1 + 4 * width;
  return used >= BLOCK ? endBlock(0) : 0;
}

/** Adds the pixels' bytes, and the end, to what was counted. */
function finishCounts(): void {
  for (let byte = 0; byte < 256; byte++)
    for (let channel = CHANNELS; channel < CHANNELS + 3 * 1024; channel += 1024)
      count(LITERAL_COUNTS, byte, load<i32>(channel + 4 * byte));
  count(LITERAL_COUNTS, END, 1);
}

function write(value: u64, bits: i32): void {
  hold |= value << held;
  held += bits;
}

/** Writes a code: less than 64 bits at once, then `drain`. */
function writeCode(codes: i32, symbol: i32): void {
  const code = load<u32>(codes + 4 * symbol);
  write(code >> 4, code & 15);
}

/** Puts whole bytes out. */
function drain(): void {
  store<u64>(end, hold);
  end += held >> 3;
  hold >>= held & 56;
  held &= 7;
}

/** Writes for each length of a repetition its code and the bits that follow. */
function assignRepeated(): void {
  for (let pixels = 1; pixels <= MAX_REPEATED; pixels++) {
    const length = 4 * pixels - 3;
    const more = lengthBits(length);
    const code = load<u32>(LITERAL_CODES + 4 * lengthSymbol(length, more));
    const bits = code & 15;
    const value = (code >> 4) | ((length & ((1 << more) - 1)) << bits);
    store<u32>(REPEATED_CODES + 4 * pixels, (value << 5) | (bits + more));
  }
}

/** Writes zeros that repeat one. */
function writeRepeatedZeros(count: i32): void {
  const more = lengthBits(count - 3);
  writeCode(LITERAL_CODES, lengthSymbol(count - 3, more));
  if (count < LONGEST) write((count - 3) & ((1 << more) - 1), more);
  writeCode(DISTANCE_CODES, 0);
  drain();
}

function writeZeros(all: i32): void {
  writeCode(LITERAL_CODES, 0);
  let rest = all - 1;
  for (; rest >= LONGEST; rest -= LONGEST) writeRepeatedZeros(LONGEST);
  if (rest >= 3) writeRepeatedZeros(rest);
  else for (; rest > 0; rest--) writeCode(LITERAL_CODES, 0);
  drain();
}

/** Writes the tokens of pixels from one on. @returns the first that is another one */
function writePixels(first: i32): i32 {
  let token = first;
  let value = hold;
  let bits = held;
  let at = end;
  for (; token < tokensEnd; token += 8) {
    const kind = load<i32>(token, 4);
    const what = load<u32>(token);
    if (kind === PIXEL) {
      const red = load<u32>(LITERAL_CODES + 4 * (what & 255));
      const green = load<u32>(LITERAL_CODES + 4 * ((what >> 8) & 255));
      const blue = load<u32>(LITERAL_CODES + 4 * ((what >> 16) & 255));
      const opacity = load<u32>(LITERAL_CODES + 4 * (what >> 24));
      value |= ((red >> 4) as u64) << bits;
      bits += red & 15;
      value |= ((green >> 4) as u64) << bits;
      bits += green & 15;
      value |= ((blue >> 4) as u64) << bits;
      bits += blue & 15;
      value |= ((opacity >> 4) as u64) << bits;
      bits += opacity & 15;
    } else if (kind <= ZEROS) break;
    else {
      const length = load<u32>(REPEATED_CODES + kind);
      value |= ((length >> 5) as u64) << bits;
      bits += length & 31;
      const symbol = what >> 16;
      const distance = load<u32>(DISTANCE_CODES + 4 * symbol);
      value |= ((distance >> 4) as u64) << bits;
      bits += distance & 15;
      value |= ((what & 0xffff) as u64) << bits;
      bits += max(0, ((symbol as i32) >> 1) - 1);
    }
    store<u64>(at, value);
    at += bits >> 3;
    value >>= bits & 56;
    bits &= 7;
  }
  hold = value;
  held = bits;
  end = at;
  return token;
}

function writeTokens(): void {
  for (let token = writePixels(tokens); token < tokensEnd; token = writePixels(token + 8)) {
    const value = load<i32>(token);
    if (load<i32>(token, 4) === ZEROS) writeZeros(value);
    else writeCode(LITERAL_CODES, value);
    drain();
  }
  writeCode(LITERAL_CODES, END);
  drain();
}

/** Writes a block with codes of its own, RFC 1951, 3.2.7. @returns bytes at `out` to take */
function endBlock(isLast: i32): i32 {
  if (isLast) flushZeros();
  end = out;
  finishCounts();
  assignBits(LITERAL_COUNTS, LITERALS, MAX_BITS, BITS);
  assignBits(DISTANCE_COUNTS, DISTANCES, MAX_BITS, BITS + LITERALS);
  for (let i = 0; i < LITERALS + DISTANCES; i++) count(LENGTH_COUNTS, load<u8>(BITS + i), 1);
  assignBits(LENGTH_COUNTS, CODE_LENGTHS, 7, LENGTH_BITS);
  assignCodes(BITS, LITERALS, LITERAL_CODES);
  assignCodes(BITS + LITERALS, DISTANCES, DISTANCE_CODES);
  assignCodes(LENGTH_BITS, CODE_LENGTHS, LENGTH_CODES);
  write(isLast | (2 << 1) | ((LITERALS - 257) << 3) | ((DISTANCES - 1) << 8), 13);
  write(CODE_LENGTHS - 4, 4);
  drain();
  for (let i = 0; i < CODE_LENGTHS; i++) {
    write(load<u8>(LENGTH_BITS + load<u8>(ORDER + i)), 3);
    drain();
  }
  for (let i = 0; i < LITERALS + DISTANCES; i++) {
    writeCode(LENGTH_CODES, load<u8>(BITS + i));
    drain();
  }
  assignRepeated();
  writeTokens();
  memory.fill(TABLE, 0, TABLE_BYTES);
  memory.fill(LITERAL_COUNTS, 0, COUNTS_BYTES);
  used = 0;
  tokensEnd = tokens;
  return end - out;
}

/** Ends the image. @returns bytes at `out` to take */
export function finish(): i32 {
  endBlock(1);
  if (held > 0) end++;
  store<u32>(end, bswap<u32>(((adlerHigh << 16) | adlerLow) as u32));
  return end + 4 - out;
}
