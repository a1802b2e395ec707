import { Command } from 'commander';
import { parseRetention, type Retention } from '../../auth/client-retention.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';
import { argument } from './arguments.ts';
import { parseClient } from './keys.ts';

const shown = (seconds: number | undefined): string => (seconds ? `${seconds}s` : '');

const rowOf = ({ client, policy }: { client: string; policy: Retention }): string[] => [
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

  retention
    .command('set')
    .description('set the limit for all keys of a client; keys and requests can only shorten it')
    .requiredOption('--client <name>', 'name of the client', argument(parseClient))
    .argument('<policy>', 'input=10min,output=1h,record=1d, or none', argument(parseRetention))
    .action(async (policy: Retention, { client, json }: { client: string } & Output) =>
      withInstance(async ({ clientRetention }: Instance) => {
        await clientRetention.set(client, policy);
        print(
          { json },
          { client, policy },
          `The policy of ${client} applies from the next request on`,
        );
      }),
    );

  retention
    .command('list')
    .description('list the policies of all clients that have one')
    .action(async (options: Output) =>
      withInstance(async ({ clientRetention }: Instance) => {
        const all = await clientRetention.list();
        print(
          options,
          all,
          table(['client', 'input', 'output', 'record', 'store'], all.map(rowOf)),
        );
      }),
    );

  retention
    .command('clear')
    .description('remove the policy: keys and requests decide')
    .requiredOption('--client <name>', 'name of the client', argument(parseClient))
    .action(async ({ client, json }: { client: string } & Output) =>
      withInstance(async ({ clientRetention }: Instance) => {
        const cleared = await clientRetention.clear(client);
        print(
          { json },
          { client, cleared },
          cleared ? `${client} has none now` : `${client} had none`,
        );
      }),
    );

  return retention;
}
