import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readOidcSettings } from '../../src/auth/oidc-settings.ts';
import { readConfig } from '../../src/platform/config.ts';
import { testFolder } from '../support/use-folder.ts';

const ROLE = { value: 'staff', client: 'shop', scopes: ['account'] };
const WHOLE = {
  PUBLIC_URL: 'https://images.example/',
  OIDC_ISSUER: 'https://id.example/realms/shop',
  OIDC_CLIENT_ID: 'selvage',
  OIDC_ROLES: JSON.stringify([ROLE]),
};
const read = (env: NodeJS.ProcessEnv) => readOidcSettings(readConfig(env));

test('without an issuer nobody signs in so', () => {
  expect(read({ ...WHOLE, OIDC_ISSUER: '' })).toBeUndefined();
});

test('the provider is called by its host, asked for groups, and sends back to PUBLIC_URL', () => {
  expect(read(WHOLE)).toMatchObject({
    name: 'id.example',
    claim: 'groups',
    scope: 'openid email profile',
    clientSecret: undefined,
    publicUrl: 'https://images.example',
    roles: [ROLE],
  });
});

test('the secret may be in a file', async () => {
  const folder = await testFolder();
  const OIDC_CLIENT_SECRET_FILE = join(folder, 'secret');
  await writeFile(OIDC_CLIENT_SECRET_FILE, 'of the file\n');
  expect(read({ ...WHOLE, OIDC_CLIENT_SECRET_FILE })?.clientSecret).toBe('of the file');
});

test.each([
  [{ OIDC_ROLES: '', PUBLIC_URL: '' }, /OIDC_ROLES: is needed.*PUBLIC_URL: is needed/s],
  [{ OIDC_ISSUER: 'http://id.example' }, /OIDC_ISSUER: must be https/],
  [{ OIDC_SCOPES: 'email' }, /OIDC_SCOPES: must be words with "openid"/],
  [{ OIDC_ROLES: 'staff' }, /OIDC_ROLES: is not JSON/],
  [{ OIDC_ROLES: '[]' }, /OIDC_ROLES: \/:/],
  [{ OIDC_ROLES: JSON.stringify([{ ...ROLE, scopes: ['all'] }]) }, /OIDC_ROLES: \/0\/scopes\/0/],
  [{ OIDC_ROLES: JSON.stringify([{ ...ROLE, admin: true }]) }, /OIDC_ROLES: \/0: .*admin/],
  [{ OIDC_CLIENT_SECRET_FILE: '/no/such/file' }, /OIDC_CLIENT_SECRET_FILE: ENOENT/],
])('%j is refused at the start', (change, says) => {
  expect(() => read({ ...WHOLE, ...change })).toThrow(says);
});
