import { createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from '../platform/problem.ts';

export const FILES_PATH = '/intake/v1/files';

/** What of the store may be shown to whoever has a link. */
const LINKABLE = ['out/', 'feeds/'];
const isLinkable = (key: string): boolean => LINKABLE.some((prefix) => key.startsWith(prefix));

/** The query of a link. */
export interface FileQuery {
  key: string;
  /** Epoch seconds in digits; without it the link lasts as long as the file. */
  expires?: string | undefined;
  signature: string;
}

/** A file that a link gives. */
export interface LinkedFile {
  key: string;
  expiresAtSeconds: number | undefined;
}

/** What the file is called at the other end: it is part of a path, and stands for nothing. */
const nameInPath = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-100)
    .replace(/^\.+/, '') || 'file';

/**
 * Links to single files, for who has no key: a path of this gateway that nobody can make up.
 * @param secret for nothing else, 32 bytes
 */
export function fileLinks(secret: Uint8Array) {
  // No key has a line break.
  const signatureOf = (key: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${key}\n${expires}`).digest();

  return {
    /**
     * The path of a link.
     * @param name what the file is to be called, such as `red-shirt.png`
     * @param expiresAtSeconds epoch seconds; without it the link lasts as long as the file
     */
    make(key: string, name: string, expiresAtSeconds?: number): string {
      if (!isLinkable(key)) throw new TypeError('This blob is not to be linked');
      const expires = expiresAtSeconds === undefined ? '' : String(Math.floor(expiresAtSeconds));
      const signature = signatureOf(key, expires).toString('base64url');
      const query = new URLSearchParams({ key, ...(expires && { expires }), signature });
      return `${FILES_PATH}/${nameInPath(name)}?${query}`;
    },

    /**
     * The file a link gives.
     * @throws Problem not-found where the link was not made here, gone where its time has passed
     */
    read({ key, expires = '', signature }: FileQuery, nowMillis: number): LinkedFile {
      const right = signatureOf(key, expires);
      const sent = Buffer.from(signature, 'base64url');
      const isOurs = sent.length === right.length && timingSafeEqual(sent, right);
      if (!isOurs || !isLinkable(key)) {
        throw new Problem('not-found', 'This link was altered or never made');
      }
      if (expires === '') return { key, expiresAtSeconds: undefined };
      const expiresAtSeconds = Number(expires);
      if (expiresAtSeconds * 1000 > nowMillis) return { key, expiresAtSeconds };
      throw new Problem('gone', 'The time of this link has passed');
    },
  };
}

export type FileLinks = ReturnType<typeof fileLinks>;
