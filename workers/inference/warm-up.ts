import sharp from 'sharp';
import type { RunTask } from './task-runner.ts';

/** Of the picture: large enough for every step of a cut-out, small enough to take a fraction of a photo's time. */
const SIZE = { width: 400, height: 480 } as const;
const ROUNDS = 5;
const RGB = 3;

/** Whether a pixel is on the shirt: a body and two sleeves, coordinates 0..1. */
const isShirt = (x: number, y: number): boolean =>
  (Math.abs(x - 0.5) < 0.2 && y > 0.2 && y < 0.85) ||
  (Math.abs(x - 0.5) < 0.38 && y > 0.2 + 0.3 * (Math.abs(x - 0.5) - 0.2) && y < 0.42);

/** Draws a dark shirt with a weave before a light wall, and returns it as JPEG. */
export function drawShirt(): Promise<Uint8Array> {
  const { width, height } = SIZE;
  const data = new Uint8Array(RGB * width * height);
  for (let y = 0, p = 0; y < height; y++)
    for (let x = 0; x < width; x++, p += RGB) {
      const weave = 12 * Math.sin(x * 1.3) * Math.sin(y * 1.1);
      const [red, green, blue] = isShirt(x / width, y / height) ? [50, 70, 120] : [215, 210, 200];
      data[p] = red + weave;
      data[p + 1] = green + weave;
      data[p + 2] = blue + weave;
    }
  const raw = { width, height, channels: RGB } as const;
  return sharp(data, { raw }).blur(1).jpeg().toBuffer();
}

/**
 * Cuts out a drawn picture a few times while the process has nothing else to do. V8 compiles what it has seen often, so
 * the first photo after a start would take four times as long as later ones.
 * @param hasWork whether there is or was a request: then nothing more is done
 */
export async function warmUp(runTask: RunTask, hasWork: () => boolean): Promise<void> {
  const image = await drawShirt();
  for (let round = 0; round < ROUNDS && !hasWork(); round++)
    await runTask({ task: 'cut-out' }, Uint8Array.from(image));
}
