import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Grant } from '../../src/auth/key-record.ts';
import type { CreatedKey } from '../../src/auth/keys.ts';
import { keyClient } from '../support/client.ts';
import { drawnShirt } from '../support/images.ts';
import type { SharedStack } from '../support/shared-stack.ts';
import type { KeyRegister } from './key-register.ts';

/** A page with its console errors and warnings, and every request to another origin. */
export interface Watched {
  page: Page;
  errors: string[];
  foreign: string[];
}

/** A page that is signed in, and requests with its key. */
export interface Visit extends Watched, ReturnType<typeof keyClient> {
  key: string;
  client: string;
  /** Returns the JSON at a path of the intake. */
  read(path: string): Promise<unknown>;
}

/** What the tests of the console share. */
export interface Console {
  stack: SharedStack;
  register: KeyRegister;
  browser(): Browser;
  /** Opens a page signed in with the key of a new client. It ends with the test that opened it. */
  open(grant?: Partial<Grant>): Promise<Visit>;
}

/** Opens a page and records from before its first request. */
export async function watch(context: BrowserContext, ownOrigin: string): Promise<Watched> {
  const page = await context.newPage();
  const watched: Watched = { page, errors: [], foreign: [] };
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) watched.errors.push(message.text());
  });
  page.on('pageerror', (error) => watched.errors.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    const isOwn = origin === ownOrigin || ['blob:', 'data:'].includes(protocol);
    if (!isOwn) watched.foreign.push(request.url());
  });
  return watched;
}

/** Opens a page signed in by the link that `npm start` prints. */
export async function signIn(
  context: BrowserContext,
  stack: Pick<SharedStack, 'url'>,
  { key, record: { client } }: CreatedKey,
): Promise<Visit> {
  const watched = await watch(context, stack.url);
  await watched.page.goto(`${stack.url}/#key=${key}`);
  await watched.page.locator('#tabs a').locator('visible=true').first().waitFor();
  const requests = keyClient(stack, key);
  const read = async (path: string) => (await requests.ask('GET', `/intake/v1${path}`)).json();
  return { ...watched, ...requests, key, client, read };
}

/** A file that a page takes. */
export const csvFile = (name: string, text: string) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(text),
});

/** A photo of a shirt that a page takes. */
export const photo = async (name = 'shirt.jpg') => ({
  name,
  mimeType: 'image/jpeg',
  buffer: await drawnShirt({ width: 400, height: 500, format: 'jpeg' }),
});

/** Returns a file that the page downloads. */
export async function downloaded(page: Page, button: string): Promise<Buffer> {
  const pending = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).first().click();
  return readFileSync(await (await pending).path());
}

/** The states of the photos of the cut-out page. */
export const photoStates = (page: Page): Promise<(string | null)[]> =>
  page
    .locator('.strip-tile')
    .evaluateAll((all) => all.map((tile) => tile.getAttribute('aria-label')));

/** The widths of the files of pictures. */
export const naturalWidths = (images: Locator): Promise<number[]> =>
  images.evaluateAll((all) =>
    Promise.all(all.map((image) => image.decode().then(() => image.naturalWidth))),
  );

/** Returns the units that a client has used. */
export async function unitsOf({ read }: Visit): Promise<number> {
  const { quota } = (await read('/usage')) as { quota: { limit: number; remaining: number } };
  return quota.limit - quota.remaining;
}

/** The screen of a phone. */
export const PHONE = { width: 360, height: 740 };

/** How wide a page is, with what one must scroll to. */
export const scrollWidth = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth');

/** More tab stops than any page has. */
const MAX_PRESSES = 60;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  const focused = page.locator(selector).and(page.locator(':focus'));
  const stops: string[] = [];
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) > 0) return;
    stops.push(await page.evaluate('document.activeElement.outerHTML.slice(0, 60)'));
  }
  throw new Error(`${selector} cannot be reached by Tab, only ${stops.join(', ')}`);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Returns the violations that axe rates serious or critical on the page in its current state. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}
