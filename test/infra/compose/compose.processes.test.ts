import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { sendCommand } from '../../../infra/launcher/resp.mjs';
import { freePort } from '../../support/free-port.ts';
import { run } from '../../support/processes.ts';
import { ROOT } from '../../support/root.ts';
import { testFolder } from '../../support/use-folder.ts';

/** Strict: a misspelled key would be ignored here, and be an error of `docker compose`. */
const Service = z.strictObject({
  image: z.string().optional(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  profiles: z.array(z.string()).optional(),
  init: z.boolean().optional(),
  user: z.string().optional(),
  restart: z.enum(['no', 'unless-stopped']),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).default({}),
  command: z.array(z.string()).default([]),
  /** Without a value: that of the environment, if there is one. */
  environment: z.record(z.string(), z.string().nullable()).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z
    .array(
      z.union([
        z.string(),
        z.strictObject({
          type: z.literal('bind'),
          source: z.string(),
          target: z.string(),
          read_only: z.literal(true),
        }),
      ]),
    )
    .default([]),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()),
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
    })
    .optional(),
  deploy: z.looseObject({}).optional(),
});

const text = await readFile(join(ROOT, 'docker-compose.yml'), 'utf8');
const { services, volumes } = z
  .looseObject({
    services: z.record(z.string(), Service),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(text, { merge: true }));
const named = Object.entries(services);

/** The secrets of this file whose value everyone knows unless it is set. */
const DEVELOPMENT_SECRETS = ['REDIS_PASSWORD', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'];
const GATEWAY_SECRETS = ['KEY_PEPPER', 'LOOK_SIGNING_KEYS', 'SELVAGE_DEV_KEY', 'METRICS_KEY'];

test.each(named)('%s has no rights it does not need', (name, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  // The entry point of SeaweedFS changes the owner of its volume, and then its user.
  expect(service.cap_add ?? []).toEqual(name === 's3' ? ['CHOWN', 'SETGID', 'SETUID'] : []);
  const mounted = service.volumes.flatMap((volume) =>
    typeof volume === 'string' ? (volume.split(':')[0] ?? '') : [],
  );
  for (const source of mounted.filter((path) => !path.startsWith('.'))) {
    expect(Object.keys(volumes)).toContain(source);
  }
});

test.each(named)('%s gets only its own secrets, and none as an argument', (name, service) => {
  const own = GATEWAY_SECRETS.filter((secret) => secret in service.environment);
  expect(own).toEqual(name === 'gateway' ? GATEWAY_SECRETS : []);
  const args = JSON.stringify([service.command, service.healthcheck?.test]);
  for (const secret of [...DEVELOPMENT_SECRETS, ...GATEWAY_SECRETS, 'GRAFANA_PASSWORD']) {
    expect(args).not.toContain(`\${${secret}`);
  }
});

test('the metrics of the gateway are published nowhere, and scraped', async () => {
  const METRICS_PORT = services.gateway?.environment.METRICS_PORT ?? '';
  expect(METRICS_PORT).toMatch(/^\d+$/);
  for (const port of services.gateway?.ports ?? []) expect(port).not.toContain(METRICS_PORT);
  const prometheus = await readFile(join(ROOT, 'infra/prometheus/prometheus.yml'), 'utf8');
  expect(prometheus).toContain(`names: [gateway], type: A, port: ${METRICS_PORT},`);
});

test('gateway and workers share no volume, in which secrets.json would be', () => {
  const [gateway = 'none'] = services.gateway?.volumes ?? [];
  for (const name of ['worker', 'worker-gpu']) {
    expect(services[name]?.volumes).not.toContain(gateway);
  }
});

test('Redis requires its password, which is in no argument', async () => {
  const password = 'aPasswordOfThisTest1';
  const dir = await testFolder();
  const port = await freePort();
  const program = join(dir, 'valkey-server');
  await writeFile(program, `#!/bin/sh\nexec redis-server --port ${port} --dir ${dir} "$@"\n`);
  await chmod(program, 0o755);

  const [shell = '', ...args] = (services.redis?.command ?? []).map((arg) =>
    arg.replaceAll('$$', '$'),
  );
  const server = run(shell, args, {
    PATH: `${dir}${delimiter}${process.env.PATH}`,
    REDISCLI_AUTH: password,
  });
  onTestFinished(async () => void (await server.end()));
  await server.line((line) => line.includes('Ready to accept connections'));

  await expect(sendCommand(`redis://127.0.0.1:${port}`, ['PING'])).rejects.toThrow('NOAUTH');
  const client = new Redis(port, { password });
  for (const [name, value] of Object.entries({
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
    save: '',
  })) {
    expect(await client.config('GET', name)).toEqual([name, value]);
  }
  client.disconnect();
  // The server took the place of the shell, so signals reach it.
  const shown = execFileSync('ps', ['-o', 'args=', '-p', String(server.pid)], { encoding: 'utf8' });
  expect(shown).toContain('redis-server');
  expect(shown).not.toContain(password);
});

test('gateway and workers wait for the check of all development secrets', () => {
  const defaults = [...text.matchAll(/\$\{(\w+):-for-development-only\}/g)].map(([, name]) => name);
  // Grafana is reachable from this machine only.
  const checked = new Set(defaults.filter((name) => name !== 'GRAFANA_PASSWORD'));
  expect([...checked].sort()).toEqual(DEVELOPMENT_SECRETS);
  expect(Object.keys(services['check-secrets']?.environment ?? {}).sort()).toEqual(
    ['PUBLISH_HOST', ...DEVELOPMENT_SECRETS].sort(),
  );
  for (const name of ['gateway', 'worker', 'worker-gpu']) {
    expect(services[name]?.depends_on['check-secrets']).toEqual({
      condition: 'service_completed_successfully',
    });
  }
  const published = named.flatMap(([name, { ports }]) => ports.map((port) => [name, port]));
  for (const [name, port = ''] of published) {
    const address = name === 'gateway' ? `\${PUBLISH_HOST:-127.0.0.1}:` : '127.0.0.1:';
    expect(port.startsWith(address), name).toBe(true);
  }
});

const SET = { REDIS_PASSWORD: 'one1', S3_ACCESS_KEY: 'two2', S3_SECRET_KEY: 'three3' };
const NOT_SET = Object.fromEntries(
  DEVELOPMENT_SECRETS.map((name) => [name, 'for-development-only']),
);

test.each([
  { host: '127.0.0.1', secrets: NOT_SET, missing: undefined },
  { host: '', secrets: NOT_SET, missing: undefined },
  { host: '[::1]', secrets: NOT_SET, missing: undefined },
  { host: '0.0.0.0', secrets: SET, missing: undefined },
  { host: '0.0.0.0', secrets: NOT_SET, missing: DEVELOPMENT_SECRETS },
  { host: '::', secrets: NOT_SET, missing: DEVELOPMENT_SECRETS },
  { host: '192.168.1.7', secrets: { ...SET, S3_SECRET_KEY: '' }, missing: ['S3_SECRET_KEY'] },
  {
    host: '0.0.0.0',
    secrets: { ...SET, REDIS_PASSWORD: 'for-development-only' },
    missing: ['REDIS_PASSWORD'],
  },
])('the check at $host with $secrets misses $missing', ({ host, secrets, missing }) => {
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'infra/docker/check-secrets.sh')], {
    env: { PATH: process.env.PATH, PUBLISH_HOST: host, ...secrets },
    encoding: 'utf8',
  });
  expect(status).toBe(missing ? 1 : 0);
  if (!missing) return;
  expect(stderr).toContain(`known values: ${missing.join(' ')}. Set them`);
});
