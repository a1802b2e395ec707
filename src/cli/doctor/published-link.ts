import { randomBytes } from 'node:crypto';
import type { Config } from '../../platform/config.ts';
import { deriveSecret, resolveSecrets } from '../../platform/secrets.ts';
import { FEEDS_PREFIX, segment } from '../../storage/blob-keys.ts';
import { fileLinks } from '../../storage/file-links.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { type Finding, fail, firstLineOf, ok, warn } from './finding.ts';

const NAME = 'published links';
const LIMIT_MILLIS = 10_000;
const MAX_REDIRECTS = 5;
const BYTES = 1000;

const REDIRECTS = [301, 302, 303, 307, 308];

/** What to do about a status of the gateway. */
const ADVICE: Readonly<Record<number, string>> = {
  404: 'Give this command the KEY_PEPPER of the gateway, and have the proxy forward path and query unchanged.',
  410: 'Give this command the storage of the gateway (STORE, STORE_DIR, S3_BUCKET, AWS_…).',
};
const PROXY_ADVICE =
  'Check PUBLIC_URL, and that the proxy there forwards /intake/v1/files/ to the gateway.';
const REDIRECT_ADVICE =
  'Set S3_PUBLIC_ENDPOINT to an address of the storage that everyone reaches, or unset it.';

/** What is wrong with published links. */
class Fault extends Error {
  readonly advice: string;

  constructor(detail: string, advice: string) {
    super(detail);
    this.advice = advice;
  }
}

/**
 * Follows redirects one by one, to know which host does not respond. Returns the last response, and where it is from.
 * @throws Fault
 */
async function follow(link: URL, method: string, signal: AbortSignal) {
  let url = link;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(url, { method, redirect: 'manual', signal }).catch((error) => {
      const reason = firstLineOf(error.cause ?? error);
      throw url.origin === link.origin
        ? new Fault(`${url.origin} does not respond: ${reason}`, PROXY_ADVICE)
        : new Fault(
            `they redirect to ${url.origin}, which does not respond: ${reason}`,
            REDIRECT_ADVICE,
          );
    });
    const location = response.headers.get('location');
    if (!REDIRECTS.includes(response.status) || !location) return { url, response };
    await response.body?.cancel();
    url = new URL(location, url);
  }
  throw new Fault(`${link.origin} redirects without end`, PROXY_ADVICE);
}

/** Fetches a published file as a marketplace does. @throws Fault */
export async function fetchPublished(
  link: URL,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<Finding> {
  for (const method of ['HEAD', 'GET']) {
    const { url, response } = await follow(link, method, signal);
    const body = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    if (status !== 200) {
      const detail = `${url.origin} answers ${method} with ${status}`;
      throw new Fault(detail, ADVICE[status] ?? PROXY_ADVICE);
    }
    if (method === 'GET' && !body.equals(bytes))
      throw new Fault(`${url.origin} returns other bytes than were stored`, PROXY_ADVICE);
    if (url.protocol === 'https:' && link.protocol === 'http:') {
      return warn(NAME, `${link.origin} redirects to https`, `Set PUBLIC_URL=${url.origin}`);
    }
  }
  return link.protocol === 'https:'
    ? ok(NAME, `one was fetched at ${link.origin}`)
    : warn(
        NAME,
        `one was fetched at ${link.origin}, but without TLS`,
        'Put a TLS proxy in front, and set PUBLIC_URL to its https address.',
      );
}

/** Publishes a file for a moment, and fetches it at the address that strangers use. */
export async function checkPublishedLink(config: Config, signal: AbortSignal): Promise<Finding> {
  const { PUBLIC_URL } = config;
  if (PUBLIC_URL === undefined) {
    const detail = 'no public address is known: links start with that of the request for an export';
    return warn(
      NAME,
      detail,
      'Set PUBLIC_URL to the address at which marketplaces reach this service.',
    );
  }
  const links = fileLinks(deriveSecret('file-links', resolveSecrets(config).keyPepper));
  const bytes = randomBytes(BYTES);
  const key = `${FEEDS_PREFIX}${segment('doctor')}/feed_${bytes.toString('hex', 0, 16)}/doctor`;
  const link = new URL(`${PUBLIC_URL}${links.create(key, 'doctor.bin')}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)]);
  const blobs = await openStorage(config).catch(() => undefined);
  if (!blobs) return warn(NAME, 'not checked: the storage cannot be used', 'Fix the store above.');
  try {
    await blobs.put(key, bytes, {}, limit);
    return await fetchPublished(link, bytes, limit);
  } catch (error) {
    signal.throwIfAborted();
    return fail(NAME, firstLineOf(error), error instanceof Fault ? error.advice : PROXY_ADVICE);
  } finally {
    await blobs.delete(key).catch(() => {}); // then the sweep of orphans deletes it
    blobs.close();
  }
}
