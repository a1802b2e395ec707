/** How many million pixels an output has at most, by the words of remove.bg. */
export const SIZES = {
  ...{ preview: 0.25, small: 0.25, regular: 0.25, medium: 1.5, hd: 4 },
  ...{ full: 25, auto: 25, '4k': 25, '50MP': 50 },
} as const;

/** What no size exceeds, million pixels; a PNG is kept smaller. */
export const maxMegapixels = (isPng: boolean): number => (isPng ? 10 : SIZES['50MP']);
