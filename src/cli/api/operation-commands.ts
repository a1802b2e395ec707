import { Command, Option } from 'commander';
import { z } from 'zod';
import type { ApiCall, Client } from '../../../packages/client/src/client.ts';
import { parseNumber } from '../commands/arguments.ts';
import { connect, type ServerOptions } from '../connection/connect.ts';
import { readJsonFile } from '../terminal/files.ts';
import { CliError, type Output, print } from '../terminal/output.ts';
import { factsText } from './facts.ts';
import { GROUPS, OPERATIONS, type Operation } from './operations.ts';

type Given = ServerOptions & Output & Readonly<Record<string, unknown>>;
type Members = Record<string, unknown>;

const DEFAULT_LIMIT = 100;
/** Rows of a page; the service gives no more. */
const PAGE_ROWS = 100;
const LIMIT = { '--limit <number>': `at most so many; ${DEFAULT_LIMIT} by default` };

const ABOUT: Readonly<Record<string, string>> = {
  of: 'a batch, a run of a feed as feed_…/run_…, or a feed: its latest run',
  file: 'JSON; "-" reads standard input',
};

/** Names of the arguments of a command, in order. */
const argumentsOf = ({ usage }: Operation): string[] =>
  [...usage.matchAll(/<(\w+)>/g)].map(([, name = '']) => name);

const optionsOf = ({ options = {}, pages }: Operation): Option[] =>
  Object.entries({ ...options, ...(pages && LIMIT) }).map(([flags, about]) => {
    const option = new Option(flags, about);
    return flags.includes('<number>') ? option.argParser(parseNumber) : option;
  });

const Page = z.looseObject({ links: z.object({ next: z.string() }).optional() });

/** Returns the path of a batch, or of a run of a feed. */
async function reviewedPath(client: Client, of: string, signal: AbortSignal): Promise<string> {
  if (!of.startsWith('feed_')) return `batches/${encodeURIComponent(of)}`;
  const [feed = '', named] = of.split('/');
  const run = named ?? (await client.feeds.get(feed, { signal })).run?.id;
  if (run) return `feeds/${encodeURIComponent(feed)}/runs/${encodeURIComponent(run)}`;
  throw new CliError(`${feed} has not run yet`);
}

const readBody = (file: string): Promise<Members> =>
  readJsonFile(file === '-' ? '/dev/stdin' : file, z.record(z.string(), z.unknown()));

/** Returns the call of an operation. @param values of its arguments, in order */
async function toCall(
  operation: Operation,
  values: readonly string[],
  given: Given,
  client: Client,
  signal: AbortSignal,
): Promise<ApiCall> {
  const [method, template = ''] = operation.call.split(' ') as [ApiCall['method'], string];
  let path = template;
  const members: Members = { ...operation.body };
  for (const [i, name] of argumentsOf(operation).entries()) {
    const value = values[i] ?? '';
    if (name === 'file') Object.assign(members, await readBody(value));
    else if (name === 'of') path = path.replace('{of}', await reviewedPath(client, value, signal));
    else if (template.includes(`{${name}}`))
      path = path.replace(`{${name}}`, encodeURIComponent(value));
    else members[name] = value;
  }
  for (const name of optionsOf(operation).map((option) => option.attributeName()))
    if (given[name] !== undefined) members[name] = given[name];
  if (method === 'GET' || method === 'DELETE')
    return { method, path, query: members as ApiCall['query'] };
  return { method, path, ...(Object.keys(members).length > 0 && { json: members }) };
}

/** Reads pages until there are no more, or so many rows as asked for. @param member of a page that has its rows */
async function readPages(
  client: Client,
  call: ApiCall,
  member: string,
  signal: AbortSignal,
): Promise<Members> {
  const limit = Number(call.query?.limit ?? DEFAULT_LIMIT);
  const query = { ...call.query, limit: Math.min(limit, PAGE_ROWS) };
  const rows: unknown[] = [];
  let next: ApiCall | undefined = { ...call, query };
  while (next && rows.length < limit) {
    const page = Page.parse(await client.call<Members>(next, { signal }));
    const { links } = page;
    rows.push(...z.array(z.unknown()).parse(page[member]));
    next = links && { method: 'GET', path: links.next };
  }
  if (next || rows.length > limit) console.error(`There may be more: --limit ${10 * limit}`);
  return { [member]: rows.slice(0, limit) };
}

async function run(
  operation: Operation,
  values: readonly string[],
  given: Given,
  signal: AbortSignal,
): Promise<Members> {
  const client = connect(given);
  const call = await toCall(operation, values, given, client, signal);
  if (operation.pages) return readPages(client, call, operation.table?.[0] ?? '', signal);
  const { requestId: _, ...response } = await client.call<Members>(call, { signal });
  return response;
}

function operationCommand(operation: Operation, name: string, signal: AbortSignal): Command {
  const command = new Command(name).description(operation.about);
  const names = argumentsOf(operation);
  for (const each of names) command.argument(`<${each}>`, ABOUT[each]);
  for (const option of optionsOf(operation)) command.addOption(option);
  return command.action(async (...given: unknown[]) => {
    const options = given[names.length] as Given;
    const values = given.slice(0, names.length).map(String);
    const response = await run(operation, values, options, signal);
    print(options, response, factsText(response, operation.table) || 'done');
  });
}

/** Returns the commands of the table of operations; those of two words are below a command of the first. */
export function operationCommands(signal: AbortSignal): Command[] {
  const groups = new Map<string, Command>();
  return OPERATIONS.flatMap((operation) => {
    const [first = '', second] = operation.usage.split(' ').filter((word) => !word.startsWith('<'));
    if (second === undefined) return operationCommand(operation, first, signal);
    const known = groups.get(first);
    const group = known ?? new Command(first).description(GROUPS[first] ?? '');
    groups.set(first, group.addCommand(operationCommand(operation, second, signal)));
    return known ? [] : group;
  });
}
