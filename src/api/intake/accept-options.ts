import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import type { Presets, RulePacks } from '../../intake/named-settings.ts';
import type { CutOutOptions } from '../../output/options.ts';
import {
  checkConflicts,
  fieldsAt,
  mergePreset,
  type OutputRequest,
  toCutOutOptions,
  withoutBlanks,
  withRulePack,
} from '../../output/request.ts';
import { BUILT_IN_PACKS } from '../../output/rules/pack.ts';
import { fieldProblem } from '../../platform/problem.ts';
import { checkLinks } from '../common-problems.ts';
import type { ExportPolicy } from './review/export-policy.ts';

export const PresetOptions = z
  .preprocess(withoutBlanks, z.strictObject(fieldsAt('presets')).superRefine(checkConflicts))
  .meta({ id: 'PresetOptions' });

/** Options with those of a preset, and which cut-outs its exports have. */
interface AppliedPreset<T> {
  options: T;
  exportPolicy?: ExportPolicy | undefined;
}

/**
 * Adds the options of the preset that a request names, if it names one; those that it sends itself win.
 * @param pointer to `preset` in the request
 * @param fields of a preset that apply here; all by default
 * @throws Problem invalid-request if the client has no such preset; upstream-unavailable
 */
export async function applyPreset<T extends Pick<OutputRequest, 'preset'>>(
  presets: Pick<Presets, 'get'>,
  client: string | undefined,
  sent: T,
  pointer: string,
  fields?: readonly string[],
): Promise<AppliedPreset<T>> {
  const { preset: name } = sent;
  if (name === undefined) return { options: sent };
  const preset = client === undefined ? undefined : await presets.get(client, name);
  if (!preset) {
    const detail = 'You have no preset of this name; GET /intake/v1/presets lists yours';
    throw fieldProblem('invalid-request', pointer, 'is not a preset of yours', detail);
  }
  const all = Object.entries(PresetOptions.parse(preset.options));
  const applied = Object.fromEntries(all.filter(([field]) => fields?.includes(field) ?? true));
  return { options: mergePreset(applied, sent), exportPolicy: preset.export };
}

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

/**
 * Returns the options that work is accepted with, of a request whose member `options` names a preset, links and rules.
 * @throws Problem invalid-request if one of them is not there or can never be fetched; upstream-unavailable
 */
export async function acceptOptions(
  { presets, linkRule, rulePacks }: Pick<Gateway, 'presets' | 'linkRule' | 'rulePacks'>,
  client: string,
  sent: OutputRequest,
): Promise<AppliedPreset<CutOutOptions>> {
  const { options, exportPolicy } = await applyPreset(presets, client, sent, '/options/preset');
  checkLinks(linkRule, { '/options/backgroundImageUrl': options.backgroundImageUrl });
  const asked = toCutOutOptions(options);
  return {
    options: await resolveRules(rulePacks, client, asked, '/options/rules'),
    exportPolicy,
  };
}
