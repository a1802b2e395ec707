import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';

const SIGNED_SECONDS = 60;
const META = 'x-amz-meta-';

/** An object as `GetObjectCommand` returns it. */
export type Found = Omit<GetObjectCommandOutput, '$metadata' | 'Body'> & { Body: Readable };

function foundOf(headers: Readonly<Record<string, string>>, Body: Readable): Found {
  const meta = Object.entries(headers).filter(([name]) => name.startsWith(META));
  return {
    Body,
    ContentLength: Number(headers['content-length']),
    ContentRange: headers['content-range'],
    ContentType: headers['content-type'],
    ETag: headers.etag,
    LastModified: new Date(headers['last-modified'] ?? 0),
    Metadata: Object.fromEntries(meta.map(([name, value]) => [name.slice(META.length), value])),
  };
}

/**
 * Reads objects by requests that it signs itself, on the connections of the SDK, whose middleware takes as long as a
 * small object.
 */
export class S3Reader {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #presigner;
  #base: Promise<string> | undefined;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
    this.#presigner = new S3RequestPresigner(client.config);
  }

  /** Returns where keys begin, as the SDK finds it. */
  async #resolve(): Promise<string> {
    const sample = new GetObjectCommand({ Bucket: this.#bucket, Key: 'key' });
    const { origin, pathname } = new URL(await getSignedUrl(this.#client, sample));
    return origin + pathname.slice(0, -'key'.length);
  }

  /**
   * Returns `absent` to a HEAD of an object that does not exist, and nothing if the server does not send the object at
   * once: the SDK knows its errors, and tries again.
   */
  async read(
    method: 'GET' | 'HEAD',
    key: string,
    abortSignal?: AbortSignal,
    range?: string,
  ): Promise<Found | 'absent' | undefined> {
    try {
      this.#base ??= this.#resolve();
      const { protocol, hostname, port, host, pathname } = new URL((await this.#base) + key);
      const app = await this.#client.config.userAgentAppId();
      const request = await this.#presigner.presign(
        {
          ...{ method, protocol, hostname, path: pathname, query: {} },
          ...(port && { port: Number(port) }),
          headers: { host, 'user-agent': `selvage app/${app ?? ''}`, ...(range && { range }) },
        },
        { expiresIn: SIGNED_SECONDS },
      );
      const options = abortSignal ? { abortSignal } : {};
      const { response } = await this.#client.config.requestHandler.handle(request, options);
      const body: unknown = response.body;
      if (!(body instanceof Readable)) return undefined;
      const isFound = response.statusCode === (range ? 206 : 200);
      if (!isFound || method === 'HEAD') body.on('error', () => {}).resume();
      if (isFound) return foundOf(response.headers, body);
      if (method === 'HEAD' && response.statusCode === 404) return 'absent';
    } catch {
      this.#base = undefined;
    }
    return undefined;
  }
}

/** Size of a part. S3 allows 10,000 parts: 78 GiB in total. */
const PART_BYTES = 8 * 2 ** 20;

interface S3Target {
  Bucket: string;
  Key: string;
  ContentType: string;
  Metadata: Record<string, string>;
}

/**
 * Uploads a stream of unknown length, part by part; two parts at most are in memory. The blob is invisible before the
 * last part, and nothing is left on the server if the upload fails. A stream that fits in one part is uploaded with one
 * call.
 * @param body ends with an error when the upload is to be aborted
 */
export async function uploadStream(
  client: S3Client,
  target: S3Target,
  body: Readable,
  options: { abortSignal?: AbortSignal },
): Promise<void> {
  // `Upload` passes no signal on, and its own abort does not wait until the parts are deleted. Create and complete
  // ignore the signal: an upload whose id is lost could never be aborted, and one whose completion is aborted might
  // exist all the same.
  const abortable: S3Client = Object.create(client, {
    send: {
      value: (command: Parameters<S3Client['send']>[0]) =>
        client.send(
          command,
          command instanceof UploadPartCommand || command instanceof PutObjectCommand
            ? options
            : {},
        ),
    },
  });
  const params = { ...target, Body: body };
  await new Upload({ client: abortable, params, partSize: PART_BYTES, queueSize: 1 }).done();
}
