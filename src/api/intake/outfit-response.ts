import type { ResponseDoc } from '../../http/route.ts';
import type { GarmentFile, StoredOutfit } from '../../queue/job-data.ts';
import { describeOutfit } from '../../taxonomy/outfit/describe-outfit.ts';
import type { OutfitDescription } from '../../taxonomy/outfit/outfit-schema.ts';
import { DEFAULT_SETTINGS } from '../../taxonomy/request-schema.ts';

/**
 * Names the garments of a stored outfit at read time, with the current dictionary.
 * @param id starts the ids of the wardrobe items
 * @param urlOf returns where the cut-out of a garment is, if that is known
 */
export const outfitResponse = (
  outfit: StoredOutfit,
  id: string,
  urlOf: (index: number) => string | undefined,
): OutfitDescription =>
  describeOutfit(outfit, {
    settings: DEFAULT_SETTINGS,
    id,
    cutOutOf(index) {
      const file = outfit.files[index];
      const url = urlOf(index);
      return file && { ...(url !== undefined && { url }), ...file };
    },
  });

/** Returns the file of a garment by the index in a path, or nothing. */
export const garmentFile = (
  outfit: StoredOutfit | undefined,
  index: string | undefined,
): GarmentFile | undefined =>
  /^\d{1,4}$/.test(index ?? '') ? outfit?.files[Number(index)] : undefined;

export const garmentHeaders = ({ bytes, sha256 }: GarmentFile): Record<string, string> => ({
  'content-type': 'image/png',
  'content-length': String(bytes),
  'cache-control': 'private, no-store',
  etag: `"${sha256}"`,
});

export const garmentResponseDoc: ResponseDoc = {
  description: 'The cut-out of the garment: a PNG of the size of its box',
  content: { 'image/png': 'binary' },
  headers: ['ETag'],
  name: 'GarmentCutoutFile',
};
