import { setTimeout as pause } from 'node:timers/promises';
import { pictureOf } from '../support/feed-server.ts';
import type { Ledger } from './ledger.ts';
import { eachOf } from './load.ts';
import type { Sent } from './ways.ts';
import type { World } from './world.ts';

/** Creates signing secrets, without which no webhook is sent. */
export async function makeSecrets({ installation, customers }: World): Promise<void> {
  for (const { key } of customers) {
    const url = `${installation.gateways[0]?.url}/intake/v1/webhooks/secret`;
    await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` } });
  }
}

/** Waits until every job has sent its webhook, or none has arrived for long. */
export async function webhooksIn({ hook }: World, jobs: ReadonlySet<string>): Promise<void> {
  const missing = () => [...jobs].filter((job) => !hook.idsByJob.has(job)).length;
  for (let tries = 0; tries < 60 && missing() > 0; tries++) await pause(1000);
}

/** Some bytes of an image; the offset is a multiple of three, so their base64 is part of the base64 of the whole. */
const STRETCH = [300, 348] as const;

/** The texts no log may contain: the secret part of keys, and bytes of every image in base64 and hex. */
export async function canariesOf({ customers }: World): Promise<string[]> {
  const keys = customers.map(({ key }) => key.slice('slv_'.length + 4));
  const pictures = await Promise.all(customers.flatMap((c) => c.pictures).map(pictureOf));
  const stretches = pictures.map((bytes) => bytes.subarray(...STRETCH));
  return [
    ...keys,
    ...stretches.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('hex')]),
  ];
}

export async function quotaUsed({ customers }: World, before: ReadonlyMap<string, number>) {
  const used = new Map<string, number>();
  for (const { name, client } of customers) {
    const { quota } = await client.usage();
    used.set(name, quota.limit - quota.remaining - (before.get(name) ?? 0));
  }
  return used;
}

/** Responses to one customer with another customer's image. */
export function foreignBytes(ledger: Ledger, reference: ReadonlyMap<string, string>): string[] {
  const pictureOf = new Map([...reference].map(([picture, sha256]) => [sha256, picture]));
  return [...ledger.entries.values()].flatMap(({ client, picture, ends }) =>
    ends.flatMap(({ sha256 }) => {
      const seen = sha256 === undefined ? undefined : pictureOf.get(sha256);
      return seen === undefined || seen === picture ? [] : [`${client}: picture ${seen}`];
    }),
  );
}

/** Deletes everything; resolves with what can still be read. */
export async function eraseAll(
  sent: readonly { work: Sent }[],
  tell: ((line: string) => void) | undefined,
): Promise<string[]> {
  const readable: string[] = [];
  await eachOf(
    sent,
    async ({ work }) => {
      for (const check of await work.erase()) {
        if ((await check()) === 200) readable.push('an erased result is still readable');
      }
    },
    (done) => tell?.(`erase: ${done} of ${sent.length}`),
  );
  return readable;
}
