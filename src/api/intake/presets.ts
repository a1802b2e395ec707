import { z } from 'zod';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { PRESETS, type Presets } from '../../intake/named-settings.ts';
import { PRESET_NAME } from '../../output/request.ts';
import { Problem } from '../../platform/problem.ts';
import { PresetOptions } from './accept-options.ts';
import { exportPolicyField } from './review/export-policy.ts';

const PresetRequest = z
  .strictObject({ options: PresetOptions.default({}), export: exportPolicyField })
  .meta({ id: 'PresetRequest' });

const PresetResponse = z
  .object({
    name: z.string(),
    options: PresetOptions,
    export: exportPolicyField,
    changedAt: z.iso.datetime(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Preset' });

const PresetList = z.object({ presets: z.array(PresetResponse) }).meta({ id: 'PresetList' });

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
      const { client } = call;
      const preset = await presets.get(client, nameOf(call));
      if (!preset) throw unknown();
      return json(toResponse(preset));
    },
  }),
  route('putPreset', `PUT ${PATH}/:name`, {
    scope: 'background-removal:process',
    body: PresetRequest,
    responses: { 200: presetDoc },
    async handle(call) {
      const { client } = call;
      const put = await presets.put(client, nameOf(call), call.body);
      if (!put) throw tooMany();
      return json(toResponse(put.stored));
    },
  }),
  route('deletePreset', `DELETE ${PATH}/:name`, {
    scope: 'background-removal:process',
    responses: { 204: { description: 'It is deleted' } },
    async handle(call) {
      const { client } = call;
      if (!(await presets.remove(client, nameOf(call)))) throw unknown();
      return { status: 204 };
    },
  }),
];
