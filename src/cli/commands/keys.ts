import { Command, Option } from 'commander';
import type { AccessRequest, Approval } from '../../auth/access-requests.ts';
import { parseRetention, type Retention } from '../../auth/client-retention.ts';
import type { Grant, IntakeRight, KeyRecord } from '../../auth/key-record.ts';
import {
  CLIENT_NAME,
  DEFAULT_ALLOWANCE,
  DEFAULT_LIMITS,
  INTAKE_RIGHTS,
  isLive,
  MAX_WEIGHT,
  mintKey,
  rightsOf,
  SCOPES,
} from '../../auth/key-record.ts';
import {
  parseBytesPerDay,
  parseDuration,
  parseQuota,
  parseRate,
  parseWhole,
} from '../../auth/limit-settings.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { print, table } from '../terminal/output.ts';
import { argument, parseWords } from './arguments.ts';

/** Parses `scope,scope`. Throws an error that lists the scopes. */
const parseScopes = parseWords(
  SCOPES,
  (unknown) => `Unknown scope ${unknown}; the scopes are ${SCOPES.join(', ')}`,
);

const parseRightNames = parseWords(
  INTAKE_RIGHTS,
  (unknown) => `Unknown right ${unknown}; they are ${INTAKE_RIGHTS.join(', ')}, all and none`,
);

/** Parses `right,right`, `all` or `none`. Throws an error that lists the rights. */
function parseRights(text: string): IntakeRight[] {
  if (text === 'all') return [...INTAKE_RIGHTS];
  return text === 'none' ? [] : parseRightNames(text);
}

function parseClient(text: string): string {
  if (!CLIENT_NAME.test(text)) throw new Error('A client must be 1-64 of A-Z a-z 0-9 . _ -');
  return text;
}

/** The limits of a key. */
type Limits = Omit<Grant, 'client' | 'scopes'>;

/** An option, how its text is read, and its default. */
type LimitRow = readonly [
  flags: string,
  about: string,
  parse?: ((text: string) => unknown) | undefined,
  first?: unknown,
];

/** The options of commands that create a key, by the limit that they set. */
// biome-ignore format: a table reads best with a row a line
const LIMITS: Readonly<Partial<Record<keyof Limits, LimitRow>>> = {
  rate: ['--rate <rate>', 'requests per period: 5/s, 60/min, 1000/h', parseRate, DEFAULT_ALLOWANCE.rate],
  quotaPerDay: ['--quota <quota>', 'removals per UTC day: 1000/day', parseQuota, DEFAULT_ALLOWANCE.quotaPerDay],
  bytesPerDay: ['--bytes <bytes>', 'bytes stored per UTC day: 500MB/day, 50GB/day', parseBytesPerDay, DEFAULT_LIMITS.bytesPerDay],
  weight: ['--weight <turns>', `turns of its jobs for each turn of others, 1 to ${MAX_WEIGHT}`, parseWhole(1, MAX_WEIGHT), DEFAULT_LIMITS.weight],
  maxFeeds: ['--max-feeds <count>', 'feeds at a time', parseWhole(0, 100_000), DEFAULT_LIMITS.maxFeeds],
  feedIntervalSeconds: ['--feed-interval <duration>', 'minimum time between scheduled runs of a feed: 15min, 1h', parseDuration, DEFAULT_LIMITS.feedIntervalSeconds],
  intake: ['--intake <rights>', `parts of /intake it may use: ${INTAKE_RIGHTS.join(',')}, or none for a key of a public page`, parseRights, [...INTAKE_RIGHTS]],
  allowBase64: ['--allow-base64', 'allow base64 responses', undefined, false],
  test: ['--test', 'a test key: drawn answers, free of charge'],
  retention: ['--retention <policy>', 'maximum retention: input=10min,output=1h,record=1d, or none', parseRetention],
};

const limitOptions = Object.entries(LIMITS).map(([name, [flags, about, parse, first]]) => {
  const option = new Option(flags, about).default(first);
  return { name, option: parse ? option.argParser(argument(parse)) : option };
});

/** Adds the options of commands that create a key; `toLimits` reads them. */
function withLimits(command: Command): Command {
  for (const { option } of limitOptions) command.addOption(option);
  return command;
}

/** @param given the options of a command */
function toLimits(given: object): Limits {
  const values = new Map(Object.entries(given));
  const limits = limitOptions.map(({ name, option }) => [name, values.get(option.attributeName())]);
  return Object.fromEntries(limits.filter(([, value]) => value !== undefined));
}

/** What a command says: a value with `--json`, otherwise a text. */
type Answer = readonly [value: unknown, text: string];

/** Adds a command that works on this installation, and prints what the work returns. */
const add = <Given extends unknown[]>(
  to: Command,
  name: string,
  about: string,
  work: (instance: Instance, ...given: Given) => Promise<Answer>,
): Command =>
  to
    .command(name)
    .description(about)
    .action(async function (this: Command, ...given: Given) {
      await withInstance(async (instance) =>
        print(this.opts(), ...(await work(instance, ...given))),
      );
    });

const withClient = (command: Command): Command =>
  command.requiredOption('--client <name>', 'name of the client', argument(parseClient));

const withScopes = (command: Command): Command =>
  command.requiredOption('--scopes <list>', 'comma-separated scopes', argument(parseScopes));

/** Says a new key, which is shown only once. */
const newKey = (key: string, { id, client }: KeyRecord): Answer => [
  { key, id },
  `${key}\n\nThis is ${id} for ${client}. It is shown once; keep it on a server, never in an app.`,
];

