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

/** Tokens: 32 bits of what follows, and above them what it is: bytes to repeat, or one of these. */
const PIXEL: u64 = 0;
const BYTE: u64 = 1;
const ZEROS: u64 = 2;

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
let zeros: u64 = 0;
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
  used = held = position = aboveTo = 0;
  zeros = hold = adlerHigh = 0;
  adlerLow = 1;
  width = aboveFrom = columns;
  const rowBytes = (4 * columns + 15) & ~15;
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

function addToken(kind: u64, value: u64): void {
  store<u64>(tokensEnd, (kind << 32) | value);
  tokensEnd += 8;
}

function addZeros(count: i32): void {
  zeros += count;
  adlerHigh = (adlerHigh + adlerLow * (count as u64)) % ADLER;
}

function flushZeros(): void {
  if (zeros > 0) addToken(ZEROS, zeros);
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

/** Subtracts four bytes at once, each modulo 256. */
function subtract(a: u32, b: u32): u32 {
  return ((a | 0x80808080) - (b & 0x7f7f7f7f)) ^ ((a ^ ~b) & 0x80808080);
}

/** Writes the pixels `from` to `to` less those above to the end of `words`. */
function filter(from: i32, to: i32): void {
  let low = adlerLow;
  let high = adlerHigh;
  let word = words + 4 * used;
  for (let x = from; x < to; x++, word += 4) {
    const a = load<u8>(alpha + x) as u32;
    const colour = load<u32>(colours + 3 * x) & 0xffffff;
    const pixel = a === 0 ? 0 : colour | (a << 24);
    const difference = subtract(pixel, load<u32>(above + 4 * x));
    store<u32>(above + 4 * x, pixel);
    store<u32>(word, difference);
    const first: u64 = difference & 0xff;
    const second: u64 = (difference >> 8) & 0xff;
    const third: u64 = (difference >> 16) & 0xff;
    const fourth: u64 = difference >> 24;
    high += 4 * (low + first) + 3 * second + 2 * third + fourth;
    low += first + second + third + fourth;
  }
  adlerLow = low % ADLER;
  adlerHigh = high % ADLER;
}

/** Tokens of the pixels `from` to `to` of `words`. @param lead the byte of a pixel less four times its place */
function match(from: i32, to: i32, lead: i32): void {
  const stop = words + 4 * to;
  let token = tokensEnd;
  for (let at = words + 4 * from; at < stop; token += 8) {
    const word = load<u32>(at);
    const slot = TABLE + ((((word as i32) * HASH_FACTOR) >>> (32 - HASH_BITS)) << 4);
    const known = load<i32>(slot, 4);
    if (load<u32>(slot) === word && known !== 0) {
      const distance = at + lead - known - load<i32>(slot, 12);
      if (distance <= WINDOW) {
        const most = min(4 * MAX_REPEATED, min(stop - at, load<i32>(slot, 8) - known));
        let length = 4;
        while (length < most && load<u32>(known + length) === load<u32>(at + length)) length += 4;
        store<i32>(slot, at, 4);
        store<i32>(slot, stop, 8);
        store<i32>(slot, lead, 12);
        store<u64>(token, ((length as u64) << 32) | (distance as u64));
        at += length;
        continue;
      }
    }
    store<u32>(slot, word);
    store<i32>(slot, at, 4);
    store<i32>(slot, stop, 8);
    store<i32>(slot, lead, 12);
    store<u64>(token, word as u64);
    at += 4;
  }
  tokensEnd = token;
}

/** Adds a row of which the pixels `from` to `to` are visible. @returns bytes at `out` to take, mostly none */
export function row(from: i32, to: i32): i32 {
  const first = min(from, aboveFrom);
  const last = max(to, aboveTo);
  memory.fill(alpha + first, 0, from - first);
  memory.fill(alpha + to, 0, last - to);
  flushZeros();
  addToken(BYTE, FILTER_UP);
  adlerLow = (adlerLow + FILTER_UP) % ADLER;
  adlerHigh = (adlerHigh + adlerLow) % ADLER;
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

/** The symbol of a length less 3, or of a distance less 1, and how many bits of it follow. */
function lengthBits(length: i32): i32 {
  return 29 - clz(length | 4);
}
function lengthSymbol(length: i32, bits: i32): i32 {
  return length === LONGEST - 3 ? LITERALS - 1 : END + 1 + (bits << 2) + (length >> bits);
}
function distanceBits(distance: i32): i32 {
  return 30 - clz(distance | 2);
}
function distanceSymbol(distance: i32, bits: i32): i32 {
  return (bits << 1) + (distance >> bits);
}

function countSymbols(): void {
  memory.fill(LITERAL_COUNTS, 0, COUNTS_BYTES);
  let opaque = 0;
  for (let token = tokens; token < tokensEnd; token += 8) {
    const kind = load<i32>(token, 4);
    const value = load<u32>(token);
    if (kind === (PIXEL as i32)) {
      count(CHANNELS, value & 255, 1);
      count(CHANNELS + 1024, (value >> 8) & 255, 1);
      count(CHANNELS + 2048, (value >> 16) & 255, 1);
      if (value >> 24 === 0) opaque++;
      else count(LITERAL_COUNTS, value >> 24, 1);
    } else if (kind === (BYTE as i32)) count(LITERAL_COUNTS, value, 1);
    else if (kind === (ZEROS as i32)) {
      const rest = ((value - 1) % LONGEST) as i32;
      const repetitions = ((value - 1) / LONGEST) as i32;
      count(LITERAL_COUNTS, 0, 1);
      count(LITERAL_COUNTS, LITERALS - 1, repetitions);
      count(DISTANCE_COUNTS, 0, repetitions);
      if (rest < 3) count(LITERAL_COUNTS, 0, rest);
      else {
        count(LITERAL_COUNTS, lengthSymbol(rest - 3, lengthBits(rest - 3)), 1);
        count(DISTANCE_COUNTS, 0, 1);
      }
    } else {
      const distance = (value as i32) - 1;
      count(LITERAL_COUNTS, lengthSymbol(kind - 3, lengthBits(kind - 3)), 1);
      count(DISTANCE_COUNTS, distanceSymbol(distance, distanceBits(distance)), 1);
    }
  }
  for (let byte = 0; byte < 256; byte++)
    for (let channel = CHANNELS; channel < CHANNELS + 3 * 1024; channel += 1024)
      count(LITERAL_COUNTS, byte, load<i32>(channel + 4 * byte));
  count(LITERAL_COUNTS, 0, opaque);
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

function writeRepetition(length: i32, distance: i32): void {
  const more = lengthBits(length - 3);
  const symbol = lengthSymbol(length - 3, more);
  writeCode(LITERAL_CODES, symbol);
  if (length < LONGEST) write((length - 3) & ((1 << more) - 1), more);
  const further = distanceBits(distance - 1);
  writeCode(DISTANCE_CODES, distanceSymbol(distance - 1, further));
  write((distance - 1) & ((1 << further) - 1), further);
  drain();
}

function writeZeros(all: i32): void {
  writeCode(LITERAL_CODES, 0);
  let rest = all - 1;
  for (; rest >= LONGEST; rest -= LONGEST) writeRepetition(LONGEST, 1);
  if (rest >= 3) writeRepetition(rest, 1);
  else for (; rest > 0; rest--) writeCode(LITERAL_CODES, 0);
  drain();
}

function writeTokens(): void {
  for (let token = tokens; token < tokensEnd; token += 8) {
    const kind = load<i32>(token, 4);
    const value = load<u32>(token);
    if (kind === (PIXEL as i32)) {
      writeCode(LITERAL_CODES, value & 255);
      writeCode(LITERAL_CODES, (value >> 8) & 255);
      writeCode(LITERAL_CODES, (value >> 16) & 255);
      writeCode(LITERAL_CODES, value >> 24);
      drain();
    } else if (kind === (BYTE as i32)) {
      writeCode(LITERAL_CODES, value);
      drain();
    } else if (kind === (ZEROS as i32)) writeZeros(value);
    else writeRepetition(kind, value);
  }
  writeCode(LITERAL_CODES, END);
  drain();
}

/** Writes a block with codes of its own, RFC 1951, 3.2.7. @returns bytes at `out` to take */
function endBlock(isLast: i32): i32 {
  if (isLast) flushZeros();
  end = out;
  countSymbols();
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
  writeTokens();
  memory.fill(TABLE, 0, TABLE_BYTES);
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
