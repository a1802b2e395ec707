import { Command } from 'commander';
import { parseRetention, type Retention } from '../../auth/client-retention.ts';
import { type Instance, withInstance } from '../connection/instance.ts';
import { type Output, print, table } from '../terminal/output.ts';
import { argument, parseClient } from './keys.ts';

const shown = (seconds: number | undefined): string => (seconds ? `${seconds}s` : '');

const rowOf = ({ client, policy }: { client: string; policy: Retention }): string[] => [
  client,
  shown(policy.inputSeconds),
  shown(policy.outputSeconds),
  shown(policy.recordSeconds),
  policy.store ?? '',
];

/** `retention set|list|clear`: how long what belongs to a client may be kept at most. */
export function retentionCommand(): Command {
  const retention = new Command('retention').description(
    'how long images and results of a client may be kept at most',
  );

  retention
    .command('set')
    .description('tighten it for all keys of a client; keys and requests can only tighten it more')
    .requiredOption('--client <name>', 'whose', argument(parseClient))
    .argument('<policy>', 'input=10min,output=1h,record=1d, or none', argument(parseRetention))
    .action(async (policy: Retention, { client, json }: { client: string } & Output) =>
      withInstance(async ({ clientRetention }: Instance) => {
        await clientRetention.set(client, policy);
        print({ json }, { client, policy }, `${client} is kept no longer from the next request on`);
      }),
    );

  retention
    .command('list')
    .description('the policies of all clients that have one')
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
    .description('back to what keys and requests say')
    .requiredOption('--client <name>', 'whose', argument(parseClient))
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
