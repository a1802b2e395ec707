import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../platform/problem.ts';

export const FILES_PATH = '/intake/v1/files';

/** Only blobs with these prefixes may be linked to. */
const LINKABLE_PREFIXES = ['out/', 'feeds/'];
const isLinkable = (key: string): boolean =>
  LINKABLE_PREFIXES.some((prefix) => key.startsWith(prefix));

export interface FileQuery {
  key: string;
  /** Epoch seconds in digits; without it the link is valid as long as the file exists. */
  expires?: string | undefined;
  signature: string;
}

/** The file name in the path of a link. It is for the downloaded file only, and is not signed. */
const toPathSegment = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-100)
    .replace(/^\.+/, '') || 'file';

/**
 * Signed links to single files, for clients without an API key. The signature is an HMAC-SHA-256.
 * @param secret used for nothing else, 32 bytes
 */
export function fileLinks(secret: Uint8Array) {
  // Unambiguous: no key has a line break.
  const signatureOf = (key: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${key}\n${expires}`).digest();

  return {
    /**
     * Returns the path of a link.
     * @param name file name for the download, such as `red-shirt.png`
     * @param expiresAtSeconds epoch seconds; without it the link is valid as long as the file exists
     */
    create(key: string, name: string, expiresAtSeconds?: number): string {
      if (!isLinkable(key)) throw new TypeError('Blobs with this key must not be linked to');
      const expires = expiresAtSeconds === undefined ? '' : String(Math.floor(expiresAtSeconds));
      const signature = signatureOf(key, expires).toString('base64url');
      const query = new URLSearchParams({ key, ...(expires && { expires }), signature });
      return `${FILES_PATH}/${toPathSegment(name)}?${query}`;
    },

    /** @throws Problem not-found if the signature is not valid, gone if the link has expired */
    verify({ key, expires = '', signature }: FileQuery, nowMillis: number) {
      const expected = signatureOf(key, expires);
      const sent = Buffer.from(signature, 'base64url');
      const isValid = sent.length === expected.length && timingSafeEqual(sent, expected);
      if (!isValid || !isLinkable(key)) {
        throw new Problem('not-found', 'This link is not valid: it was altered, or never issued');
      }
      if (expires === '') return { key, expiresAtSeconds: undefined };
      const expiresAtSeconds = Number(expires);
      if (expiresAtSeconds * 1000 > nowMillis) return { key, expiresAtSeconds };
      throw new Problem('gone', 'This link has expired');
    },
  };
}
