/* Generated from the table of formats. To renew it: `UPDATE_CLIENT=1 npm test -- test/contract/openapi/client-types.service.test.ts` */

/** The first bytes of each image media type. */
export const SIGNATURES: Readonly<Record<string, readonly { at: number; bytes: readonly number[] }[]>> = {
  'image/png': [{ at: 0, bytes: [137, 80, 78, 71, 13, 10, 26, 10] }],
  'image/jpeg': [{ at: 0, bytes: [255, 216, 255] }],
  'image/webp': [{ at: 0, bytes: [82, 73, 70, 70] }, { at: 8, bytes: [87, 69, 66, 80] }],
};
