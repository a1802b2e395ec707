import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readInstance } from './local-instance.ts';
import { StartError } from './start-error.ts';

const splitList = (text: string): string[] => text.split(',').flatMap((part) => part.trim() || []);

const listOf = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z.string().default('').transform(splitList).pipe(z.array(item));

const networks = listOf(
  z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks such as 10.0.0.0/8' }),
);

/** An http URL that strangers may see: without credentials, query and fragment. */
const publicUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://images.example' })
  .transform((text) => new URL(text))
  .refine(
    ({ username, password, search, hash }) => `${username}${password}${search}${hash}` === '',
    { error: 'must have no credentials, query or fragment', abort: true },
  );

const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;

const origins = listOf(z.string().refine(isOrigin, 'must be origins such as https://shop.example'));

const ADDRESS = /^(?<host>[^\s:@/[\]]+|\[[\da-f:.]+\])(?::(?<port>\d{1,5}))?$/i;

const servers = (defaultPort: number) =>
  z
    .string()
    .transform(splitList)
    .pipe(
      z
        .array(z.string().regex(ADDRESS, 'must be servers such as redis-1:6379,redis-2:6379'))
        .min(1),
    )
    .transform((all) =>
      all.map((address) => {
        const { host = '', port = defaultPort } = ADDRESS.exec(address)?.groups ?? {};
        return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
      }),
    )
    .optional();

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const ports = listOf(z.coerce.number<string>().int().min(1).max(65_535));

/** One core stays for the event loop; more than four threads need more memory than a gateway has. */
const DEFAULT_LOOK_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));

