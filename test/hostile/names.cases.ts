import { readdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchClient } from '../support/batches.ts';
import { formOf, postForm } from '../support/client.ts';
import { feedClient, readFeed } from '../support/feed-client.ts';
import { drawnShirt } from '../support/images.ts';
import type { Stack } from '../support/stack.ts';
import { readOperations } from './operations.ts';

const CANARY = 'canary-outside-of-the-store';

/** Path traversals in spellings made to pass filters. */
const WAYS_OUT = [
  ...['..', '../', '../canary', '..%2fcanary', '..%2Fcanary', '%2e%2e%2fcanary', '%2e%2e/canary'],
  ...['..%252fcanary', '%252e%252e%252fcanary', '..%5ccanary', '..\\canary', '%5c..%5ccanary'],
  ...['..%c0%afcanary', '%c0%ae%c0%ae%c0%afcanary', '..%e0%80%afcanary', '..%ef%bc%8fcanary'],
  ...['%00', 'x%00.png', '..%00/canary', '....//canary', '..;/canary', './/..//canary'],
  ...['/etc/passwd', '%2fetc%2fpasswd', 'file:%2f%2f%2fetc%2fpasswd', 'C:%5cWindows', '~%2fcanary'],
  ...[
    '%0d%0aX-Injected:%20yes',
    '%0a',
    '%1b%5b31m',
    '%7f',
    '%c2%9b31m',
    '%e2%80%ae',
    '"%7d%0a%7b"a":1',
  ],
  ...['a'.repeat(201), 'a'.repeat(5000), '*', '{selvage}', '%7bselvage%7d:keys', "'%20or%201=1--"],
];

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Requests a path as it is: nothing in it is normalized. */
function ask(url: string, method: string, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: string; text: string }>((resolve, reject) => {
    const sent = request(url, { method, path, headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more) => {
        text += more;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.rawHeaders.join('\n'),
          text,
        }),
      );
    });
    sent.on('error', reject).end();
  });
}

const filesUnder = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => !name.startsWith('store')).sort();

// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]/;
const ESCAPES = '\x1b[31mred\x1b[0m\x9b1m\u202e';
const BREAKS = '"}\r\n{"level":"info","msg":"forged"}';

/** Names that could be interpreted as paths, log lines, spreadsheet cells or commands. */
export function nameCases(stack: Stack, key: string): void {
  const keyed = { authorization: `Bearer ${key}` };
  let before: string[] = [];
  beforeAll(async () => {
    await writeFile(join(stack.home, 'canary'), CANARY);
    before = await filesUnder(stack.home);
  });

  test('no path leads out of storage, in any spelling', async () => {
    const { url, home } = stack;
    const operations = await readOperations(url);
    const named = operations.filter(({ path }) => path.includes('{'));
    const paths = named.flatMap(({ method, path }) =>
      WAYS_OUT.map(
        (way) => [method, path.replaceAll(/\{\w+\}/g, way.replaceAll('$', ''))] as const,
      ),
    );
    for (const way of WAYS_OUT) {
      paths.push(['GET', `/console/${way}`], ['GET', `/docs/static/${way}`], ['GET', `/${way}`]);
      const query = new URLSearchParams({
        key: decodeURI(way.replaceAll('%', '')),
        signature: 'x',
      });
      paths.push(['GET', `/intake/v1/files/x.png?${query}`]);
      paths.push(['GET', `/intake/v1/files/x.png?key=${way.replaceAll(/[ "]/g, '')}&signature=x`]);
    }
    const check = async (method: string, path: string) => {
      const answer = await ask(url, method, path, keyed);
      expect(answer.status, `${method} ${path} ${answer.text.slice(0, 100)}`).toBeLessThan(500);
      expect(answer.text, path).not.toContain(CANARY);
      expect(answer.text, path).not.toContain('root:');
      expect(answer.text, path).not.toContain('keyPepper');
      expect(answer.headers.toLowerCase(), path).not.toContain('x-injected');
      if (answer.status >= 400) expect(answer.text, path).not.toMatch(CONTROL);
    };
    await Promise.all(paths.map(([method, path]) => check(method, path.replaceAll(' ', '%20'))));
    expect(await filesUnder(home)).toEqual(before);
    expect(await readFile(join(home, 'canary'), 'utf8')).toBe(CANARY);
  });

  describe('a name chosen by a client', () => {
    test('stays within its cell, line and event, in every report', async () => {
      const feeds = feedClient(stack, key);
      const title = `${ESCAPES}${BREAKS}`.replaceAll('"', '""').replaceAll(/[\r\n]/g, ' ');
      const csv = ['=1+1', '+1', '-1', '@SUM(1)', '\uff1d1+1', title].map(
        (text, at) => `p${at},"${text}",http://127.0.0.1:9/${at}.jpg`,
      );
      const response = await feeds.ask('POST', '/feeds?format=csv', {
        body: `id,title,image_link\n${csv.join('\n')}\n`,
        headers: { 'content-type': 'text/csv' },
      });
      const { run } = await readFeed(response);
      const path = feeds.pathOf(run);
      await expect
        .poll(async () => (await (await feeds.ask('GET', path)).json()) as { status: string })
        .toMatchObject({ status: 'completed' });
      const report = async (accept: string) =>
        (await feeds.ask('GET', `${path}/report`, { headers: { accept } })).text();
      const cells = await report('text/csv');
      for (const sign of ['=', '+', '-', '@', '\uff1d']) expect(cells).toContain(`,'${sign}`);
      const lines = (await report('application/x-ndjson')).trim().split('\n');
      expect(lines.length).toBeGreaterThanOrEqual(csv.length);
      for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
      expect(cells.replaceAll(/[\r\n]/g, '')).not.toMatch(CONTROL);
      const events = await (await feeds.ask('GET', `${path}/events`)).text();
      expect(events).not.toContain('forged');
    });

    test('never becomes a log line of its own', async () => {
      const { url } = stack;
      const batches = batchClient(stack, key);
      const name = ESCAPES + BREAKS;
      const rows = [
        { customId: name.slice(0, 200), imageUrl: `http://127.0.0.1:9/${encodeURI(name)}` },
        { customId: 'b', imageUrl: `http://127.0.0.1:9/\x9b${BREAKS}` },
      ];
      await batches.completed(rows.map((row) => JSON.stringify(row)).join('\n'), { name });
      const latin = (text: string) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '');
      const shirt = await drawnShirt({ width: 64, height: 64, format: 'png' });
      const form = formOf(['image', shirt, name]);
      form.append(name, name);
      await postForm(stack, form, { key });
      for (const header of [
        'x-request-id',
        'user-agent',
        'referer',
        'authorization',
        'cookie',
        'idempotency-key',
        'prefer',
        'x-forwarded-for',
        'traceparent',
        'accept',
        'if-none-match',
        'last-event-id',
      ])
        await ask(url, 'GET', `/intake/v1/usage?a=${encodeURIComponent(name)}`, {
          ...keyed,
          [header]: latin(name),
        });
      const lines = stack
        .logs()
        .split('\n')
        .filter((line) => line !== '');
      expect(lines.some((line) => line.includes('gateway ready'))).toBe(true);
      expect(lines.some((line) => line.includes('worker ready'))).toBe(true);
      for (const line of lines) {
        expect(line).not.toMatch(CONTROL);
        expect(JSON.parse(line), line).toMatchObject({ process: expect.any(String) });
        expect(line).not.toMatch(/"msg":"forged"/);
      }
    });
  });
}
