/** What was measured of one network on one kind of photo. */
export interface Row {
  kind: string;
  photos: number;
  figures: Readonly<Record<string, number>>;
}

/** How much worse a figure may get before the candidate is rejected. */
interface Tolerance {
  better: 'higher' | 'lower';
  /**
   * In the figure's own unit, for a kind of 25 photos or more; `photos`: that many photos of the kind, for a figure
   * that is a share of them.
   */
  by: number | { photos: number };
}

export type Tolerances = Readonly<Record<string, Tolerance>>;

/** One figure of one kind, shipped weights beside the candidate. */
export interface Comparison {
  kind: string;
  photos: number;
  figure: string;
  shipped: number;
  candidate: number;
  allowed: number;
  isWorse: boolean;
}

/** Tolerances are for kinds of this many photos; the mean of fewer varies more, by the root of their number. */
const MANY_PHOTOS = 25;

/** Returns how much worse the mean figure of some photos may be. */
const allowedFor = (by: Tolerance['by'], photos: number): number =>
  typeof by === 'number' ? by * Math.sqrt(Math.max(1, MANY_PHOTOS / photos)) : by.photos / photos;

/** Figures are compared to four digits. */
const ROUNDING_SLACK = 5e-5;

function compare(
  shipped: Row,
  candidate: Row | undefined,
  [figure, { better, by }]: [string, Tolerance],
): Comparison {
  const { kind, photos } = shipped;
  const before = shipped.figures[figure] ?? Number.NaN;
  const after = candidate?.figures[figure] ?? Number.NaN;
  const allowed = allowedFor(by, photos);
  const loss = better === 'higher' ? before - after : after - before;
  return {
    kind,
    photos,
    figure,
    shipped: before,
    candidate: after,
    allowed,
    // Negated, so that NaN counts as worse: a candidate without figures must not pass.
    isWorse: !(loss <= allowed + ROUNDING_SLACK),
  };
}

/** Compares candidate with shipped, kind by kind; a kind the candidate has no figures for counts as worse. */
export const compareRows = (
  shipped: readonly Row[],
  candidate: readonly Row[],
  tolerances: Tolerances,
): Comparison[] =>
  shipped.flatMap((row) => {
    const other = candidate.find(({ kind }) => kind === row.kind);
    return Object.entries(tolerances)
      .filter(([figure]) => figure in row.figures)
      .map((tolerance) => compare(row, other, tolerance));
  });
