/* Duplicates: rows of a batch or a feed run with the same picture. */

/** How many rows have the same picture. */
export interface DuplicateCounts {
  /** Rows whose pictures were compared. */
  compared: number;
  groups: number;
  /** Rows that repeat the picture of an earlier one. */
  rows: number;
}

/** One row of a group, or the first row with the same picture as another. */
export interface DuplicateRow {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds: of its product, 0 is the main image. */
  image?: number;
  /** Of the two pictures, 0 to 1; 0.9 and more is the same picture. */
  similarity: number;
}

/** A group of rows with the same picture, by its first row. */
export interface DuplicateGroup {
  /** Counted from 0. */
  row: number;
  /** In feeds, the id of the product. */
  customId: string;
  /** In feeds: of its product, 0 is the main image. */
  image?: number;
  /** Rows of the group, this one included. */
  rows: number;
  /** The next 19 at most. */
  duplicates: DuplicateRow[];
}

/** The link to the next page. */
export interface DuplicatesLinks {
  next: string;
}

/** One page of the groups. */
export interface DuplicatesPage {
  duplicates: DuplicateCounts;
  groups: DuplicateGroup[];
  /** Absent on the last page. */
  links?: DuplicatesLinks;
}
