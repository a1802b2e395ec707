import type { PresetList } from './contract.ts';
import type { PresetsClient } from './interface.ts';
import { jsonPayload } from './payload.ts';
import type { Transport } from './transport.ts';

const PATH = '/intake/v1/presets';
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

/** The methods of `client.presets`. */
export const presetsClient = ({ requestJson }: Transport): PresetsClient => ({
  list: async (options) =>
    (await requestJson<PresetList>({ method: 'GET', path: PATH }, options)).presets,
  get: (name, options) => requestJson({ method: 'GET', path: pathOf(name) }, options),
  put: (name, preset, options) =>
    requestJson({ method: 'PUT', path: pathOf(name), body: jsonPayload(preset) }, options),
  delete: (name, options) =>
    requestJson({ method: 'DELETE', path: pathOf(name) }, options).then(() => {}),
});
