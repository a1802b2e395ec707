import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FORMATS } from '../../../src/output/formats.ts';
import { fetchDocuments } from '../../support/openapi.ts';
import { shareStack } from '../../support/shared-stack.ts';
import { contractOf } from './client-contract.ts';
import names from './client-names.json' with { type: 'json' };
import { type Contract, Names, writeTypes } from './client-types.ts';

/** `UPDATE_CLIENT=1` writes the files of the client instead of comparing them. */
const UPDATE = Boolean(process.env.UPDATE_CLIENT);
const COMMAND = 'UPDATE_CLIENT=1 npm test -- test/contract/openapi/client-types.service.test.ts';

const GENERATED = join(import.meta.dirname, '../../../packages/client/src/generated');
const head = (from: string) => `/* Generated from ${from}. To renew it: \`${COMMAND}\` */\n\n`;

async function check(name: string, text: string): Promise<void> {
  const file = join(GENERATED, name);
  if (UPDATE) await writeFile(file, text);
  const isSame = (await readFile(file, 'utf8')) === text;
  expect(isSame, `packages/client/src/generated/${name} is stale: ${COMMAND}`).toBe(true);
}

test('the types of the client are those of the documents', async () => {
  const stack = await shareStack();
  const documents = await fetchDocuments(stack.url);
  stack.stop();
  const contract = contractOf(documents.map(({ text }) => JSON.parse(text)));
  const types = writeTypes(contract, Names.parse(names));
  await check('contract.ts', head('the OpenAPI documents and `client-names.json`') + types);
});

test('the client knows how the files of each format begin', () => {
  const rows = Object.values(FORMATS).map(({ mediaType, signature }) => {
    const parts = signature.map(({ at, bytes }) => `{ at: ${at}, bytes: [${bytes.join(', ')}] }`);
    return `  '${mediaType}': [${parts.join(', ')}],\n`;
  });
  const type = 'Readonly<Record<string, readonly { at: number; bytes: readonly number[] }[]>>';
  const doc = '/** The first bytes of each image media type. */\n';
  const text = `${doc}export const SIGNATURES: ${type} = {\n${rows.join('')}};\n`;
  return check('signatures.ts', head('the table of formats') + text);
});

describe('the generator', () => {
  const contract: Contract = {
    schemas: {
      Order: {
        type: 'object',
        properties: {
          size: { $ref: '#/components/schemas/Size' },
          count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many' },
          note: { anyOf: [{ type: 'string', maxLength: 20 }, { type: 'null' }] },
          prices: { type: 'object', additionalProperties: { type: 'number' } },
          at: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] },
          parts: {
            type: 'array',
            items: { type: 'object', properties: { id: { type: 'string' } } },
          },
        },
        required: ['size'],
      },
      Size: { type: 'string', enum: ['s', 'l'] },
    },
    queries: { listOrders: { type: 'object', properties: { limit: { type: 'integer' } } } },
    sent: new Set(['Order', 'Size']),
  };

  test('writes named types, with what their members are and their limits', () => {
    const types = writeTypes(contract, {
      Size: {},
      Purchase: { at: 'Order', doc: 'What is bought', fields: { prices: 'By currency' } },
      Part: { at: 'Order.parts[]' },
      Query: { at: '?listOrders' },
    });
    expect(types).toBe(`export type Size = 's' | 'l';
/** What is bought. */
export interface Purchase {
  size: Size;
  /** How many: 1 to 9. */
  count?: number | undefined;
  note?: string | null | undefined;
  /** By currency. */
  prices?: Record<string, number> | undefined;
  at?: [number, number] | undefined;
  parts?: Part[] | undefined;
}
export interface Part { id?: string | undefined }
export interface Query { limit?: number | undefined }
`);
  });

  test('rejects a place that the document no longer has, and a note that it makes superfluous', () => {
    expect(() => writeTypes(contract, { Order: {}, Gone: { at: 'Order.gone' } })).toThrow(
      'The document has no Order.gone',
    );
    const fields = { count: 'How many there are' };
    expect(() => writeTypes(contract, { Order: { fields } })).toThrow('not needed: Order.count');
  });
});
