import { Command } from 'commander';
import type { AccessRequest, Approval } from '../../auth/access-requests.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';
import { argument } from './arguments.ts';
import { keyText, parseClient, parseScopes, toLimits, withLimits } from './keys.ts';

const rowOf = ({ id, client, contact, status, scopes, note }: AccessRequest): string[] => [
  id,
  client,
  contact,
  status,
  scopes.join(' '),
  note ?? '',
];

type RequestOptions = Output & Pick<AccessRequest, 'client' | 'contact' | 'scopes' | 'note'>;

type ApproveOptions = Output & Pick<Approval, 'client' | 'scopes' | 'existingClient'>;

/** `access request|list|approve|deny`: a client requests access, the operator decides. */
export function accessCommand(): Command {
  const access = new Command('access').description('managed access: requests and their approval');

  access
    .command('request')
    .description('request access to scopes')
    .requiredOption('--client <name>', 'name of the client', argument(parseClient))
    .requiredOption('--contact <address>', 'where the operator can reach you')
    .requiredOption('--scopes <list>', 'comma-separated scopes', argument(parseScopes))
    .option('--note <text>', 'purpose')
    .action(async ({ client, contact, scopes, note, json }: RequestOptions) =>
      withInstance(async ({ requests }: Instance) => {
        const request = await requests.create({ client, contact, scopes, ...(note && { note }) });
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
    .description(
      'approve a request; its key is shown once, or fetched by the client that sent it over HTTP',
    )
    .option('--client <name>', 'another name than the one asked for', argument(parseClient))
    .option('--scopes <list>', 'others than those asked for', argument(parseScopes))
    .option('--existing-client', 'the request comes from the client of that name, which has keys')
    .action(async (id: string, options: ApproveOptions) =>
      withInstance(async ({ requests }: Instance) => {
        const { client, scopes, existingClient } = options;
        const approval = { ...toLimits(options), client, scopes, existingClient };
        const { key, record } = await requests.approve(id, approval);
        if (key && record) return print(options, { key, id: record.id }, keyText(key, record));
        print(options, { id, status: 'approved' }, `${id} is approved; its client fetches the key`);
      }),
    );

  access
    .command('deny <id>')
    .description('deny a request')
    .action(async (id: string, options: { json?: boolean }) =>
      withInstance(async ({ requests }: Instance) =>
        print(options, await requests.deny(id), `${id} is denied`),
      ),
    );

  return access;
}
