import { randomUUID } from 'node:crypto';
import { accepted, type End, type Entry, type Ledger, type Way } from './ledger.ts';
import { outlives, statusOf } from './outlives.ts';
import type { Random } from './random.ts';
import { type Customer, freshPicture, sha256Of, type World } from './world.ts';

/** Rows in one batch and one feed. */
const ROWS = 6;

/** Accepted work, and how to read its end. */
export interface Sent {
  way: Way;
  /** Units of work in it. */
  units: number;
  /** Waits for the end and records it. */
  settle(): Promise<void>;
  /** Reads the end again at the end of the campaign, and records it if it differs. */
  audit(): Promise<void>;
  /** Deletes the results; resolves with the URLs that must not respond any more. */
  erase(): Promise<(() => Promise<number>)[]>;
}

/** Sends one unit of work of a way. */
export type Send = (world: World, customer: Customer, random: Random) => Promise<Sent>;

const picturesOf = (customer: Customer, random: Random): number[] =>
  Array.from({ length: ROWS }, () => random.pick(customer.pictures));

const same = (a: End, b: End): boolean => a.outcome === b.outcome && a.sha256 === b.sha256;

/** Records an end, unless it is already known. */
function note(entry: Entry, end: End): void {
  if (!entry.ends.some((known) => same(known, end))) entry.ends.push(end);
}

async function sendSync({ ledger }: World, customer: Customer, random: Random): Promise<Sent> {
  const picture = random.pick(customer.pictures);
  const { image } = await customer.client.removeBackground(await freshPicture(picture));
  const id = randomUUID();
  const entry = accepted(ledger, { way: 'sync', id, client: customer.name, picture: `${picture}` });
  note(entry, { outcome: 'succeeded', sha256: sha256Of(image) });
  const nothing = async () => {};
  return { way: 'sync', units: 1, settle: nothing, audit: nothing, erase: async () => [] };
}

/** The time limit of an end: a slow machine has much to do after the faults. */
const PATIENT = { timeoutMillis: 1_800_000 } as const;

/** How many of the first jobs request the shortest retention. */
export const FLEETING_JOBS = 12;
const FLEETING = { outputSeconds: 60 } as const;

async function sendJob({ ledger, hook }: World, customer: Customer, random: Random): Promise<Sent> {
  const { jobs } = customer.client;
  const picture = random.pick(customer.pictures);
  const image = await freshPicture(picture);
  const isFleeting = ledger.fleeting.size < FLEETING_JOBS;
  const retention = isFleeting && { retention: FLEETING };
  const { id } = await jobs.create({ image, webhook: { url: hook.url }, ...retention });
  const entry = accepted(ledger, { way: 'job', id, client: customer.name, picture: `${picture}` });
  async function look(): Promise<void> {
    const { status, problem } = await jobs.wait(id, PATIENT);
    if (status !== 'succeeded') {
      return note(entry, { outcome: 'failed', problem: problem?.type ?? status });
    }
    const result = await jobs.result(id).catch(() => ledger.missing.add(id));
    if ('image' in result) note(entry, { outcome: 'succeeded', sha256: sha256Of(result.image) });
  }
  if (isFleeting) return fleetingJob(ledger, customer, id, look());
  return {
    way: 'job',
    units: 1,
    settle: look,
    audit: look,
    async erase() {
      await jobs.delete(id);
      return [() => statusOf(jobs.result(id))];
    },
  };
}

/** A job whose result is read until it expires, and that nobody deletes. */
function fleetingJob(
  ledger: Ledger,
  { client }: Customer,
  id: string,
  looked: Promise<void>,
): Sent {
  ledger.fleeting.add(id);
  looked.catch(() => {}); // reported where it settles
  return {
    way: 'job',
    units: 1,
    settle: () => looked,
    erase: async () => [],
    async audit() {
      if (await outlives(client, id)) ledger.outlived.add(id);
    },
  };
}

