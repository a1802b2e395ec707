import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type FeedServer, startFeedServer } from '../support/feed-server.ts';
import { type Console, csvFile, seriousViolations, type Visit } from './page.ts';

const PRODUCTS = ['linen-shirt', 'wool-coat', 'silk-scarf', 'denim-skirt', 'felt-hat'];
const SECRET = 'the password of the shop';

/** Drops a file on a zone as a person does. */
export async function drop(page: Page, zone: string, name: string, text: string): Promise<void> {
  const file = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`;
  const transfer = await page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(${file}); return data; })()`,
  );
  await page.locator(zone).dispatchEvent('drop', { dataTransfer: transfer });
}

/** The way of a shop's export through the console. */
export function shopExportCases({ stack, open }: Console): void {
  describe('an export of Shopify', () => {
    let visit: Visit;
    let page: Page;
    let shop: FeedServer;
    let links: string[];
    beforeAll(async () => {
      shop = await startFeedServer();
      links = await Promise.all(
        Array.from({ length: 10 }, (_, i) => shop.putImage(`/${i}.jpg`, i + 1)),
      );
      visit = await open();
      page = visit.page;
      await page.goto(`${stack.url}/#/catalogue`);
      return () => Promise.all([page.context().close(), shop.close()]);
    });

    /** Each product has two rows: the second has only a further image. */
    const exportOf = (products: readonly string[]): string =>
      [
        'Handle,Title,Vendor,Published,Variant Price,Image Src,Image Position',
        ...products.flatMap((handle, i) => [
          `${handle},${handle.replace('-', ' ')},Atelier,true,20.00,${links[2 * i]},1`,
          `${handle},,,,,${links[2 * i + 1]},2`,
        ]),
      ].join('\n');
    const originOf = () => new URL(links[0] ?? '').origin;
    const textOf = (selector: string) => () => page.locator(selector).textContent();
    const api = (path: string) => visit.read(path);
    const settings = () => page.locator('.feed-settings');
    const field = (label: string) => settings().getByLabel(label, { exact: true });

    test('is recognised when it is dropped, with the columns that are read', async () => {
      await drop(page, '#feed-drop', 'products_export_1.csv', exportOf(PRODUCTS));
      await expect
        .poll(textOf('#feed-read'))
        .toContain('products_export_1.csv: csv, read as shopify, from Handle, Image Src.');
      const form = page.locator('#feed-form');
      await form.getByText('Mapping').click();
      const id = form.getByLabel('Id', { exact: true });
      expect(await id.getAttribute('placeholder')).toBe('Handle');
      await id.fill('Title');
      await id.press('Tab');
      await expect.poll(textOf('#feed-read')).toContain('from Title, Image Src.');
      await id.fill('');
      await id.press('Tab');
      await expect.poll(textOf('#feed-read')).toContain('from Handle, Image Src.');
      expect(await seriousViolations(page)).toEqual([]);
    });

    test('is counted before an image is fetched', async () => {
      await page.getByRole('button', { name: 'Count first' }).click();
      await expect
        .poll(textOf('#feed-plan'))
        .toBe('5 products, 10 links, 10 photos, 0 unreadable, costs 10 units at most');
      expect(await api('/feeds')).toMatchObject({ feeds: [] });
    });

    test('is run, and named after its file', async () => {
      await page.getByRole('button', { name: 'Import' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      expect(await textOf('.run h2')()).toBe('products_export_1.csv');
      await expect.poll(() => page.locator('.gallery img').count()).toBe(10);
      await expect.poll(textOf('#recent-list')).toContain('products_export_1.csv');
    });

    test('that has shrunk is held, says what it would lose, and goes on when it is confirmed', async () => {
      await settings().locator('summary').first().click();
      const shrunk = csvFile('products_export_2.csv', exportOf(PRODUCTS.slice(0, 2)));
      await field('The current feed').setInputFiles(shrunk);
      await expect.poll(textOf('.feed-settings > .options > [role=status]')).toContain('shopify');
      await settings().getByRole('button', { name: 'Run again' }).click();
      await page.locator('.run[data-status=held]').waitFor();
      await expect
        .poll(textOf('.run [role=alert]'))
        .toContain('This run would lose 3 of 5 products and 6 of 10 pictures.');
      expect(await textOf('.run [role=alert]')()).toContain('silk-scarf (silk scarf)');
      expect(await seriousViolations(page)).toEqual([]);
      await page.getByRole('button', { name: 'That is right: go on' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      await expect.poll(() => page.locator('.gallery img').count()).toBe(4);
    });

    test('has a mapping, a webhook and a password that are changed in the console', async () => {
      await settings().locator('summary').first().click();
      for (const title of ['Mapping', 'Password and headers', 'Format, quality, schedule']) {
        await settings().getByText(title).click();
      }
      await field('Title').fill('Vendor');
      await field('Further images, separated by ;').fill('Variant Image; Image Two');
      await field('User name').fill('feeds');
      await field('Password').fill(SECRET);
      await field('Headers, one a line').fill('X-Token: a:b');
      await field('The only server that gets them').fill(originOf());
      await settings().getByRole('combobox', { name: 'Quality' }).selectOption('fast');
      await field('Webhook at the end of each run').fill('nonsense');
      await settings().getByRole('button', { name: 'Save changes' }).click();
      await settings().locator('.error-box').waitFor();
      await field('Webhook at the end of each run').fill('');
      await settings().getByRole('button', { name: 'Save changes' }).click();
      await expect
        .poll(textOf('.feed-settings'))
        .toContain(`Set for ${originOf()}: X-Token, authorization`);
      const list = await api('/feeds');
      const changed = {
        source: { uploaded: true, fileName: 'products_export_1.csv' },
        mapping: { title: 'Vendor', images: ['Variant Image', 'Image Two'] },
        options: { quality: 'fast' },
        access: { origin: originOf(), headers: ['X-Token', 'authorization'] },
      };
      expect(list).toMatchObject({ feeds: [changed] });
      expect(JSON.stringify(list)).not.toContain(SECRET);
      expect(await field('Title').inputValue()).toBe('Vendor');
      expect(await field('Password').inputValue()).toBe('');
    });

    test('is a batch too, read the same, named after its file', async () => {
      const text = exportOf(PRODUCTS.slice(0, 2));
      await drop(page, '#batch-drop', 'products_export_3.csv', text);
      await expect.poll(textOf('#batch-read')).toContain('read as shopify');
      await page.getByRole('button', { name: 'Start' }).click();
      await page
        .locator('.run[data-status=completed][aria-label="products_export_3.csv"]')
        .waitFor();
      await expect.poll(() => page.locator('.gallery img').count()).toBe(4);
      const counts = { accepted: 4, succeeded: 4, rejected: 0 };
      expect(await api('/batches')).toMatchObject({ batches: [{ counts }] });
    });

    test('that is none leaves no batch behind, and says why', async () => {
      const before = await api('/batches');
      await drop(page, '#batch-drop', 'login.csv', '<!doctype html><title>Log in</title>');
      await page.getByRole('button', { name: 'Start' }).click();
      await expect.poll(textOf('#batch-error')).toMatch(/HTML|column/);
      await expect.poll(() => api('/batches')).toEqual(before);
    });

    test('has come from the gateway alone', () => expect(visit.foreign).toEqual([]));
  });
}
