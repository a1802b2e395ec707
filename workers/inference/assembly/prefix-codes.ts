/* Prefix codes of symbols, RFC 1951, 3.2.2. Arguments are addresses; see `deflate.ts`. */

const MAX_SYMBOLS: i32 = 286;
const SORTED = memory.data(4 * MAX_SYMBOLS, 4) as i32;
const WEIGHTS = memory.data(4 * MAX_SYMBOLS, 4) as i32;
const NEXT_CODES = memory.data(64, 4) as i32;

/** Adds to one of many counts, 32 bits each. */
export function count(counts: i32, symbol: i32, times: i32): void {
  store<i32>(counts + 4 * symbol, load<i32>(counts + 4 * symbol) + times);
}

function weight(i: i32): i32 {
  return load<i32>(WEIGHTS + 4 * i);
}
function setWeight(i: i32, value: i32): void {
  store<i32>(WEIGHTS + 4 * i, value);
}

/**
 * Replaces ascending weights by the numbers of bits of their symbols.
 * @see Moffat & Katajainen, In-Place Calculation of Minimum-Redundancy Codes, WADS 1995
 */
function weightsToBits(n: i32): void {
  let root = 0;
  let leaf = 0;
  for (let next = 0; next < n - 1; next++) {
    let sum = 0;
    for (let child = 0; child < 2; child++)
      if (leaf >= n || (root < next && weight(root) < weight(leaf))) {
        sum += weight(root);
        setWeight(root++, next);
      } else sum += weight(leaf++);
    setWeight(next, sum);
  }
  setWeight(n - 2, 0);
  for (let next = n - 3; next >= 0; next--) setWeight(next, weight(weight(next)) + 1);
  let free = 1;
  let depth = 0;
  root = n - 2;
  for (let next = n - 1; free > 0; depth++) {
    let inner = 0;
    for (; root >= 0 && weight(root) === depth; root--) inner++;
    for (; free > inner; free--) setWeight(next--, depth);
    free = 2 * inner;
  }
}

/** Writes for each symbol the number of bits of its code, none for a symbol that is not there. */
export function assignBits(counts: i32, symbols: i32, maxBits: i32, bits: i32): void {
  memory.fill(bits, 0, symbols);
  let n = 0;
  for (let symbol = 0; symbol < symbols; symbol++) {
    const key = (load<i32>(counts + 4 * symbol) << 9) | symbol;
    if (key < 512) continue;
    let at = n++;
    for (; at > 0 && load<i32>(SORTED + 4 * at - 4) > key; at--)
      store<i32>(SORTED + 4 * at, load<i32>(SORTED + 4 * at - 4));
    store<i32>(SORTED + 4 * at, key);
  }
  if (n === 1) setWeight(0, 1);
  for (let shift = 9; n > 1; shift++) {
    for (let i = 0; i < n; i++) setWeight(i, max(1, load<i32>(SORTED + 4 * i) >> shift));
    weightsToBits(n);
    if (weight(0) <= maxBits) break;
  }
  for (let i = 0; i < n; i++) store<u8>(bits + (load<i32>(SORTED + 4 * i) & 511), weight(i));
}

/**
 * Writes the codes of symbols, 32 bits each: its bits in the order in which they are written, above four bits with their
 * number. Shorter codes come first, then those of earlier symbols.
 */
export function assignCodes(bits: i32, symbols: i32, codes: i32): void {
  memory.fill(NEXT_CODES, 0, 64);
  for (let symbol = 0; symbol < symbols; symbol++) count(NEXT_CODES, load<u8>(bits + symbol), 1);
  store<i32>(NEXT_CODES, 0);
  for (let length = 0, code = 0; length < 16; length++) {
    const codesOfLength = load<i32>(NEXT_CODES + 4 * length);
    store<i32>(NEXT_CODES + 4 * length, code);
    code = (code + codesOfLength) << 1;
  }
  for (let symbol = 0; symbol < symbols; symbol++) {
    const length = load<u8>(bits + symbol) as i32;
    let code = load<i32>(NEXT_CODES + 4 * length);
    count(NEXT_CODES, length, 1);
    let reversed = 0;
    for (let bit = 0; bit < length; bit++, code >>= 1) reversed = (reversed << 1) | (code & 1);
    store<i32>(codes + 4 * symbol, (reversed << 4) | length);
  }
}
