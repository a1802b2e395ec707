/** Returns JSON in printable ASCII, the only characters that the metadata of a blob may have. */
export const toAsciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
