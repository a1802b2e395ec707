import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from './stage.ts';
import { freshPicture } from './world.ts';

/** Requests in flight at once. */
const CONCURRENCY = 4;

/** Requests one cut-out from the first gateway; resolves with the status, 0 without a response. */
async function requestOnce({ installation, world }: Stage): Promise<number> {
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

/** Requests until there is a cut-out; resolves with the time that took, milliseconds. */
export async function untilServed(stage: Stage, since = performance.now()): Promise<number> {
  while ((await requestOnce(stage)) !== 200) await pause(5);
  return performance.now() - since;
}

/** Runs an action while requests are sent without a pause. */
export async function underLoad<T>(stage: Stage, action: () => Promise<T>): Promise<T> {
  let isOver = false;
  const worker = async () => {
    while (!isOver) if ((await requestOnce(stage)) !== 200) await pause(50);
  };
  const workers = Array.from({ length: CONCURRENCY }, worker);
  try {
    return await action();
  } finally {
    isOver = true;
    await Promise.all(workers);
  }
}
