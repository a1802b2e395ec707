import { z } from 'zod';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { RULE_PACKS, type RulePacks } from '../../intake/named-settings.ts';
import {
  BUILT_IN_PACKS,
  MAX_PACK_BYTES,
  PACK_NAME,
  RulePack,
  versionOf,
} from '../../output/rules/pack.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';

const RULES_PATH = '/intake/v1/rules';
const PACK_PATH = `${RULES_PATH}/:name`;
const SCOPE = 'background-removal:process';

/** Bytes of a request: a pack that is indented. */
const MAX_BODY_BYTES = 4 * MAX_PACK_BYTES;

const PackResponse = z
  .object({
    name: z.string(),
    version: z.string().meta({ description: 'Of the content: equal packs have equal versions' }),
    builtIn: z.boolean(),
    changedAt: z.iso.datetime().optional(),
    pack: RulePack,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'NamedRulePack' });
const PackList = z.object({ rules: z.array(PackResponse) }).meta({ id: 'RulePackList' });

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
  if (BUILT_IN_PACKS.has(name)) {
    throw new Problem('conflict', `"${name}" is built in and cannot be changed; use another name`);
  }
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
      const { client } = call;
      const put = await packs.put(client, name, { pack: call.body });
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
      const { client } = call;
      if (!(await packs.remove(client, name))) throw notFound();
      return { status: 204 };
    },
  }),
];
