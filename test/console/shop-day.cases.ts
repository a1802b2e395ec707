import { setTimeout as pause } from 'node:timers/promises';
import { unzipSync } from 'fflate';
import type { Route } from 'playwright-core';
import sharp from 'sharp';
import { expect, onTestFinished } from 'vitest';
import { startFeedServer } from '../support/feed-server.ts';
import { drawnShirt } from '../support/images.ts';
import { HANGS_MILLIS, mendSelected } from './desk.cases.ts';
import { csvFile, downloaded, seriousViolations, unitsOf, type Visit } from './page.ts';
import { drop } from './shop-export.cases.ts';

const PRODUCTS = ['linen-shirt', 'wool-shirt', 'silk-shirt', 'denim-shirt'];
/** Its picture is out of focus, so somebody has to look at it. */
const BLURRED = 'silk-shirt';
/** Those whose photos are taken again on the second day. */
const TAKEN_AGAIN = PRODUCTS.slice(1);

/** Draws a shirt in a colour of its own. */
async function photoOf(handle: string, day: number): Promise<Buffer> {
  const shirt = await drawnShirt({ width: 120, height: 150, format: 'png' });
  const hue = 40 * PRODUCTS.indexOf(handle) + 20 * day;
  const picture = sharp(shirt).modulate({ hue });
  const isBlurred = handle === BLURRED && day === 1;
  return (isBlurred ? picture.blur(5) : picture).jpeg({ quality: 92 }).toBuffer();
}

const LATE_MILLIS = 3000;

async function answerLate(route: Route): Promise<void> {
  const response = await route.fetch();
  await pause(LATE_MILLIS);
  await route.fulfill({ response });
}

/**
 * Two days of a shop in the console: it drops its export, counts, runs, looks, mends, approves, and takes archive and
 * export; on the second day three photos have changed.
 */
export async function shopDay(visit: Visit): Promise<void> {
  const { page, errors, read: api } = visit;
  page.setDefaultTimeout(HANGS_MILLIS);
  const shop = await startFeedServer();
  onTestFinished(() => shop.close());
  const putPhoto = async (handle: string, day: number): Promise<string> => {
    const body = await photoOf(handle, day);
    return shop.put(`/${handle}.jpg`, { body, type: 'image/jpeg' });
  };
  const links = await Promise.all(PRODUCTS.map((handle) => putPhoto(handle, 1)));
  const text = [
    'Handle,Title,Vendor,Type,Published,Variant Price,Image Src,Image Position',
    ...PRODUCTS.map(
      (handle, i) => `${handle},${handle},Atelier,Hemden > Neu,true,20.00,${links[i]},1`,
    ),
  ].join('\n');
  const units = () => unitsOf(visit);
  const run = page.locator('.run[data-status=completed]');
  const pictures = () => page.locator('.gallery img').count();
  const exported = async (): Promise<string[]> => {
    const lines = (await downloaded(page, 'Export with new images'))
      .toString()
      .trim()
      .split(/\r?\n/);
    return lines.slice(1).map((line) => /https?:[^,"]+/.exec(line)?.[0] ?? '');
  };
  const pixelsOf = async (link: string): Promise<string> => {
    const response = await fetch(link);
    expect(response.status).toBe(200);
    const image = sharp(await response.arrayBuffer());
    return (await image.raw().toBuffer()).toString('base64');
  };

  await page.goto(new URL('#/catalogue', page.url()).href);
  await drop(page, '#feed-drop', 'products_export_1.csv', text);
  await expect.poll(() => page.locator('#feed-read').textContent()).toContain('read as shopify');
  await page.getByRole('button', { name: 'Count first' }).click();
  await expect
    .poll(() => page.locator('#feed-plan').textContent())
    .toBe('4 products, 4 links, 4 photos, 0 unreadable, costs 4 units at most');
  expect(await units()).toBe(0);

  await page.locator('#feed-white').uncheck();
  await page.getByRole('button', { name: 'Import' }).click();
  await run.waitFor();
  await expect.poll(pictures).toBe(PRODUCTS.length);
  expect(await units()).toBe(PRODUCTS.length);

  await page.locator('.gallery button').first().click();
  await page.getByRole('dialog').locator('img').first().waitFor();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });

  const runPage = page.url();
  await page.getByRole('link', { name: 'Review the doubtful cut-outs' }).click();
  await page.locator('.review-tile img').first().waitFor();
  const doubtful = await page.locator('.review-tile .review-name').allTextContents();
  expect(doubtful).toContain(BLURRED);
  await page.keyboard.press('Enter');
  const sold = page.getByLabel('What it sells');
  // Its answer comes late: by then strokes are drawn on the row as it was before.
  await page.route(/\/review\/\d+$/, answerLate, { times: 1 });
  await sold.selectOption('blouse');
  await page.getByText('Your choice is learnt for “hemden > neu” in your shop').waitFor();
  await expect
    .poll(() => api('/categories'))
    .toMatchObject({ categories: [{ path: 'hemden > neu', category: 'blouse', decisions: 1 }] });
  await page.locator('.review-single h2').focus();
  await page.keyboard.press('Escape');
  for (let done = 1; done <= doubtful.length; done++) {
    await mendSelected(page);
    await page.keyboard.press('a');
    await expect
      .poll(() => page.locator('.review-progress b').textContent())
      .toBe(`${done} of ${doubtful.length} reviewed`);
  }
  expect(await seriousViolations(page)).toEqual([]);
  // What is decided about its cut-out leaves its category.
  expect(await api('/categories')).toMatchObject({ categories: [{ decisions: 1 }] });

  await page.goto(runPage);
  await page.locator('#recent-list button').first().click();
  await run.waitFor();
  const first = await Promise.all((await exported()).map(pixelsOf));
  expect(new Set(first).size).toBe(PRODUCTS.length);

  await Promise.all(TAKEN_AGAIN.map((handle) => putPhoto(handle, 2)));
  const before = await units();
  await page.locator('.feed-settings summary').first().click();
  await page
    .locator('.feed-settings')
    .getByLabel('The current feed', { exact: true })
    .setInputFiles(csvFile('products_export_2.csv', text));
  await page.locator('.feed-settings').getByRole('button', { name: 'Run again' }).click();
  await expect.poll(async () => (await units()) - before).toBe(TAKEN_AGAIN.length);
  await run.waitFor();
  const second = await Promise.all((await exported()).map(pixelsOf));
  expect(second.map((pixels, i) => pixels === first[i])).toEqual([true, false, false, false]);

  await drop(page, '#batch-drop', 'products_export_2.csv', text);
  await expect.poll(() => page.locator('#batch-read').textContent()).toContain('read as shopify');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.run[data-status=completed][aria-label="products_export_2.csv"]').waitFor();
  const files = unzipSync(await downloaded(page, 'All cut-outs'));
  expect(Object.keys(files)).toHaveLength(PRODUCTS.length);
  for (const file of Object.values(files)) {
    expect((await sharp(file).metadata()).format).toBe('png');
  }
  // A report that is not there yet is asked for again.
  expect(errors.filter((error) => !error.includes('409'))).toEqual([]);
}
