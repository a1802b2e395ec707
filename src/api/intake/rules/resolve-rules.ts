import type { RulePacks } from '../../../intake/named-settings.ts';
import type { CutOutOptions } from '../../../output/options.ts';
import { BUILT_IN_PACKS } from '../../../output/rules/built-in.ts';
import { withRulePack } from '../../../output/rules/options.ts';
import { fieldProblem } from '../../../platform/problem.ts';

/**
 * Adds to options the pack they name: work keeps it, whatever the client changes later.
 * @param pointer to the name in the request
 * @throws Problem invalid-request if the client has no such pack; upstream-unavailable
 */
export async function resolveRules(
  packs: Pick<RulePacks, 'get'>,
  client: string | undefined,
  options: CutOutOptions,
  pointer: string,
): Promise<CutOutOptions> {
  const { rules } = options;
  if (rules === undefined || options.rulePack) return options;
  const builtIn = BUILT_IN_PACKS.get(rules);
  if (builtIn) return withRulePack(options, builtIn);
  const own = client === undefined ? undefined : await packs.get(client, rules);
  if (own) return withRulePack(options, own.pack);
  const names = [...BUILT_IN_PACKS.keys()].join(', ');
  throw fieldProblem(
    'invalid-request',
    pointer,
    'is not the name of a rule pack',
    `There is no rule pack "${rules}": use ${names}, or create it with PUT /intake/v1/rules/${rules}`,
  );
}
