import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { PRESET_NAMES } from '../feed-formats/mapping.ts';
import { FEED_FORMATS } from '../feed-formats/sniff.ts';
import { FORMAT_NAMES, FORMATS } from '../output/formats.ts';
import { OPTION_NAMES, OPTIONS, QUALITIES, SHADOWS } from '../output/option-table.ts';

/** The files of the console, served as they are, without a build step. */
const FILES = join(import.meta.dirname, 'browser');

/** Where people sign in without a key: what they call it, and where a browser begins and ends. */
interface ProviderLinks {
  name: string;
  signIn: string;
  signOut: string;
}

/** What follows from the tables of options and of kinds of feeds. */
const OPTIONS_OF_PAGE = {
  DEFAULTS: Object.fromEntries(OPTION_NAMES.map((name) => [name, OPTIONS[name].default])),
  FORMATS: FORMAT_NAMES,
  SHADOWS,
  QUALITIES,
  FEED_PRESETS: PRESET_NAMES,
  FEED_FORMATS,
  EXTENSIONS: Object.fromEntries(
    Object.values(FORMATS).map(({ mediaType, extension }) => [mediaType, extension]),
  ),
};

/** The module `options.js` of the page: what it does not know itself. */
const optionsModule = (provider: ProviderLinks | undefined): string =>
  Object.entries({ ...OPTIONS_OF_PAGE, PROVIDER: provider })
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');

/** A module of the page that is no file of it. */
const CLIENT_ZIP = readFileSync(fileURLToPath(import.meta.resolve('client-zip')));

/**
 * Restricts the page to resources of this service.
 * @param storage the origin that links to files redirect to, if they do
 */
const createHeaders = (storage: string | undefined) => ({
  'content-security-policy': [
    "default-src 'self'",
    ['connect-src', "'self'", storage ?? []].flat().join(' '),
    ['img-src', "'self' blob: data:", storage ?? []].flat().join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
});

/**
 * Serves the console at `/`, with its files under `/console/`.
 * @param storage as in `createHeaders`
 */
export function serveConsole(
  app: FastifyInstance,
  storage: string | undefined,
  provider: ProviderLinks | undefined,
): void {
  const modules = { 'options.js': optionsModule(provider), 'client-zip.js': CLIENT_ZIP };
  const headers = createHeaders(storage);
  app.register(async (scope) => {
    await scope.register(fastifyStatic, {
      root: FILES,
      prefix: '/console/',
      index: false,
      // Revalidated on each load: a 304 is cheap, and a page never runs scripts of another release.
      cacheControl: false,
      setHeaders: (reply) => {
        reply.headers({ ...headers, 'cache-control': 'no-cache' });
      },
    });
    for (const [name, source] of Object.entries(modules)) {
      scope.get(`/console/${name}`, (_request, reply) =>
        reply
          .headers({ ...headers, 'cache-control': 'no-cache' })
          .type('text/javascript; charset=utf-8')
          .send(source),
      );
    }
    scope.get('/', (_request, reply) => reply.sendFile('index.html'));
  });
}
