import { Command } from 'commander';
import type { Usage } from '../../../packages/client/src/client.ts';
import { connect } from '../connection/connect.ts';
import type { ServerOptions } from '../connection/server-profile.ts';
import { type Output, print } from '../terminal/output.ts';

const formatUsage = ({ client, scopes, intake, rate, quota, storedBytes }: Usage): string =>
  [
    `client  ${client}`,
    `scopes  ${scopes.join(' ')}`,
    ...(intake ? [`intake  ${intake.join(' ') || 'none'}`] : []),
    `rate    ${rate.remaining} of ${rate.limit} requests left, reset in ${rate.resetSeconds} s`,
    `quota   ${quota.remaining} of ${quota.limit} left until ${quota.resetsAt}`,
    `bytes   ${storedBytes.remaining} of ${storedBytes.limit} left until ${storedBytes.resetsAt}`,
  ].join('\n');

/** `usage`: what the key allows and what is left. */
export const usageCommand = (signal: AbortSignal): Command =>
  new Command('usage')
    .description('what your key allows, and what is left of its rate and quota')
    .addHelpText('after', '\nExamples:\n  $ selvage usage\n  $ selvage usage --json')
    .action(async (options: ServerOptions & Output) => {
      const { requestId: _, ...usage } = await connect(options).usage({ signal });
      print(options, usage, formatUsage(usage));
    });
