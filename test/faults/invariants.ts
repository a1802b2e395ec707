import type { Entry, Ledger } from './ledger.ts';

/** Observations beside the ledger, at the end. */
export interface Found {
  /** Webhook ids received for each job. */
  webhooks: ReadonlyMap<string, ReadonlySet<string>>;
  /** Jobs that requested a webhook. */
  webhookJobs: ReadonlySet<string>;
  /** Units of the daily quota used, by client. */
  quotaUsed: ReadonlyMap<string, number>;
  /** Keys of orphan blobs after everything was deleted and swept. */
  orphanBlobs: readonly string[];
  /** Records of succeeded jobs whose cut-out was not in storage. */
  recordsWithoutBlob: readonly string[];
  /** Output hash of each image without faults. */
  reference: ReadonlyMap<string, string>;
  /** The logs of all processes, and the texts they must not contain. */
  logs: string;
  canaries: readonly string[];
  /** The time limit of a synchronous response, milliseconds. */
  longestMillis: number;
  /** Responses with another client's bytes: `client: picture`. */
  foreignBytes: readonly string[];
  /** URLs that still responded after DELETE. */
  readableAfterEnd: readonly string[];
}

/** An invariant of the service, and how its breaches are found. */
export interface Invariant {
  promise: string;
  breaches(ledger: Ledger, found: Found): string[];
}

const entriesOf = (ledger: Ledger): Entry[] => [...ledger.entries.values()];
const nameOf = ({ way, id }: Entry): string => `${way} ${id}`;
const succeeded = (entry: Entry): boolean => entry.ends.some((end) => end.outcome === 'succeeded');

function quotaBreaches(ledger: Ledger, found: Found): string[] {
  return [...found.quotaUsed].flatMap(([client, used]) => {
    const of = <T extends { client: string }>(list: readonly T[]) =>
      list.filter((item) => item.client === client);
    const least = of(entriesOf(ledger)).filter(succeeded).length;
    const most = least + of(ledger.unknowns).length;
    return used >= least && used <= most
      ? []
      : [
          `${client}: ${used} units used, ${least} succeeded, ${most - least} unknown to the client`,
        ];
  });
}

const manifestBreaches = ({ manifests }: Ledger): string[] =>
  [...manifests].flatMap(([batch, { accepted, customIds }]) => {
    const distinct = new Set(customIds).size;
    if (distinct === accepted && customIds.length === accepted) return [];
    return [
      `${batch}: ${accepted} accepted, ${customIds.length} listed, ${distinct} of them distinct`,
    ];
  });

const outputBreaches = (ledger: Ledger, found: Found): string[] =>
  entriesOf(ledger).flatMap((entry) =>
    entry.ends.flatMap(({ sha256 }) =>
      sha256 === undefined || sha256 === found.reference.get(entry.picture)
        ? []
        : [`${nameOf(entry)}: other bytes than without faults, of ${entry.picture}`],
    ),
  );

/** The invariants that hold whatever happens to processes, network, Redis and storage. */
export const INVARIANTS: readonly Invariant[] = [
  {
    promise: 'what was accepted comes to an end',
    breaches: (ledger) =>
      entriesOf(ledger).flatMap((entry) => (entry.ends.length === 0 ? [nameOf(entry)] : [])),
  },
  {
    promise: 'nothing comes to two ends',
    breaches: (ledger) =>
      entriesOf(ledger).flatMap((entry) => (entry.ends.length > 1 ? [nameOf(entry)] : [])),
  },
  {
    promise: 'nothing acknowledged is undone',
    breaches: ({ deeds }) =>
      deeds.flatMap(({ what, said, found }) =>
        said === found ? [] : [`${what}: ${said} was acknowledged, and then it was ${found}`],
      ),
  },
  {
    promise: 'no error of a machine is reported as an error of the image',
    breaches: (ledger) =>
      entriesOf(ledger).flatMap((entry) =>
        entry.ends.flatMap(({ problem }) => (problem ? [`${nameOf(entry)}: ${problem}`] : [])),
      ),
  },
  {
    promise: 'one webhook id a job',
    breaches: (_, { webhookJobs, webhooks }) =>
      [...webhookJobs].flatMap((job) => {
        const ids = webhooks.get(job)?.size ?? 0;
        return ids === 1 ? [] : [`${job}: ${ids} ids`];
      }),
  },
  { promise: 'quota is what succeeded', breaches: quotaBreaches },
  { promise: 'manifests list every accepted row once', breaches: manifestBreaches },
  { promise: 'no blob without a record', breaches: (_, { orphanBlobs }) => [...orphanBlobs] },
  {
    promise: 'no record without its blob',
    breaches: ({ missing }, { recordsWithoutBlob }) => [...missing, ...recordsWithoutBlob],
  },
  { promise: 'the same bytes as without faults', breaches: outputBreaches },
  {
    promise: 'no answer later than the deadline',
    breaches: ({ answers }, { longestMillis }) =>
      answers.flatMap(({ status, millis }) =>
        millis > longestMillis ? [`${status} after ${Math.round(millis)} ms`] : [],
      ),
  },
  {
    promise: 'no byte of one client in the answer to another',
    breaches: (_, { foreignBytes }) => [...foreignBytes],
  },
  {
    promise: 'nothing is readable past its time or after DELETE',
    breaches: ({ outlived }, { readableAfterEnd }) => [...outlived, ...readableAfterEnd],
  },
  {
    promise: 'no secret and no pixel in any log',
    breaches: (_, { logs, canaries }) => canaries.filter((canary) => logs.includes(canary)),
  },
];