async function sendBatch({ ledger }: World, customer: Customer, random: Random): Promise<Sent> {
  const { batches } = customer.client;
  const pictures = picturesOf(customer, random);
  const { id } = await batches.create({ name: 'faults' });
  const files = await Promise.all(
    pictures.map(async (picture, i) => ({ name: `${i}`, image: await freshPicture(picture) })),
  );
  await batches.addFiles(id, files);
  await batches.seal(id);
  const entries = pictures.map((picture, i) =>
    accepted(ledger, {
      way: 'batch',
      id: `${id}/${i}`,
      client: customer.name,
      picture: `${picture}`,
    }),
  );
  async function look(): Promise<void> {
    for await (const _ of batches.events(id)) {
      // to its end
    }
    const customIds: string[] = [];
    ledger.manifests.set(id, { accepted: ROWS, customIds });
    for await (const row of batches.manifest(id)) {
      customIds.push(row.customId ?? `row ${row.row}`);
      const entry = entries[Number(row.customId)];
      if (!entry) throw new Error(`a row that nobody sent: ${row.customId}`);
      if (row.status === 'succeeded' && row.cutout) {
        note(entry, { outcome: 'succeeded', sha256: row.cutout.sha256 });
      } else note(entry, { outcome: 'failed', problem: row.problem?.type ?? row.status });
    }
  }
  async function readAll(): Promise<void> {
    await look();
    for (const [row, entry] of entries.entries()) {
      if (!entry.ends.some(({ outcome }) => outcome === 'succeeded')) continue;
      const cutout = await batches.cutout(id, row).catch(() => ledger.missing.add(entry.id));
      if ('image' in cutout) note(entry, { outcome: 'succeeded', sha256: sha256Of(cutout.image) });
    }
  }
  return {
    way: 'batch',
    units: ROWS,
    settle: look,
    audit: readAll,
    async erase() {
      await batches.delete(id);
      return [() => statusOf(batches.cutout(id, 0))];
    },
  };
}

async function sendFeed(
  { ledger, shop }: World,
  customer: Customer,
  random: Random,
): Promise<Sent> {
  const { feeds } = customer.client;
  const at = randomUUID();
  const pictures = picturesOf(customer, random);
  const links = await Promise.all(
    pictures.map(async (picture, i) =>
      shop.put(`/${at}/${i}.jpg`, { body: await freshPicture(picture), type: 'image/jpeg' }),
    ),
  );
  const body = `id,title,image_link\n${links.map((link, i) => `${i},Shirt,${link}\n`).join('')}`;
  const { id, run } = await feeds.create({ body, mediaType: 'text/csv' });
  if (!run) throw new Error('a feed that was sent has a run');
  const runId = run.id;
  const entries = pictures.map((picture, i) =>
    accepted(ledger, {
      way: 'feed',
      id: `${id}/${i}`,
      client: customer.name,
      picture: `${picture}`,
    }),
  );
  async function look(): Promise<void> {
    for await (const _ of feeds.events(id, runId)) {
      // to its end
    }
    for await (const line of feeds.report(id, runId)) {
      if (line.kind !== 'product') continue;
      const entry = entries[Number(line.id)];
      const [image] = line.images;
      if (!entry || !image) throw new Error(`a product that nobody sent: ${line.id}`);
      if (image.outcome === 'changed') note(entry, { outcome: 'succeeded' });
      else note(entry, { outcome: 'failed', problem: image.reason ?? image.outcome });
    }
  }
  return {
    way: 'feed',
    units: ROWS,
    settle: look,
    audit: look,
    async erase() {
      await feeds.delete(id);
      return [() => statusOf(feeds.getRun(id, runId))];
    },
  };
}

/** How each way sends its work. */
export const SEND: Readonly<Record<Way, Send>> = {
  sync: sendSync,
  job: sendJob,
  batch: sendBatch,
  feed: sendFeed,
};
