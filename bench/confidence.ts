import type { Sharp } from 'sharp';

/**
 * Ways to harm a photo and its reference alike. Of whole photos a model may fail none, and then nothing is
 * learnt about its confidence.
 */
export const HARMS: readonly {
  name: string;
  photo(photo: Sharp): Sharp;
  mask(mask: Sharp): Sharp;
}[] = [
  { name: 'turned', photo: (photo) => photo.rotate(90), mask: (mask) => mask.rotate(90) },
  { name: 'upside down', photo: (photo) => photo.flip(), mask: (mask) => mask.flip() },
  { name: 'blurred', photo: (photo) => photo.blur(6), mask: (mask) => mask },
  { name: 'dark', photo: (photo) => photo.linear(0.18, 0), mask: (mask) => mask },
  { name: 'pale', photo: (photo) => photo.linear(0.18, 170), mask: (mask) => mask },
];

/** How sure a model was, and how right. */
export interface Judged {
  confidence: number;
  isRight: boolean;
}

/** How many of the failures lie among the least confident `share` of all. */
export function failuresSeen(judged: readonly Judged[], share: number) {
  const byConfidence = [...judged].sort((a, b) => a.confidence - b.confidence);
  const lowest = byConfidence.slice(0, Math.round(share * judged.length));
  const failures = (list: readonly Judged[]) => list.filter(({ isRight }) => !isRight).length;
  return { seen: failures(lowest), all: failures(judged) };
}
