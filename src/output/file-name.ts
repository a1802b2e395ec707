const MAX_NAME_CHARS = 200;

/** Returns a file name without folders for a row: `sku/1.jpg` becomes `sku_1`. A `customId` is no path. */
export const fileNameOf = (customId: string): string =>
  customId
    .replace(/\.(jpe?g|png|webp)$/i, '')
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^\.+/, '_')
    .slice(0, MAX_NAME_CHARS);
