import type { Gateway } from '../../../gateway.ts';
import type { Presets } from '../../../intake/named-settings.ts';
import type { CutOutOptions } from '../../../output/options.ts';
import { mergePreset, type OutputRequest, toCutOutOptions } from '../../../output/request.ts';
import { fieldProblem } from '../../../platform/problem.ts';
import { checkLinks } from '../../check-links.ts';
import type { ExportPolicy } from '../review/export-policy.ts';
import { resolveRules } from '../rules/resolve-rules.ts';
import { PresetOptions } from './schema.ts';

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
