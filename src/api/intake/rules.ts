import { z } from 'zod';
import { type Call, json, jsonDoc, type Route, route } from '../../http/route.ts';
import { RULE_PACKS, type RulePacks } from '../../intake/named-settings.ts';
import type { CutOutOptions } from '../../output/options.ts';
import { withRulePack } from '../../output/rules/options.ts';
import {
  BUILT_IN_PACKS,
  MAX_PACK_BYTES,
  PACK_NAME,
  RulePack,
  versionOf,
} from '../../output/rules/pack.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { linksNamed, named } from '../schema.ts';

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
