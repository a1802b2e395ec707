import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';

/** A page with its console errors and warnings, and every request to another origin. */
export interface Watched {
  page: Page;
  errors: string[];
  foreign: string[];
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
