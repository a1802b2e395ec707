import { expect, test } from 'vitest';
import { fetchPublished } from '../../src/cli/doctor/published-link.ts';
import { freePort } from '../support/free-port.ts';
import { plantServer } from '../support/servers.ts';

const BYTES = Buffer.from('what was stored');
const { signal } = new AbortController();
const check = (origin: string) => fetchPublished(new URL('/f?key=1', origin), BYTES, signal);

/** A server that answers every request so. */
const answering = (
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
) =>
  plantServer((_request, response) => {
    response.writeHead(status, headers).end(body);
  });

test('a link that works without TLS is found, with a warning', async () => {
  const { origin } = await answering(200, {}, BYTES);
  expect(await check(origin)).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('without TLS'),
    advice: expect.stringContaining('PUBLIC_URL'),
  });
});

test('a redirect to a storage that cannot be reached is named', async () => {
  const storage = `http://127.0.0.1:${await freePort()}`;
  const { origin } = await answering(303, { location: `${storage}/bucket/key` });
  await expect(check(origin)).rejects.toMatchObject({
    message: expect.stringContaining(`redirect to ${storage}, which does not respond`),
    advice: expect.stringContaining('S3_PUBLIC_ENDPOINT'),
  });
});

test('nobody at the public address, an endless redirect, other bytes, another installation', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const rows = [
    { origin: nobody, says: 'does not respond', advice: 'PUBLIC_URL' },
    { origin: (await answering(302, { location: '/f' })).origin, says: 'without end', advice: '' },
    { origin: (await answering(200, {}, 'a login page')).origin, says: 'other bytes', advice: '' },
    { origin: (await answering(404)).origin, says: 'HEAD with 404', advice: 'KEY_PEPPER' },
    { origin: (await answering(410)).origin, says: 'HEAD with 410', advice: 'STORE' },
  ];
  for (const { origin, says, advice } of rows) {
    await expect(check(origin)).rejects.toMatchObject({
      message: expect.stringContaining(says),
      advice: expect.stringContaining(advice),
    });
  }
});
