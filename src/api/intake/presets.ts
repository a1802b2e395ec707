import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { PRESETS, type Presets } from '../../intake/named-settings.ts';
import type { CutOutOptions } from '../../output/options.ts';
import {
  checkConflicts,
  fieldsAt,
  mergePreset,
  type OutputRequest,
  PRESET_NAME,
  toCutOutOptions,
  withoutBlanks,
} from '../../output/request.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { checkLinks } from '../common-problems.ts';
import { linksNamed, named, namedRequest } from '../schema.ts';
import { type ExportPolicy, exportPolicyField } from './review/export-policy.ts';
import { resolveRules } from './rules.ts';

const PresetOptions = z
  .preprocess(withoutBlanks, z.strictObject(fieldsAt('presets')).superRefine(checkConflicts))
  .meta({ id: 'PresetOptions' });

const PresetRequest = namedRequest('PresetRequest', {
  options: PresetOptions.default({}),
  export: exportPolicyField,
});

const PresetResponse = named('Preset', {
  name: z.string(),
  options: PresetOptions,
  export: exportPolicyField,
  changedAt: z.iso.datetime(),
  links: linksNamed('self'),
});

const PresetList = named('PresetList', { presets: z.array(PresetResponse) });

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

const PATH = '/intake/v1/presets';

const toResponse = <T extends { name: string }>(preset: T) => ({
  ...preset,
  links: { self: `${PATH}/${preset.name}` },
});

const unknown = (): Problem => new Problem('not-found', 'You have no preset of this name');

/** @throws Problem not-found if no preset can have it */
function nameOf({ params: { name = '' } }: Pick<Call, 'params'>): string {
  if (PRESET_NAME.test(name)) return name;
  throw new Problem('not-found', 'Names of presets are 1 to 64 of a-z, 0-9 and hyphens');
}

const tooMany = (): Problem =>
  new Problem('conflict', `Your client has its maximum of ${PRESETS.max} presets; delete some`);

const presetDoc = jsonDoc('The preset', PresetResponse);

export const presetRoutes = (presets: Presets): Route[] => [
  route('listPresets', `GET ${PATH}`, {
    responses: { 200: jsonDoc('Presets', PresetList) },
    async handle(call) {
      const found = await presets.list(call.client);
      return json({ presets: found.map(toResponse) });
    },
  }),
  route('getPreset', `GET ${PATH}/:name`, {
    responses: { 200: presetDoc },
    async handle(call) {
      const preset = await presets.get(call.client, nameOf(call));
      if (!preset) throw unknown();
      return json(toResponse(preset));
    },
  }),
  route('putPreset', `PUT ${PATH}/:name`, {
    scope: 'background-removal:process',
    body: PresetRequest,
    responses: { 200: presetDoc },
    async handle(call) {
      const put = await presets.put(call.client, nameOf(call), call.body);
      if (!put) throw tooMany();
      return json(toResponse(put.stored));
    },
  }),
  route('deletePreset', `DELETE ${PATH}/:name`, {
    scope: 'background-removal:process',
    responses: { 204: { description: 'It is deleted' } },
    async handle(call) {
      if (!(await presets.remove(call.client, nameOf(call)))) throw unknown();
      return { status: 204 };
    },
  }),
];
