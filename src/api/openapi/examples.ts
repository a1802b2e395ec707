import type { OperationExamples } from '../../http/openapi/document.ts';
import access from './examples/access.json' with { type: 'json' };
import account from './examples/account.json' with { type: 'json' };
import batches from './examples/batches.json' with { type: 'json' };
import bg from './examples/bg.json' with { type: 'json' };
import compat from './examples/compat.json' with { type: 'json' };
import consoleSession from './examples/console.json' with { type: 'json' };
import feeds from './examples/feeds.json' with { type: 'json' };
import jobs from './examples/jobs.json' with { type: 'json' };
import look from './examples/look.json' with { type: 'json' };
import presets from './examples/presets.json' with { type: 'json' };
import rules from './examples/rules.json' with { type: 'json' };
import service from './examples/service.json' with { type: 'json' };
import sources from './examples/sources.json' with { type: 'json' };
import taxonomy from './examples/taxonomy.json' with { type: 'json' };
import usage from './examples/usage.json' with { type: 'json' };
import webhooks from './examples/webhooks.json' with { type: 'json' };

/**
 * Examples for the OpenAPI document by operation id: requests, and what the service responded to them.
 * `test/contract/openapi/answers.processes.test.ts` compares them with real responses, and renews them.
 */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = {
  ...bg,
  ...taxonomy,
  ...look,
  ...jobs,
  ...batches,
  ...feeds,
  ...sources,
  ...presets,
  ...rules,
  ...webhooks,
  ...usage,
  ...access,
  ...account,
  ...compat,
  ...consoleSession,
  ...service,
};
