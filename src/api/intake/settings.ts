import { z } from 'zod';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { PRESETS, type Presets, RULE_PACKS, type RulePacks } from '../../intake/named-settings.ts';
import { PRESET_NAME } from '../../output/request.ts';
import {
  BUILT_IN_PACKS,
  MAX_PACK_BYTES,
  PACK_NAME,
  RulePack,
  versionOf,
} from '../../output/rules/pack.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { linksNamed, named, namedRequest } from '../schema.ts';
import { PresetOptions } from './accept-options.ts';
import { exportPolicyField } from './review/export-policy.ts';

const RULES_PATH = '/intake/v1/rules';
const PACK_PATH = `${RULES_PATH}/:name`;
const SCOPE = 'background-removal:process';

/** Bytes of a request: a pack that is indented. */
const MAX_BODY_BYTES = 4 * MAX_PACK_BYTES;

const PackResponse = named('NamedRulePack', {
  name: z.string(),
  version: z.string().meta({ description: 'Of the content: equal packs have equal versions' }),
  builtIn: z.boolean(),
  changedAt: z.iso.datetime().optional(),
  pack: RulePack,
  links: linksNamed('self'),
});
const PackList = named('RulePackList', { rules: z.array(PackResponse) });

const packResponse = (
  { name, pack, changedAt }: { name: string; pack: RulePack; changedAt?: string },
  builtIn: boolean,
): z.infer<typeof PackResponse> => ({
  name,
  version: versionOf(pack),
  builtIn,
  ...(changedAt && { changedAt }),
  pack,
  links: { self: `${RULES_PATH}/${name}` },
});

const builtInResponses = () =>
  [...BUILT_IN_PACKS].map(([name, pack]) => packResponse({ name, pack }, true));

const notFound = () => new Problem('not-found', 'There is no such rule pack');

/** @throws Problem conflict, not-found */
function requireOwnName({ params: { name = '' } }: Call): string {
  if (BUILT_IN_PACKS.has(name))
    throw new Problem('conflict', `"${name}" is built in and cannot be changed; use another name`);
  if (PACK_NAME.test(name)) return name;
  throw new Problem('not-found', 'A name has 1 to 63 of a-z, 0-9 and hyphens');
}

/** @throws Problem payload-too-large */
function checkBytes(pack: RulePack): void {
  if (Buffer.byteLength(JSON.stringify(pack)) <= MAX_PACK_BYTES) return;
  throw fieldProblem(
    'payload-too-large',
    '/sources',
    'makes the pack too large',
    `A rule pack may have ${MAX_PACK_BYTES} bytes of JSON; leave out sources`,
  );
}

export const rulePackRoutes = (packs: RulePacks): Route[] => [
  route('listRulePacks', `GET ${RULES_PATH}`, {
    responses: { 200: jsonDoc('The packs', PackList) },
    async handle(call) {
      const own = await packs.list(call.client);
      return json({
        rules: [...builtInResponses(), ...own.map((pack) => packResponse(pack, false))],
      });
    },
  }),
  route('getRulePack', `GET ${PACK_PATH}`, {
    responses: { 200: jsonDoc('The pack', PackResponse) },
    async handle(call) {
      const { name = '' } = call.params;
      const builtIn = builtInResponses().find((pack) => pack.name === name);
      if (builtIn) return json(builtIn);
      const own = await packs.get(call.client, name);
      if (!own) throw notFound();
      return json(packResponse(own, false));
    },
  }),
  route('putRulePack', `PUT ${PACK_PATH}`, {
    scope: SCOPE,
    body: RulePack,
    maxBodyBytes: MAX_BODY_BYTES,
    responses: {
      200: jsonDoc('The pack, replaced', PackResponse),
      201: jsonDoc('The pack, new', PackResponse),
    },
    async handle(call) {
      const name = requireOwnName(call);
      checkBytes(call.body);
      const put = await packs.put(call.client, name, { pack: call.body });
      if (!put) {
        const detail = `Your client has its maximum of ${RULE_PACKS.max} rule packs; delete one`;
        throw new Problem('conflict', detail);
      }
      return { status: put.isNew ? 201 : 200, body: packResponse(put.stored, false) };
    },
  }),
  route('deleteRulePack', `DELETE ${PACK_PATH}`, {
    scope: SCOPE,
    responses: { 204: { description: 'It is deleted' } },
    async handle(call) {
      const name = requireOwnName(call);
      if (!(await packs.remove(call.client, name))) throw notFound();
      return { status: 204 };
    },
  }),
];

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
