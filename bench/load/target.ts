import { Agent, request } from 'undici';
import { drawnShirt, drawnShirtOnWood } from '../../test/support/images.ts';
import type { Answer } from './open-loop.ts';

/** Sockets that are open at once, at most; who comes when all are taken waits, and its latency shows it. */
const MOST_SOCKETS = 256;
const WIDTHS = [480, 560, 640, 720, 800] as const;
const BOUNDARY = 'selvage-load';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="photo.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

/** The picture with a comment behind its first marker: other bytes, the same pixels. */
export function withComment(jpeg: Buffer, comment: string): Buffer {
  const length = Buffer.byteLength(comment) + 2;
  const marker = Buffer.from([0xff, 0xfe, length >> 8, length & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), marker, Buffer.from(comment), jpeg.subarray(2)]);
}

/** Pictures of several sizes, on wood and on a plain ground. */
async function drawPictures(): Promise<Buffer[]> {
  const drawn = WIDTHS.flatMap((width) => {
    const drawing = { width, height: width, format: 'jpeg' } as const;
    return [drawnShirt(drawing), drawnShirtOnWood(drawing)];
  });
  return Promise.all(drawn);
}

/** Sends removals to a gateway: every picture is another one, and keys take turns. */
export async function openTarget(url: string, keys: readonly string[]) {
  const pictures = await drawPictures();
  const dispatcher = new Agent({ connections: MOST_SOCKETS });
  let sent = 0;

  /** The picture and the key go by `n`. */
  async function remove(n: number): Promise<Answer> {
    const picture = pictures[n % pictures.length] ?? Buffer.alloc(0);
    const key = keys[Math.floor(n / pictures.length) % keys.length];
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const body = Buffer.concat([HEAD, withComment(picture, `${process.pid}-${sent++}`), TAIL]);
    const address = `${url}/bg/v1/background-removals`;
    const answer = await request(address, { method: 'POST', headers, body, dispatcher });
    await answer.body.dump({ limit: 2 ** 26 });
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      ...(retryAfter !== undefined && { retryAfter: String(retryAfter) }),
    };
  }
  return {
    send: (n: number): Promise<Answer> => remove(n).catch(() => ({ status: 0 })),
    close: () => dispatcher.close(),
  };
}

export type Target = Awaited<ReturnType<typeof openTarget>>;
