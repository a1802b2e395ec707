/** More are not kept, bytes of one host. */
const MAX_BYTES = 8 * 1024;

/** The cookies of one request and its redirects. Each goes only to the origin that set it. */
export class Cookies {
  readonly #byOrigin = new Map<string, Map<string, string>>();

  /** @param setCookie the header of a response, one or several */
  take({ origin }: URL, setCookie: string | string[] | undefined): void {
    const own = this.#byOrigin.get(origin) ?? new Map<string, string>();
    this.#byOrigin.set(origin, own);
    for (const each of [setCookie ?? []].flat()) {
      const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)=([\x21-\x3a\x3c-\x7e]*)/.exec(each) ?? [];
      if (name !== undefined && value !== undefined) own.set(name, value);
    }
  }

  headersFor({ origin }: URL): { cookie?: string } {
    const pairs = [...(this.#byOrigin.get(origin) ?? [])].map(
      ([name, value]) => `${name}=${value}`,
    );
    const cookie = pairs.join('; ');
    return cookie !== '' && cookie.length <= MAX_BYTES ? { cookie } : {};
  }
}
