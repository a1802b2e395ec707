import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PROBLEMS } from '../../src/platform/problem.ts';
import { rawExchange } from '../support/client.ts';
import { useSharedStack } from '../support/use-stack.ts';

const { stack } = await useSharedStack();

const get = (path: string, init: RequestInit = {}) => fetch(`${stack.url}${path}`, init);

describe('URLs', () => {
  test('an unknown URL is a 404 problem', async () => {
    const response = await get('/no/such/thing');
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(await response.json()).toMatchObject({ type: 'not-found', status: 404 });
  });

  const PATHS = ['/', '/docs', '/docs/static/index.html', '/console/main.js', '/openapi.json'];
  test.each(PATHS)('the page %s is read-only', async (path) => {
    const asked = await get(path, { method: 'OPTIONS' });
    expect([asked.status, asked.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const sent = await get(path, { method: 'POST', body: 'x' });
    expect([sent.status, sent.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect(await sent.json()).toMatchObject({ type: 'method-not-allowed' });
    expect((await get(path, { method: 'HEAD' })).status).toBe(200);
  });

  const UNDECODABLE = ['/%', '/%E0%A4%A', '/bg/v1/%ff'];
  test.each(UNDECODABLE)('%s, which cannot be decoded, is a 400 problem', async (path) => {
    const answer = await rawExchange(
      stack.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 (400|404)/);
    expect(answer).toMatch(/application\/problem\+json/);
    expect(answer).toMatch(/x-request-id: \S+/i);
  });
});

describe('problem pages', () => {
  test.each(Object.entries(PROBLEMS))(
    '%s has one that explains what to do',
    async (type, { status, advice }) => {
      const response = await get(`/problems/${type}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain(`HTTP ${status}`);
      expect(page).toContain(advice.replaceAll('"', '&quot;'));
      expect(await (await get('/problems')).text()).toContain(`href="/problems/${type}"`);
    },
  );

  test.each(['toString', '%3Cscript%3E', 'none'])('%s has none', async (type) => {
    const response = await get(`/problems/${type}`);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('health', () => {
  test('the service is alive and ready, and lists its checks', async () => {
    expect((await get('/livez')).status).toBe(200);
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    const expected = { ready: true, checks: { redis: 'ok', store: 'ok', worker: 'ok' } };
    expect(await ready.json()).toEqual(expected);
  });

  test('metrics show requests by route, load and the event loop', async () => {
    const text = await (await get('/metrics')).text();
    expect(text).toMatch(
      /selvage_http_request_seconds_count\{method="GET",route="\/readyz",status="200"\} \d+/,
    );
    expect(text).toMatch(/^selvage_workers 1$/m);
    expect(text).toMatch(/^selvage_predicted_wait_seconds [\d.]+$/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
  });
});

const Operation = z.looseObject({
  summary: z.string(),
  responses: z.record(z.string(), z.unknown()),
  security: z.array(z.unknown()).optional(),
});
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

describe('the OpenAPI document', () => {
  test('has every endpoint of the table with its responses', async () => {
    const { paths } = Document.parse(await (await get('/openapi.json')).json());
    const removal = paths['/bg/v1/background-removals']?.post;
    expect(Object.keys(removal?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '413', '415', '429', '502', '503']),
    );
    expect(removal?.security?.[0]).toEqual({ apiKey: ['background-removal:process'] });
    const service = Document.parse(await (await get('/openapi-service.json')).json());
    expect(service.paths['/readyz']?.get?.security).toEqual([]);
  });

  test('is shown at /docs without third-party resources', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('swagger-ui');
    expect([...html.matchAll(/(?:src|href)="(https?:)?\/\/[^"]+"/g)]).toEqual([]);
  });
});
