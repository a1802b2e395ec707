import { Agent, request } from 'undici';
import { drawnShirt, drawnShirtOnWood } from '../../test/support/images.ts';
import type { TargetResponse } from './open-loop.ts';

/** Concurrent sockets; a request beyond that waits, and its latency includes the wait. */
const MAX_SOCKETS = 256;
const WIDTHS = [480, 560, 640, 720, 800] as const;
const BOUNDARY = 'selvage-load';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

/** Inserts a comment behind the first marker: other bytes, the same pixels. */
export function withComment(jpeg: Buffer, comment: string): Buffer {
  const length = Buffer.byteLength(comment) + 2;
  const marker = Buffer.from([0xff, 0xfe, length >> 8, length & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, Buffer.from(comment), jpeg.subarray(2)]);
}

/** Draws images of several sizes, on wood and on a plain background. */
async function drawImages(): Promise<Buffer[]> {
  const drawn = WIDTHS.flatMap((width) => {
    const drawing = { width, height: width, format: 'jpeg' } as const;
    return [drawnShirt(drawing), drawnShirtOnWood(drawing)];
  });
  return Promise.all(drawn);
}

/** Sends removals to a gateway: every image is unique, and keys alternate. */
export async function openTarget(url: string, keys: readonly string[]) {
  const images = await drawImages();
  const dispatcher = new Agent({ connections: MAX_SOCKETS });
  let sent = 0;

  /** Image and key are chosen by `n`. */
  async function remove(n: number): Promise<TargetResponse> {
    const image = images[n % images.length] ?? Buffer.alloc(0);
    const key = keys[Math.floor(n / images.length) % keys.length];
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const body = Buffer.concat([HEAD, withComment(image, `${process.pid}-${sent++}`), TAIL]);
    const endpoint = `${url}/bg/v1/background-removals`;
    const response = await request(endpoint, { method: 'POST', headers, body, dispatcher });
    await response.body.dump({ limit: 2 ** 26 });
    const retryAfter = response.headers['retry-after'];
    return {
      status: response.statusCode,
      ...(retryAfter !== undefined && { retryAfter: String(retryAfter) }),
    };
  }
  return {
    send: (n: number): Promise<TargetResponse> => remove(n).catch(() => ({ status: 0 })),
    close: () => dispatcher.close(),
  };
}

export type Target = Awaited<ReturnType<typeof openTarget>>;
