/** What was measured of one network on one kind of photo. */
export interface Row {
  kind: string;
  photos: number;
  figures: Readonly<Record<string, number>>;
}

/** How much worse a figure may be before the candidate is refused. */
export interface Tolerance {
  better: 'higher' | 'lower';
  /** As the figure itself; `photos` stands for that many photos of the kind, where the figure is a share of them. */
  by: number | { photos: number };
}

export type Tolerances = Readonly<Record<string, Tolerance>>;

/** One figure of one kind, side by side. */
export interface Comparison {
  kind: string;
  photos: number;
  figure: string;
  shipped: number;
  candidate: number;
  allowed: number;
  isWorse: boolean;
}

/** Figures are compared to four digits. */
const SLACK = 5e-5;

function compare(shipped: Row, candidate: Row | undefined, [figure, rule]: [string, Tolerance]) {
  const was = shipped.figures[figure] ?? Number.NaN;
  const is = candidate?.figures[figure] ?? Number.NaN;
  const allowed = typeof rule.by === 'number' ? rule.by : rule.by.photos / shipped.photos;
  const loss = rule.better === 'higher' ? was - is : is - was;
  const { kind, photos } = shipped;
  // What cannot be compared is worse: a candidate that answers nothing must not pass.
  return {
    kind,
    photos,
    figure,
    shipped: was,
    candidate: is,
    allowed,
    isWorse: !(loss <= allowed + SLACK),
  };
}

/** Candidate beside shipped, kind by kind; kinds the candidate has no figures for count as worse. */
export const comparisons = (
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
