import { batchesClient } from './batches.ts';
import type { CutOutOptions } from './contract.ts';
import { feedsClient } from './feeds.ts';
import type { Client, ClientOptions } from './interface.ts';
import { jobsClient } from './jobs.ts';
import { lookClient } from './look.ts';
import { formPayload, jsonPayload } from './payload.ts';
import { presetsClient } from './presets.ts';
import { readImage } from './response.ts';
import { rulesClient } from './rules.ts';
import { sourcesClient } from './sources.ts';
import { taxonomyClient } from './taxonomy.ts';
import { createTransport } from './transport.ts';

/** Reads a cut-out. What is made right for rules may have another format than was requested. */
const readCutOut = ({ format, fixRules }: Pick<CutOutOptions, 'format' | 'fixRules'>) =>
  fixRules ? readImage() : readImage(`image/${format ?? 'png'}`);

export type * from './contract.ts';
export { SelvageError, type SelvageErrorInit, type ValidationIssue } from './error.ts';
export type * from './interface.ts';

/**
 * Creates a client of the service at `baseUrl`. Sends nothing yet.
 * @throws SelvageError `key-refused` if others could read the key
 * @throws TypeError if `baseUrl` is not an http or https URL
 */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options);
  const { requestJson, request } = transport;
  return {
    removeBackground(image, { signal, timeoutMillis, ...fields } = {}) {
      const body = formPayload({ image, ...fields });
      const read = readCutOut(fields);
      return request({ method: 'POST', path: '/bg/v1/background-removals', body }, read, {
        signal,
        timeoutMillis,
      });
    },
    refineCutOut({ image, alpha, strokes }, { signal, timeoutMillis, ...fields } = {}) {
      const body = formPayload({ image, alpha, strokes: JSON.stringify(strokes), ...fields });
      const read = readCutOut(fields);
      return request({ method: 'POST', path: '/bg/v1/refinements', body }, read, {
        signal,
        timeoutMillis,
      });
    },
    ...taxonomyClient(transport),
    look: lookClient(transport),
    jobs: jobsClient(transport),
    batches: batchesClient(transport),
    feeds: feedsClient(transport),
    rules: rulesClient(transport),
    presets: presetsClient(transport),
    sources: sourcesClient(transport),
    call: ({ json, ...call }, callOptions) =>
      requestJson({ ...call, ...(json !== undefined && { body: jsonPayload(json) }) }, callOptions),
    usage: (callOptions) => requestJson({ method: 'GET', path: '/intake/v1/usage' }, callOptions),
  };
}
