/** Maximum output size in megapixels, by remove.bg's names. */
export const SIZES = {
  preview: 0.25,
  small: 0.25,
  regular: 0.25,
  medium: 1.5,
  hd: 4,
  full: 25,
  auto: 25,
  '4k': 25,
  '50MP': 50,
} as const;

/** Returns the maximum output size for any `size`, megapixels; the limit is lower for a PNG. */
export const maxMegapixels = (isPng: boolean): number => (isPng ? 10 : SIZES['50MP']);
