/** What a cut-out shows of a photo: all of the subject, its people, what they wear, or the garments of one region. */
export const SUBJECTS = [
  'all',
  'person',
  'garment',
  'top',
  'outerwear',
  'dress',
  'bottom',
  'shoes',
  'accessory',
] as const;
export const [, ...PARTIAL_SUBJECTS] = SUBJECTS;
export type PartialSubject = (typeof PARTIAL_SUBJECTS)[number];
