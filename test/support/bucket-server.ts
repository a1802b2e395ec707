import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './free-port.ts';

interface StoredObject {
  body: Buffer;
  etag: string;
  headers: Record<string, string>;
}

/** What a bucket answers instead. */
export interface BucketFault {
  status: number;
  code: string;
}

/** A server that speaks as much of S3 as a source uses: list, head, get and put of any number of buckets. */
export interface BucketServer {
  endpoint: string;
  put(bucket: string, key: string, body: Uint8Array, headers?: Record<string, string>): void;
  delete(bucket: string, key: string): void;
  get(bucket: string, key: string): Buffer | undefined;
  keys(bucket: string): string[];
  /** Makes requests fail, at once or later; undefined lets one through. */
  spoil(
    fault: (request: {
      method: string;
      bucket: string;
      key: string;
    }) => BucketFault | undefined | Promise<BucketFault>,
  ): void;
  /** Every request: method, bucket and key. */
  requests: string[];
  close(): Promise<void>;
}

const PAGE_KEYS = 1000;

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Keys in the order in which S3 lists them. */
const sorted = (keys: Iterable<string>): string[] =>
  [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

function listing(bucket: ReadonlyMap<string, StoredObject>, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const found = sorted(bucket.keys()).filter((key) => key.startsWith(prefix) && key > after);
  const page = found.slice(0, PAGE_KEYS);
  const contents = page.map((key) => {
    const { etag, body } = bucket.get(key)!;
    return `<Contents><Key>${escapeXml(key)}</Key><ETag>${escapeXml(etag)}</ETag><Size>${body.length}</Size></Contents>`;
  });
  const isTruncated = found.length > page.length;
  const next = isTruncated
    ? `<NextContinuationToken>${escapeXml(page.at(-1)!)}</NextContinuationToken>`
    : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}

/** Reads a body, also if it is signed in chunks. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}

export async function startBucketServer(...names: string[]): Promise<BucketServer> {
  const buckets = new Map(names.map((name) => [name, new Map<string, StoredObject>()]));
  const requests: string[] = [];
  let spoiler: Parameters<BucketServer['spoil']>[0] = () => undefined;

  function store(bucket: string, key: string, body: Uint8Array, headers = {}): void {
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    buckets.get(bucket)?.set(key, { body: Buffer.from(body), etag, headers });
  }

  function refuse(response: ServerResponse, { status, code }: BucketFault): void {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bucket');
    const [, name = '', ...rest] = pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const { method = 'GET' } = request;
    requests.push(`${method} ${name}/${key}`);
    const body = await readBody(request);
    const fault = await spoiler({ method, bucket: name, key });
    const bucket = buckets.get(name);
    if (fault) return refuse(response, fault);
    if (!bucket) return refuse(response, { status: 404, code: 'NoSuchBucket' });
    if (key === '') {
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(listing(bucket, searchParams));
      return;
    }
    if (method === 'PUT') {
      const kept = Object.entries(request.headers).filter(
        ([header]) => header === 'content-type' || header.startsWith('x-amz-meta-'),
      );
      store(name, key, body, Object.fromEntries(kept));
      response.writeHead(200).end();
      return;
    }
    const found = bucket.get(key);
    if (!found) return refuse(response, { status: 404, code: 'NoSuchKey' });
    const { etag, headers } = found;
    response.writeHead(200, { ...headers, etag, 'content-length': found.body.length });
    response.end(method === 'HEAD' ? undefined : found.body);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const port = await listen(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    put: store,
    delete: (bucket, key) => void buckets.get(bucket)?.delete(key),
    get: (bucket, key) => buckets.get(bucket)?.get(key)?.body,
    keys: (bucket) => sorted(buckets.get(bucket)?.keys() ?? []),
    spoil(fault) {
      spoiler = fault;
    },
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
