import type { RulePackList } from './contract.ts';
import type { RulesClient } from './interface.ts';
import { jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

const PATH = '/intake/v1/rules';

const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

/** The methods of `client.rules`. */
export const rulesClient = ({ requestJson }: Transport): RulesClient => ({
  async list(options) {
    const { rules } = await requestJson<RulePackList>({ method: 'GET', path: PATH }, options);
    return rules;
  },
  get: (name, options) => requestJson({ method: 'GET', path: pathOf(name) }, options),
  put: (name, pack, options) =>
    requestJson({ method: 'PUT', path: pathOf(name), body: jsonPayload(pack) }, options),
  delete: (name, options) =>
    requestJson({ method: 'DELETE', path: pathOf(name) }, options).then(() => {}),
});
