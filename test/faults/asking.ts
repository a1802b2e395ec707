import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';
import { freshPicture } from './world.ts';

/** Requests that are waited for, under way at once while something is done. */
const LANES = 4;

/** Asks for one cut-out, by the first gateway; answers the status, 0 where there is none. */
async function askOnce({ installation, world }: Stage): Promise<number> {
  const [customer] = world.customers;
  const url = `${installation.gateways[0]?.url}/bg/v1/background-removals`;
  const body = new FormData();
  body.set('image', new Blob([await freshPicture(0)], { type: 'image/jpeg' }), 'shirt.jpg');
  const headers = { authorization: `Bearer ${customer?.key}` };
  return fetch(url, { method: 'POST', headers, body }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}

/** Asks until there is a cut-out; answers how long that took, milliseconds. */
export async function untilAnswered(stage: Stage, since = performance.now()): Promise<number> {
  while ((await askOnce(stage)) !== 200) await pause(5);
  return performance.now() - since;
}

/** Does something while requests come without a pause. */
export async function underLoad<T>(stage: Stage, deed: () => Promise<T>): Promise<T> {
  let isOver = false;
  const lane = async () => {
    while (!isOver) if ((await askOnce(stage)) !== 200) await pause(50);
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    return await deed();
  } finally {
    isOver = true;
    await Promise.all(lanes);
  }
}