const Environment = z.object({
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  METRICS_HOST: z.string().min(1).optional(),
  METRICS_PORT: whole(0, 65_535).optional(),
  METRICS_KEY: z.string().min(16).optional(),
  CORS_ORIGINS: origins,
  WORKER_HOST: z.string().min(1).default('127.0.0.1'),
  WORKER_PORT: whole(0, 65_535).default(8081),
  SELVAGE_HOME: z.string().min(1).default('.selvage'),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  REDIS_CA_FILE: z.string().min(1).optional(),
  REDIS_SENTINELS: servers(26_379),
  REDIS_SENTINEL_NAME: z.string().min(1).default('mymaster'),
  REDIS_SENTINEL_USER: z.string().min(1).optional(),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional(),
  REDIS_CLUSTER: servers(6379),
  REDIS_STUCK_SECONDS: whole(2, 86_400).default(120),
  STORE: z.enum(['fs', 's3']).default('fs'),
  STORE_DIR: z.string().min(1).optional(),
  S3_BUCKET: z.string().min(3).default('selvage'),
  S3_PUBLIC_ENDPOINT: publicUrl
    .refine(({ pathname }) => pathname === '/', 'must have no path: the bucket becomes the path')
    .transform(({ origin }) => origin)
    .optional(),
  SOURCES_FILE: z.string().min(1).optional(),
  SUNSET_FILE: z.string().min(1).optional(),
  SYNC_TIMEOUT_SECONDS: z.coerce.number().min(0.5).max(600).default(25),
  REQUEST_TIMEOUT_SECONDS: z.coerce.number().min(1).max(3600).default(60),
  MAX_CONNECTIONS: whole(10, 1_000_000).default(10_000),
  MAX_BODY_MEMORY_BYTES: whole(2 ** 20, 2 ** 40).default(256 * 2 ** 20),
  MAX_IMAGE_BYTES: whole(1024, 512 * 2 ** 20).default(20 * 2 ** 20),
  MAX_IMAGE_PIXELS: whole(1024, 2 ** 28).default(8192 * 6144),
  LOOK_THREADS: whole(1, 64).default(DEFAULT_LOOK_THREADS),
  FETCH_ALLOW: networks,
  FETCH_PORTS: ports,
  FETCH_DOWNGRADE: z.stringbool().default(false),
  FEED_GRACE_DAYS: whole(0, 400).default(14),
  FEED_MAX_LOSS_PERCENT: whole(0, 100).default(20),
  MODEL: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*$/)
    .default('garment-cutout'),
  DEVICE: z.enum(['auto', 'cpu', 'cuda', 'webgpu']).default('auto'),
  WORKER_CONCURRENCY: whole(1, 256).default(availableParallelism()),
  WORKER_BATCH: whole(1, 64).optional(),
  WORKER_WARM_UP: z.stringbool().default(true),
  KEY_PEPPER: z.string().min(16).optional(),
  MAX_LIVE_KEYS: whole(1, 1000).default(5),
  ACCESS_REQUESTS: z.enum(['on', 'off']).default('off'),
  REQUEST_LOG_DAYS: whole(0, 90).default(7),
  OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  OIDC_NAME: z.string().min(1).max(60).optional(),
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  OIDC_CLIENT_SECRET_FILE: z.string().min(1).optional(),
  OIDC_SCOPES: z
    .string()
    .regex(/(^| )openid( |$)/, 'must be words with "openid" among them')
    .default('openid email profile'),
  OIDC_CLAIM: z.string().min(1).default('groups'),
  OIDC_ROLES: z.string().min(1).optional(),
  REVIEW_PHOTOS: z.enum(['keep', 'delete']).default('keep'),
  LOOK_SIGNING_KEYS: z
    .string()
    .regex(/^[\w.-]+:[^,\s]{16,}(,[\w.-]+:[^,\s]{16,})*$/)
    .optional(),
  SELVAGE_DEV_KEY: z
    .string()
    .regex(
      /^[\x21-\x7e]{32,200}$/,
      'must be 32 to 200 ASCII characters without spaces; "npm run -s keys -- mint" prints a new key',
    )
    .optional(),
  PROBLEM_BASE: z.url().optional(),
  PUBLIC_URL: publicUrl.transform(({ href }) => href.replace(/\/+$/, '')).optional(),
  TRUST_PROXY: networks,
  // OpenTelemetry reads these itself, like its other variables; here they only turn tracing on.
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export const SETTINGS: readonly string[] = Object.keys(Environment.shape);

/** The settings of a process, checked and frozen. Units are in the names. */
export type Config = Readonly<
  Omit<z.infer<typeof Environment>, 'REDIS_URL' | 'STORE_DIR'> & {
    REDIS_URL: string;
    STORE_DIR: string;
  }
>;

/** Returns whether tracing is on: it needs an endpoint to export to. */
export const isTraced = (config: Config): boolean =>
  config.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  Boolean(config.OTEL_EXPORTER_OTLP_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);

/** Invalid settings: lists all errors, with names and rules but never values. */
export class ConfigError extends StartError {
  override name = 'ConfigError';
  constructor(errors: readonly string[]) {
    super(`These settings are invalid:\n${errors.map((error) => `  ${error}`).join('\n')}`);
  }
}

/** An empty setting counts as not set: compose files and CI systems write `NAME=` for that. */
const withoutEmpty = (env: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

/** Settings that exclude each other. */
function conflictsIn({ REDIS_URL, ...env }: z.infer<typeof Environment>): string[] {
  const conflicts = [];
  if (env.REDIS_SENTINELS && env.REDIS_CLUSTER)
    conflicts.push('REDIS_CLUSTER: REDIS_SENTINELS is set, too; Redis is one or the other');
  if (env.REDIS_CA_FILE && !REDIS_URL?.startsWith('rediss:'))
    conflicts.push('REDIS_CA_FILE: REDIS_URL must start with rediss:// (TLS)');
  return conflicts;
}

/**
 * Parses the settings.
 * @param env the environment, usually `process.env`
 * @throws ConfigError with all errors
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(withoutEmpty(env));
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`),
    );
  }
  const conflicts = conflictsIn(parsed.data);
  if (conflicts.length > 0) throw new ConfigError(conflicts);
  const home = resolve(parsed.data.SELVAGE_HOME);
  const isElsewhere = parsed.data.REDIS_SENTINELS ?? parsed.data.REDIS_CLUSTER;
  const instance = isElsewhere ? undefined : readInstance(home)?.redisUrl;
  return Object.freeze({
    ...parsed.data,
    SELVAGE_HOME: home,
    REDIS_URL: parsed.data.REDIS_URL ?? instance ?? 'redis://127.0.0.1:6379',
    STORE_DIR: resolve(parsed.data.STORE_DIR ?? join(home, 'store')),
  });
}

function parseFile(setting: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new ConfigError([`${setting}: ${path} ${reason}`]);
  }
}

/**
 * Reads the JSON file that a setting names.
 * @param errorsIn what else is wrong with it, each with a pointer
 * @throws ConfigError with all errors, by pointer
 */
export function readDeclaration<T>(
  setting: string,
  path: string,
  schema: z.ZodType<T>,
  errorsIn: (declared: T) => readonly string[],
): T {
  const parsed = schema.safeParse(parseFile(setting, path));
  const errors = parsed.success
    ? errorsIn(parsed.data)
    : parsed.error.issues.map(({ path: at, message }) => `/${at.join('/')}: ${message}`);
  if (errors.length > 0 || !parsed.success) {
    throw new ConfigError(errors.map((error) => `${path}: ${error}`));
  }
  return parsed.data;
}
