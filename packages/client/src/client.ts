import { accessClient } from './access.ts';
import { accountClient } from './account.ts';
import { batchesClient } from './batches.ts';
import { createCalls } from './calls.ts';
import type { CutOutOptions } from './contract.ts';
import { feedsClient } from './feeds.ts';
import type { CallOptions, Client, ClientOptions } from './interface.ts';
import { jobsClient } from './jobs.ts';
import { lookClient } from './look.ts';
import { categoriesClient, presetsClient, rulesClient } from './named.ts';
import { type FormFields, formPayload, jsonPayload } from './payload.ts';
import { readImage } from './response.ts';
import { sourcesClient } from './sources.ts';
import { taxonomyClient } from './taxonomy.ts';

export type * from './contract.ts';
export { SelvageError, type SelvageErrorInit, type ValidationIssue } from './error.ts';
export type * from './interface.ts';

/**
 * Creates a client of the service at `baseUrl`. Sends nothing yet.
 * @throws SelvageError `key-refused` if others could read the key
 * @throws TypeError if `baseUrl` is not an http or https URL
 */
export function createClient(options: ClientOptions = {}): Client {
  const calls = createCalls(options);
  const { get, requestJson, request } = calls;

  type CutOutFields = FormFields & Pick<CutOutOptions, 'format' | 'fixRules'>;
  function cutOut(path: string, fields: CutOutFields, callOptions: CallOptions) {
    // What is made right for rules may have another format than was requested.
    const read = fields.fixRules ? readImage() : readImage(`image/${fields.format ?? 'png'}`);
    return request({ method: 'POST', path, body: formPayload(fields) }, read, callOptions);
  }

  return {
    removeBackground: (image, { signal, timeoutMillis, ...fields } = {}) =>
      cutOut('/bg/v1/background-removals', { image, ...fields }, { signal, timeoutMillis }),
    refineCutOut({ image, alpha, strokes }, { signal, timeoutMillis, ...fields } = {}) {
      const form = { image, alpha, strokes: JSON.stringify(strokes), ...fields };
      return cutOut('/bg/v1/refinements', form, { signal, timeoutMillis });
    },
    ...taxonomyClient(calls),
    look: lookClient(calls),
    jobs: jobsClient(calls),
    batches: batchesClient(calls),
    feeds: feedsClient(calls),
    rules: rulesClient(calls),
    presets: presetsClient(calls),
    categories: categoriesClient(calls),
    sources: sourcesClient(calls),
    account: accountClient(calls),
    access: accessClient(calls),
    call: ({ json, ...call }, callOptions) =>
      requestJson({ ...call, ...(json !== undefined && { body: jsonPayload(json) }) }, callOptions),
    usage: (callOptions) => get('/intake/v1/usage', callOptions),
  };
}