const state = (record: KeyRecord, nowMillis: number): string => {
  if (record.revokedAt) return 'revoked';
  if (!isLive(record, nowMillis)) return 'expired';
  return record.expiresAt ? `until ${record.expiresAt}` : 'live';
};

const HEADINGS = 'id client key state rate quota base64 scopes intake'.split(' ');

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
  const all = new Command('keys').description('manage the API keys of this installation');

  const create = add(
    all,
    'create',
    'create a key, which is shown once',
    async ({ keys }, options: Pick<Grant, 'client' | 'scopes'>) => {
      const { client, scopes } = options;
      const { key, record } = await keys.create({ client, scopes, ...toLimits(options) });
      return newKey(key, record);
    },
  );
  withScopes(withClient(withLimits(create)));

  add(all, 'list', 'list all keys, without their secrets', async ({ keys, now }) => {
    const records = await keys.list();
    const rows = records.map((record) => rowOf(record, now()));
    return [records, table(HEADINGS, rows)];
  });

  const rotate = 'create a second key with the same grant; the old one stays valid for a while';
  const grace = argument(parseDuration);
  add(all, 'rotate <id>', rotate, async ({ keys }, id: string, options: { grace: number }) => {
    const { key, record } = await keys.rotate(id, options.grace);
    return newKey(key, record);
  }).option('--grace <duration>', 'how long the old key stays valid', grace, parseDuration('24h'));

  add(all, 'revoke <id>', 'revoke a key at once', async ({ keys }, id: string) => {
    const { revokedAt } = await keys.revoke(id);
    return [{ id, revokedAt }, `${id} is revoked`];
  });

  all
    .command('mint')
    .description('print a new, unregistered key for SELVAGE_DEV_KEY')
    .action(() => console.log(mintKey()));

  return all;
}

const requestRow = ({ id, client, contact, status, scopes, note }: AccessRequest): string[] => [
  id,
  client,
  contact,
  status,
  scopes.join(' '),
  note ?? '',
];

type RequestOptions = Pick<AccessRequest, 'client' | 'contact' | 'scopes' | 'note'>;

type ApproveOptions = Pick<Approval, 'client' | 'scopes' | 'existingClient'>;

/** `access request|list|approve|deny`: a client requests access, the operator decides. */
export function accessCommand(): Command {
  const access = new Command('access').description('managed access: requests and their approval');

  const request = add(
    access,
    'request',
    'request access to scopes',
    async ({ requests }, { client, contact, scopes, note }: RequestOptions) => {
      const made = await requests.create({ client, contact, scopes, ...(note && { note }) });
      return [made, `${made.id} waits for approval: access approve ${made.id}`];
    },
  );
  withClient(request).requiredOption('--contact <address>', 'where the operator can reach you');
  withScopes(request).option('--note <text>', 'purpose');

  add(access, 'list', 'all requests, oldest first', async ({ requests }) => {
    const all = await requests.list();
    const headings = ['id', 'client', 'contact', 'status', 'scopes', 'note'];
    return [all, table(headings, all.map(requestRow))];
  });

  const approve = add(
    access,
    'approve <id>',
    'approve a request; its key is shown once, or fetched by the client that sent it over HTTP',
    async ({ requests }, id: string, options: ApproveOptions) => {
      const { client, scopes, existingClient } = options;
      const approval = { ...toLimits(options), client, scopes, existingClient };
      const { key, record } = await requests.approve(id, approval);
      if (key && record) return newKey(key, record);
      return [{ id, status: 'approved' }, `${id} is approved; its client fetches the key`];
    },
  );
  withLimits(approve)
    .option('--client <name>', 'another name than the one asked for', argument(parseClient))
    .option('--scopes <list>', 'others than those asked for', argument(parseScopes))
    .option('--existing-client', 'the request comes from the client of that name, which has keys');

  add(access, 'deny <id>', 'deny a request', async ({ requests }, id: string) => [
    await requests.deny(id),
    `${id} is denied`,
  ]);

  return access;
}

const shown = (seconds: number | undefined): string => (seconds ? `${seconds}s` : '');

const policyRow = ({ client, policy }: { client: string; policy: Retention }): string[] => [
  client,
  shown(policy.inputSeconds),
  shown(policy.outputSeconds),
  shown(policy.recordSeconds),
  policy.store ?? '',
];

/** `retention set|list|clear`: the maximum retention of a client's data. */
export function retentionCommand(): Command {
  const retention = new Command('retention').description(
    'limit how long images and results of a client are retained',
  );

  const set = add(
    retention,
    'set',
    'set the limit for all keys of a client; keys and requests can only shorten it',
    async ({ clientRetention }, policy: Retention, { client }: { client: string }) => {
      await clientRetention.set(client, policy);
      return [{ client, policy }, `The policy of ${client} applies from the next request on`];
    },
  );
  const policy = 'input=10min,output=1h,record=1d, or none';
  withClient(set).argument('<policy>', policy, argument(parseRetention));

  const list = 'list the policies of all clients that have one';
  add(retention, 'list', list, async ({ clientRetention }) => {
    const all = await clientRetention.list();
    const headings = ['client', 'input', 'output', 'record', 'store'];
    return [all, table(headings, all.map(policyRow))];
  });

  const clear = add(
    retention,
    'clear',
    'remove the policy: keys and requests decide',
    async ({ clientRetention }, { client }: { client: string }) => {
      const cleared = await clientRetention.clear(client);
      return [{ client, cleared }, `${client} ${cleared ? 'has none now' : 'had none'}`];
    },
  );
  withClient(clear);

  return retention;
}
