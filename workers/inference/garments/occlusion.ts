import type { Size } from '../../../src/imaging/layout.ts';
import type { Box } from '../../../src/imaging/subject-box.ts';
import { visitNeighbours } from './components.ts';
import { GROUPS } from './groups.ts';
import type { Piece } from './pieces.ts';

/** A garment is hidden by another that is over it along such a share of its edge. */
const MIN_EDGE_SHARE = 0.12;
/** By fewer layers a garment does not hide another: it meets it, as a jumper does trousers. */
const MIN_LAYERS = 2;

/** For each cell the garment it belongs to. */
type Owners = readonly (Piece | undefined)[];

/** Returns the owners of the cells of a map. */
export function ownersOf(pieces: readonly Piece[], { width, height }: Size): Owners {
  const owners: (Piece | undefined)[] = Array.from({ length: width * height }, () => undefined);
  for (const piece of pieces) for (const cell of piece.cells) owners[cell] = piece;
  return owners;
}

/** Returns the groups of the garments that hide some of a garment. */
export function hidingGroups(piece: Piece, owners: Owners, map: Size): string[] {
  const minLayer = GROUPS[piece.group]!.layer + MIN_LAYERS;
  const counts = new Map<string, number>();
  let edge = 0;
  for (const cell of piece.cells) {
    let isEdge = false;
    const over = new Set<string>();
    visitNeighbours(cell, map, (near) => {
      const owner = owners[near];
      if (owner === piece) return;
      isEdge = true;
      const group = owner && GROUPS[owner.group];
      if (group && group.layer >= minLayer) over.add(group.id);
    });
    if (isEdge) edge++;
    for (const id of over) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count >= MIN_EDGE_SHARE * edge).map(([id]) => id);
}

/** Returns whether a garment lies at a side of the image. @param region that the cells cover */
export function isCutByFrame({ cells }: Piece, region: Box, image: Size, map: Size): boolean {
  const { width, height } = map;
  const isAtLeft = region.left <= 0;
  const isAtTop = region.top <= 0;
  const isAtRight = region.left + region.width >= image.width;
  const isAtBottom = region.top + region.height >= image.height;
  return cells.some((cell) => {
    const x = cell % width;
    return (
      (isAtLeft && x === 0) ||
      (isAtRight && x === width - 1) ||
      (isAtTop && cell < width) ||
      (isAtBottom && cell >= width * (height - 1))
    );
  });
}
