import { clientError } from './error.ts';
import type { ClientOptions } from './interface.ts';

/** A page or a worker of one: what runs there can be read by whoever opens it. */
const isBrowser = (): boolean => 'document' in globalThis || 'importScripts' in globalThis;

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * What tells the headers by which each call is let in: of the key, or of the page's own session.
 * @throws SelvageError `key-refused` in a browser, unless it is allowed
 */
export function keySource({ key, allowKeyInBrowser = false }: ClientOptions) {
  if (key === undefined) {
    // A signed-in page is known by its cookie, and by this header that no foreign page can send.
    const own = isBrowser() ? { 'x-selvage-console': '1' } : {};
    return async (): Promise<Record<string, string>> => own;
  }
  if (isBrowser() && !allowKeyInBrowser) {
    throw clientError(
      'key-refused',
      'Whoever opens this page could read the API key and use up its quota. Call the service from your own server, or sign in and leave `key` out; set `allowKeyInBrowser: true` only for a page that you alone can open.',
    );
  }
  return async (): Promise<Record<string, string>> => {
    const told = typeof key === 'string' ? key : await key();
    // The platform would name the whole header in its own error.
    if (!VISIBLE.test(told)) {
      throw clientError('key-refused', 'The API key is empty or has characters that no key has');
    }
    return { authorization: `Bearer ${told}` };
  };
}
