import { readdirSync, readFileSync } from 'node:fs';
import type { OperationExamples } from '../../http/openapi/document.ts';

const FOLDER = new URL('../../../data/api/examples/', import.meta.url);

/**
 * Examples for the OpenAPI document by operation id: requests, and what the service responded to them.
 * `test/contract/openapi/answers.processes.test.ts` compares them with real responses, and renews them.
 */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = Object.assign(
  {},
  ...readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))),
);
