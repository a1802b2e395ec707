import { Command, InvalidArgumentError } from 'commander';
import { mintKey } from '../../auth/api-key.ts';
import { parseRetention, type Retention } from '../../auth/client-retention.ts';
import { type Grant, isLive, type KeyRecord } from '../../auth/keys.ts';
import { parseDuration, parseQuota, parseRate } from '../../auth/limit-settings.ts';
import { SCOPES, type Scope } from '../../auth/scopes.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';

/** Turns a parser's sentence into commander's refusal of an argument. */
export const argument =
  <T>(read: (text: string) => T) =>
  (text: string): T => {
    try {
      return read(text);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  };

/** Reads `scope,scope`. Throws a sentence that lists the scopes there are. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !SCOPES.some((scope) => scope === name));
  if (unknown.length > 0) {
    throw new Error(`Unknown scope ${unknown.join(', ')}; there are ${SCOPES.join(', ')}`);
  }
  return SCOPES.filter((scope) => names.includes(scope));
}

const CLIENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export function parseClient(text: string): string {
  if (!CLIENT.test(text)) throw new Error('A client is 1-64 of A-Z a-z 0-9 . _ -');
  return text;
}

/** Options of whatever makes a key; `limitsOf` reads them. */
export const withLimits = (command: Command): Command =>
  command
    .option(
      '--rate <rate>',
      'requests a time: 5/s, 60/min, 1000/h',
      argument(parseRate),
      parseRate('60/min'),
    )
    .option(
      '--quota <quota>',
      'removals a UTC day: 1000/day',
      argument(parseQuota),
      parseQuota('1000/day'),
    )
    .option('--allow-base64', 'allow answers in base64', false)
    .option(
      '--retention <policy>',
      'how long things may be kept at most: input=10min,output=1h,record=1d, or none',
      argument(parseRetention),
    );

export interface LimitOptions {
  rate: Grant['rate'];
  quota: number;
  allowBase64: boolean;
  retention?: Retention;
}

export const limitsOf = ({ rate, quota, allowBase64, retention }: LimitOptions) => ({
  rate,
  quotaPerDay: quota,
  allowBase64,
  ...(retention && { retention }),
});

/** The text for the one moment a key is shown. */
export const shownOnce = (key: string, record: KeyRecord): string =>
  `${key}\n\nThis is ${record.id} for ${record.client}. It is shown once; keep it on a server, never in an app.`;

const state = (record: KeyRecord): string => {
  if (record.revokedAt) return 'revoked';
  if (!isLive(record)) return 'expired';
  return record.expiresAt ? `until ${record.expiresAt}` : 'live';
};

const rowOf = (record: KeyRecord): string[] => [
  record.id,
  record.client,
  `${record.prefix}…`,
  state(record),
  `${record.rate.count}/${record.rate.periodSeconds}s`,
  `${record.quotaPerDay}/day`,
  record.allowBase64 ? 'yes' : 'no',
  record.scopes.join(' '),
];

/** `keys create|list|rotate|revoke|mint` */
export function keysCommand(): Command {
  const keys = new Command('keys').description('API keys of this installation');

  withLimits(keys.command('create'))
    .description('make a key; it is shown once')
    .requiredOption('--client <name>', 'whose key it is', argument(parseClient))
    .requiredOption('--scopes <list>', 'what it may do, comma-separated', argument(parseScopes))
    .action(async (options: LimitOptions & { client: string; scopes: Scope[] } & Output) =>
      withInstance(async ({ keys }: Instance) => {
        const { client, scopes } = options;
        const { key, record } = await keys.create({ client, scopes, ...limitsOf(options) });
        print(options, { key, id: record.id }, shownOnce(key, record));
      }),
    );

  keys
    .command('list')
    .description('all keys, without the keys themselves')
    .action(async (options: Output) =>
      withInstance(async ({ keys }: Instance) => {
        const records = await keys.list();
        const headings = ['id', 'client', 'key', 'state', 'rate', 'quota', 'base64', 'scopes'];
        print(options, records, table(headings, records.map(rowOf)));
      }),
    );

  keys
    .command('rotate <id>')
    .description('make a second key with the same grant; the old one lives on for a while')
    .option(
      '--grace <duration>',
      'how long the old key lives on',
      argument(parseDuration),
      parseDuration('24h'),
    )
    .action(async (id: string, options: { grace: number } & Output) =>
      withInstance(async ({ keys }: Instance) => {
        const { key, record } = await keys.rotate(id, options.grace);
        print(options, { key, id: record.id }, shownOnce(key, record));
      }),
    );

  keys
    .command('revoke <id>')
    .description('refuse a key from now on')
    .action(async (id: string, options: { json?: boolean }) =>
      withInstance(async ({ keys }: Instance) => {
        const record = await keys.revoke(id);
        print(options, { id, revokedAt: record.revokedAt }, `${id} is revoked`);
      }),
    );

  keys
    .command('mint')
    .description('print a fresh, unregistered key, for SELVAGE_DEV_KEY')
    .action(() => console.log(mintKey()));

  return keys;
}
