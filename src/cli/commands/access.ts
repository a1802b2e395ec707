import { Command } from 'commander';
import type { AccessRequest } from '../../auth/access-requests.ts';
import type { Scope } from '../../auth/scopes.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';
import {
  argument,
  type LimitOptions,
  limitsOf,
  parseClient,
  parseScopes,
  shownOnce,
  withLimits,
} from './keys.ts';

const rowOf = ({ id, client, contact, status, scopes, note }: AccessRequest): string[] => [
  id,
  client,
  contact,
  status,
  scopes.join(' '),
  note ?? '',
];

interface Wish extends Output {
  client: string;
  contact: string;
  scopes: Scope[];
  note?: string;
}

/** `access request|list|approve|deny`: a client asks, the operator decides. */
export function accessCommand(): Command {
  const access = new Command('access').description('managed access: requests and their approval');

  access
    .command('request')
    .description('ask for access, naming the scopes needed')
    .requiredOption('--client <name>', 'who asks', argument(parseClient))
    .requiredOption('--contact <address>', 'where the operator answers')
    .requiredOption('--scopes <list>', 'what is needed, comma-separated', argument(parseScopes))
    .option('--note <text>', 'what it is for')
    .action(async ({ client, contact, scopes, note, json }: Wish) =>
      withInstance(async ({ requests }: Instance) => {
        const request = await requests.request({ client, contact, scopes, ...(note && { note }) });
        print({ json }, request, `${request.id} waits for approval: access approve ${request.id}`);
      }),
    );

  access
    .command('list')
    .description('all requests, oldest first')
    .action(async (options: Output) =>
      withInstance(async ({ requests }: Instance) => {
        const all = await requests.list();
        const headings = ['id', 'client', 'contact', 'status', 'scopes', 'note'];
        print(options, all, table(headings, all.map(rowOf)));
      }),
    );

  withLimits(access.command('approve <id>'))
    .description('make the key that was asked for; it is shown once')
    .action(async (id: string, options: LimitOptions & Output) =>
      withInstance(async ({ requests }: Instance) => {
        const { key, record } = await requests.approve(id, limitsOf(options));
        print(options, { key, id: record.id }, shownOnce(key, record));
      }),
    );

  access
    .command('deny <id>')
    .description('turn a request down')
    .action(async (id: string, options: { json?: boolean }) =>
      withInstance(async ({ requests }: Instance) =>
        print(options, await requests.deny(id), `${id} is denied`),
      ),
    );

  return access;
}
