import { clientError } from './error.ts';
import type { ClientOptions } from './interface.ts';

/** Whether this is a page or one of its workers: everyone who opens the page can read its data. */
const isBrowser = (): boolean => 'document' in globalThis || 'importScripts' in globalThis;

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Returns a function that produces the headers that authorize a request: by key, or by the page's
 * own session.
 * @throws SelvageError `key-refused` for a key in a browser, unless it is allowed
 */
export function createCredentials({ key, allowKeyInBrowser = false }: ClientOptions) {
  if (key === undefined) {
    // The session is a cookie; pages of other origins cannot send this header.
    const headers = isBrowser() ? { 'x-selvage-console': '1' } : {};
    return async (): Promise<Record<string, string>> => headers;
  }
  if (isBrowser() && !allowKeyInBrowser) {
    throw clientError(
      'key-refused',
      'Everyone who opens this page could read the API key and use up its quota. Call the service from your own server, or sign in and omit `key`. Set `allowKeyInBrowser: true` only for a page that nobody else can open.',
    );
  }
  return async (): Promise<Record<string, string>> => {
    const value = typeof key === 'string' ? key : await key();
    // The platform's own error would contain the whole header.
    if (!VISIBLE.test(value)) {
      throw clientError('key-refused', 'The API key is empty or contains invalid characters');
    }
    return { authorization: `Bearer ${value}` };
  };
}
