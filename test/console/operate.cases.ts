import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { plantServer } from '../support/servers.ts';
import { type Console, PHONE, scrollWidth, seriousViolations } from './page.ts';

/** The name of each list in the address, with a text of its heading. */
const LISTS = {
  access: 'Access requests',
  keys: 'Keys and limits',
  days: 'Usage by day',
  requests: 'Request log',
  audit: 'Audit log',
  sources: 'Sources',
  webhooks: 'Webhook secrets',
  deliveries: 'Webhook deliveries',
  presets: 'Presets',
  rules: 'Rule packs',
};

const tabsOf = (page: Page) => page.locator('#tabs a').locator('visible=true').allTextContents();
const rows = (page: Page) => page.locator('#operate tbody tr');

/** Tests of the lists of an operator, and of what a key without rights sees. */
export function operateCases({ stack, open }: Console): void {
  const openList = async (page: Page, name: keyof typeof LISTS) => {
    await page.goto(`${stack.url}/#/operate/${name}`);
    await page.getByRole('heading', { name: LISTS[name], exact: true }).waitFor();
  };

  describe('what an operator manages', () => {
    test('has keys that are made, shown once and revoked', async () => {
      const { page } = await open();
      page.on('dialog', (dialog) => dialog.accept());
      await openList(page, 'keys');
      await rows(page).first().waitFor();
      await page.locator('#operate').getByLabel('Name').fill('Checkout');
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.locator('#operate code', { hasText: /^slv_.{30}/ }).waitFor();
      const made = rows(page).filter({ hasText: 'Checkout' });
      await made.getByRole('button', { name: 'Revoke' }).click();
      await expect.poll(() => made.count()).toBe(0);
    });

    test('has webhooks with deliveries that are tried and sent again', async () => {
      let received = 0;
      const shop = await plantServer((_, response) => {
        received++;
        response.writeHead(204).end();
      });
      const { page } = await open();
      await openList(page, 'webhooks');
      await page.getByRole('button', { name: 'Create or rotate the secret' }).click();
      await page.locator('#operate code', { hasText: /^whsec_.{20}/ }).waitFor();
      await openList(page, 'deliveries');
      await page.locator('#operate').getByLabel('URL').fill(`${shop.origin}/hook`);
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await rows(page).filter({ hasText: shop.origin }).waitFor();
      await expect.poll(() => received).toBe(1);
      await page.getByRole('button', { name: 'Send again' }).click();
      await expect.poll(() => received).toBe(2);
    });

    test('has presets to remove, rule packs, usage and the log of a request', async () => {
      const { page, client, ask, sendJson } = await open();
      const preset = { options: { crop: true } };
      const stored = await sendJson('PUT', '/intake/v1/presets/shop-white', preset);
      page.on('dialog', (dialog) => dialog.accept());
      await openList(page, 'presets');
      await rows(page).filter({ hasText: 'shop-white' }).getByRole('button').click();
      await page.getByText('Nothing here yet.').waitFor();
      await openList(page, 'rules');
      await rows(page).filter({ hasText: 'Amazon' }).waitFor();
      expect(await rows(page).getByRole('button').count()).toBe(0);
      await openList(page, 'days');
      await rows(page).filter({ hasText: 'putPreset' }).waitFor();
      await openList(page, 'requests');
      const id = stored.headers.get('x-request-id') ?? '';
      await page.locator('#operate').getByLabel('Request id').fill(id);
      await page.getByRole('button', { name: 'Find' }).click();
      await rows(page).filter({ hasText: 'PUT /intake/v1/presets/:name' }).waitFor();
      await openList(page, 'audit');
      await rows(page)
        .filter({ hasText: 'deletePreset' })
        .filter({ hasText: 'shop-white' })
        .waitFor();
      for (let i = 0; i < 60; i++) await ask('DELETE', `/intake/v1/presets/none-${i}`);
      await page.locator('#operate').getByLabel('Client').fill(client);
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Find' }).click();
          return rows(page).filter({ hasText: 'none-59' }).count();
        })
        .toBe(1);
      await page.getByRole('button', { name: 'Older' }).click();
      await rows(page).filter({ hasText: 'none-0' }).waitFor();
    });

    test('has requests for access that are approved, and denied', async () => {
      for (const client of ['wanted', 'unwanted']) {
        const body = { client, contact: 'dev@shop.example', scopes: ['taxonomy:classify'] };
        const response = await fetch(`${stack.url}/access/v1/requests`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        expect(response.status).toBe(201);
      }
      const { page } = await open();
      page.on('dialog', (dialog) => dialog.accept());
      await openList(page, 'access');
      const row = (client: string) =>
        rows(page).filter({ has: page.getByText(client, { exact: true }) });
      await row('wanted').getByRole('button', { name: 'Approve' }).click();
      await row('wanted').getByText('Approved').waitFor();
      await row('unwanted').getByRole('button', { name: 'Deny' }).click();
      await row('unwanted').getByText('Denied').waitFor();
    });

    test('is accessible, and fits a phone', async () => {
      const { page, errors, foreign } = await open();
      for (const name of Object.keys(LISTS) as (keyof typeof LISTS)[]) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await openList(page, name);
        if (name !== 'requests')
          await page.locator('#operate :is(tbody, p.fine)').first().waitFor();
        expect(await seriousViolations(page), name).toEqual([]);
        const words = await page.locator('[data-page=operate]').innerText();
        expect(words).not.toMatch(/\b(act|column|lists|state)\.\w/); // a text that is missing
        await page.setViewportSize(PHONE);
        expect(await scrollWidth(page), name).toBeLessThanOrEqual(PHONE.width);
      }
      expect(errors).toEqual([]);
      expect(foreign).toEqual([]);
    });
  });

  test('a key sees the pages and lists that it may use, and is refused nothing', async () => {
    const { page, errors } = await open({
      scopes: ['look-engine:read', 'look-engine:compute', 'account'],
    });
    expect(await tabsOf(page)).toEqual(['Outfits', 'Operate', 'Usage']);
    await page.getByRole('link', { name: 'Operate' }).click();
    await page.getByRole('heading', { name: LISTS.keys }).waitFor();
    expect(await page.locator('#operate-lists a').allTextContents()).toEqual([
      LISTS.keys,
      LISTS.days,
      LISTS.requests,
    ]);
    const other = await open({ scopes: ['look-engine:read'] });
    expect(await tabsOf(other.page)).toEqual(['Usage']);
    await other.page.goto(`${stack.url}/#/operate/keys`);
    await other.page.locator('[data-page=usage]:not([hidden])').waitFor();
    // A browser tells of each response that refuses something.
    expect([...errors, ...other.errors]).toEqual([]);
  });
}
