import { Command, InvalidArgumentError } from 'commander';
import { mintKey } from '../../auth/api-key.ts';
import { parseRetention, type Retention } from '../../auth/client-retention.ts';
import {
  DEFAULT_ALLOWANCE,
  DEFAULT_LIMITS,
  type Grant,
  isLive,
  type KeyRecord,
  MAX_WEIGHT,
} from '../../auth/key-record.ts';
import {
  parseBytesPerDay,
  parseDuration,
  parseQuota,
  parseRate,
  parseWhole,
} from '../../auth/limit-settings.ts';
import {
  CLIENT_NAME,
  INTAKE_RIGHTS,
  type IntakeRight,
  rightsOf,
  SCOPES,
  type Scope,
} from '../../auth/scopes.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';

/** Converts the error of a parser to commander's error for an invalid argument. */
export const argument =
  <T>(parse: (text: string) => T) =>
  (text: string): T => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };

/** Parses `scope,scope`. Throws an error that lists the scopes. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name));
  if (unknown.length > 0) {
    throw new Error(`Unknown scope ${unknown.join(', ')}; the scopes are ${SCOPES.join(', ')}`);
  }
  return SCOPES.filter((scope) => names.includes(scope));
}

/** Parses `right,right`, `all` or `none`. Throws an error that lists the rights. */
function parseRights(text: string): IntakeRight[] {
  if (text === 'all') return [...INTAKE_RIGHTS];
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !INTAKE_RIGHTS.some((right) => right === name));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown right ${unknown.join(', ')}; they are ${INTAKE_RIGHTS.join(', ')}, all and none`,
    );
  }
  return INTAKE_RIGHTS.filter((right) => names.includes(right));
}

export function parseClient(text: string): string {
  if (!CLIENT_NAME.test(text)) throw new Error('A client must be 1-64 of A-Z a-z 0-9 . _ -');
  return text;
}

/** Adds the options of commands that create a key; `toLimits` reads them. */
export const withLimits = (command: Command): Command =>
  command
    .option(
      '--rate <rate>',
      'requests per period: 5/s, 60/min, 1000/h',
      argument(parseRate),
      DEFAULT_ALLOWANCE.rate,
    )
    .option(
      '--quota <quota>',
      'removals per UTC day: 1000/day',
      argument(parseQuota),
      DEFAULT_ALLOWANCE.quotaPerDay,
    )
    .option(
      '--bytes <bytes>',
      'bytes stored per UTC day: 500MB/day, 50GB/day',
      argument(parseBytesPerDay),
      DEFAULT_LIMITS.bytesPerDay,
    )
    .option(
      '--weight <turns>',
      `turns of its jobs for each turn of others, 1 to ${MAX_WEIGHT}`,
      argument(parseWhole(1, MAX_WEIGHT)),
      DEFAULT_LIMITS.weight,
    )
    .option(
      '--max-feeds <count>',
      'feeds at a time',
      argument(parseWhole(0, 100_000)),
      DEFAULT_LIMITS.maxFeeds,
    )
    .option(
      '--feed-interval <duration>',
      'minimum time between scheduled runs of a feed: 15min, 1h',
      argument(parseDuration),
      DEFAULT_LIMITS.feedIntervalSeconds,
    )
    .option(
      '--intake <rights>',
      `parts of /intake it may use: ${INTAKE_RIGHTS.join(',')}, or none for a key of a public page`,
      argument(parseRights),
      [...INTAKE_RIGHTS],
    )
    .option('--allow-base64', 'allow base64 responses', false)
    .option('--test', 'a test key: drawn answers, free of charge')
    .option(
      '--retention <policy>',
      'maximum retention: input=10min,output=1h,record=1d, or none',
      argument(parseRetention),
    );

export interface LimitOptions {
  rate: Grant['rate'];
  quota: number;
  bytes: number;
  weight: number;
  maxFeeds: number;
  /** Seconds. */
  feedInterval: number;
  allowBase64: boolean;
  test?: true;
  intake: IntakeRight[];
  retention?: Retention;
}

export const toLimits = (options: LimitOptions) => ({
  rate: options.rate,
  quotaPerDay: options.quota,
  bytesPerDay: options.bytes,
  weight: options.weight,
  maxFeeds: options.maxFeeds,
  feedIntervalSeconds: options.feedInterval,
  allowBase64: options.allowBase64,
  intake: options.intake,
  ...(options.test && { test: options.test }),
  ...(options.retention && { retention: options.retention }),
});

/** Formats a new key, which is shown only once. */
export const keyText = (key: string, record: KeyRecord): string =>
  `${key}\n\nThis is ${record.id} for ${record.client}. It is shown once; keep it on a server, never in an app.`;

const state = (record: KeyRecord, nowMillis: number): string => {
  if (record.revokedAt) return 'revoked';
  if (!isLive(record, nowMillis)) return 'expired';
  return record.expiresAt ? `until ${record.expiresAt}` : 'live';
};

const rowOf = (record: KeyRecord, nowMillis: number): string[] => [
  record.id,
  record.client,
  `${record.prefix}…`,
  state(record, nowMillis),
  `${record.rate.count}/${record.rate.periodSeconds}s`,
  `${record.quotaPerDay}/day`,
  record.allowBase64 ? 'yes' : 'no',
  record.scopes.join(' '),
  rightsOf(record).join(' ') || 'none',
];

/** `keys create|list|rotate|revoke|mint` */
export function keysCommand(): Command {
  const keys = new Command('keys').description('manage the API keys of this installation');

  withLimits(keys.command('create'))
    .description('create a key, which is shown once')
    .requiredOption('--client <name>', 'name of the client', argument(parseClient))
    .requiredOption('--scopes <list>', 'comma-separated scopes', argument(parseScopes))
    .action(async (options: LimitOptions & { client: string; scopes: Scope[] } & Output) =>
      withInstance(async ({ keys }: Instance) => {
        const { client, scopes } = options;
        const { key, record } = await keys.create({ client, scopes, ...toLimits(options) });
        print(options, { key, id: record.id }, keyText(key, record));
      }),
    );

  keys
    .command('list')
    .description('list all keys, without their secrets')
    .action(async (options: Output) =>
      withInstance(async ({ keys, now }: Instance) => {
        const records = await keys.list();
        const headings = [
          'id',
          'client',
          'key',
          'state',
          'rate',
          'quota',
          'base64',
          'scopes',
          'intake',
        ];
        print(
          options,
          records,
          table(
            headings,
            records.map((record) => rowOf(record, now())),
          ),
        );
      }),
    );

  keys
    .command('rotate <id>')
    .description('create a second key with the same grant; the old one stays valid for a while')
    .option(
      '--grace <duration>',
      'how long the old key stays valid',
      argument(parseDuration),
      parseDuration('24h'),
    )
    .action(async (id: string, options: { grace: number } & Output) =>
      withInstance(async ({ keys }: Instance) => {
        const { key, record } = await keys.rotate(id, options.grace);
        print(options, { key, id: record.id }, keyText(key, record));
      }),
    );

  keys
    .command('revoke <id>')
    .description('revoke a key at once')
    .action(async (id: string, options: { json?: boolean }) =>
      withInstance(async ({ keys }: Instance) => {
        const record = await keys.revoke(id);
        print(options, { id, revokedAt: record.revokedAt }, `${id} is revoked`);
      }),
    );

  keys
    .command('mint')
    .description('print a new, unregistered key for SELVAGE_DEV_KEY')
    .action(() => console.log(mintKey()));

  return keys;
}
