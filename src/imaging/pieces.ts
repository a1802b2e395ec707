import { type ProbabilityMap, SUBJECT } from './probability-map.ts';
import { regionsFrom } from './regions.ts';
import type { Pixels } from './tensor.ts';

/** A separate piece of a subject: its cells, and the sums of their colours. */
interface Piece {
  cells: number;
  red: number;
  green: number;
  blue: number;
}

function measurePiece(cells: Int32Array, { data }: Pixels): Piece {
  const piece = { cells: cells.length, red: 0, green: 0, blue: 0 };
  for (const cell of cells) {
    piece.red += data[3 * cell]!;
    piece.green += data[3 * cell + 1]!;
    piece.blue += data[3 * cell + 2]!;
  }
  return piece;
}

const piecesOf = (map: ProbabilityMap, pixels: Pixels): Piece[] =>
  regionsFrom(map, SUBJECT)
    .map((cells) => measurePiece(cells, pixels))
    .sort((a, b) => b.cells - a.cells);

/**
 * Twins, such as two shoes or earrings, have about the same size and colour, 0..255. One of them may be in the shade,
 * so brightness may differ by more than the channels do from each other.
 */
const TWINS = { minShare: 0.75, maxBrightness: 30, maxHue: 20 };

function areTwins(larger: Piece, smaller: Piece): boolean {
  const difference = (name: 'red' | 'green' | 'blue') =>
    larger[name] / larger.cells - smaller[name] / smaller.cells;
  const [red, green, blue] = [difference('red'), difference('green'), difference('blue')];
  const hue = Math.hypot(red - green, green - blue);
  const brightness = Math.abs(red + green + blue) / 3;
  const isAlike = brightness <= TWINS.maxBrightness && hue <= TWINS.maxHue;
  return isAlike && smaller.cells >= TWINS.minShare * larger.cells;
}

function otherShareOf([main, second, third]: readonly Piece[]): number {
  if (!main || !second) return 0;
  const other = areTwins(main, second) ? third : second;
  return other ? other.cells / main.cells : 0;
}

interface PieceFigures {
  /** Area of all, as a share of the map. */
  share: number;
  /** Area of the largest but the main one and its twin, as a share of the main one. */
  otherShare: number;
}

export function measurePieces(map: ProbabilityMap, pixels: Pixels): PieceFigures {
  const pieces = piecesOf(map, pixels);
  const cells = pieces.reduce((sum, piece) => sum + piece.cells, 0);
  return { share: cells / map.data.length, otherShare: otherShareOf(pieces) };
}
