import { unzipSync } from 'fflate';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Grant } from '../../src/auth/key-record.ts';
import { findChromium, openBrowser } from '../support/chromium.ts';
import { drawnFigure } from '../support/figure.ts';
import { reportMissing } from '../support/requirement.ts';
import { plantServer } from '../support/servers.ts';
import { shareStack } from '../support/shared-stack.ts';
import { storeKind } from '../support/test-store.ts';
import { deskCases, HANGS_MILLIS } from './desk.cases.ts';
import { drawnRowCases } from './drawn-rows.cases.ts';
import { keptCases } from './kept.cases.ts';
import { openKeyRegister } from './key-register.ts';
import { languageCases } from './language.cases.ts';
import { largeCases } from './large.cases.ts';
import { linkCases } from './links.cases.ts';
import { lookCases } from './look.cases.ts';
import { alphaAt, CORNER, MIDDLE, mendCases } from './mend.cases.ts';
import { operateCases } from './operate.cases.ts';
import { outfitCases } from './outfits.cases.ts';
import {
  csvFile,
  downloaded,
  naturalWidths,
  PHONE,
  photo,
  scrollWidth,
  seriousViolations,
  signIn,
  tabTo,
  type Visit,
  type Watched,
  watch,
} from './page.ts';
import { reviewCases } from './review.cases.ts';
import { sessionCases } from './session.cases.ts';
import { shopDay } from './shop-day.cases.ts';
import { shopExportCases } from './shop-export.cases.ts';

const stack = await shareStack();
const register = await openKeyRegister(stack);
afterAll(async () => {
  register.redis.disconnect();
  await stack.stop();
});

const onS3 = storeKind() === 's3';
if (!onS3) sessionCases({ stack, register });

const found = await findChromium();
if ('missing' in found) {
  reportMissing('chromium', found.missing);
  test.skip(`the console in a browser (${found.missing})`);
} else {
  describe('in a browser', () => inBrowser(found.path));
}

function inBrowser(chromium: string): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(chromium);
    return () => browser.close();
  });

  /** Those of the test that runs. What a hook opened before, its `describe` closes. */
  let contexts: BrowserContext[] = [];
  beforeEach(() => {
    contexts = [];
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
  });
  async function newContext(): Promise<BrowserContext> {
    const context = await browser.newContext();
    contexts.push(context);
    return context;
  }

  let clients = 0;
  async function open(grant: Partial<Grant> = {}): Promise<Visit> {
    const made = await stack.key({ client: `visitor-${++clients}`, ...grant });
    return signIn(await newContext(), stack, made);
  }
  const shared = { stack, register, browser: () => browser, open };

  reviewCases(shared);

  deskCases(shared);

  if (onS3) return; // nothing below depends on the store

  test('the documentation of the API renders within its policy', async () => {
    const { page, errors, foreign } = await watch(await newContext(), stack.url);
    const response = await page.goto(`${stack.url}/docs`);
    expect(response?.headers()['content-security-policy']).toContain("script-src 'self';");
    expect(response?.headers()['x-content-type-options']).toBe('nosniff');
    await page.locator('[id="operations-Look_engine-computeTargets"]').click();
    const execute = page.locator('button.execute');
    await execute.click();
    await page.locator('.live-responses-table', { hasText: 'unauthorized' }).waitFor();
    expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
    expect(foreign).toEqual([]);
  });

  test('a key in the address counts, also if the address has changed before it is read', async () => {
    const { page } = await watch(await newContext(), stack.url);
    await page.goto(stack.url);
    await page.locator('#sign-in-form button').waitFor();
    const { key } = await stack.key();
    await page.evaluate(`location.hash = '#key=${key}'; location.hash = '#/usage'`);
    await page.locator('[data-page]:not([hidden])').waitFor();
  });

  describe('photo, cut-out, garment, outfit', () => {
    let watched: Watched;
    let page: Page;
    beforeAll(async () => {
      watched = await open();
      page = watched.page;
      return () => page.context().close();
    });

    test('the key is removed from the address and stored nowhere in the page', async () => {
      expect(page.url()).toBe(`${stack.url}/#/cut-out`);
      const stored = await page.locator('html').evaluate(({ ownerDocument }) => {
        const { localStorage, sessionStorage, history } = ownerDocument.defaultView;
        return JSON.stringify([ownerDocument.cookie, localStorage, sessionStorage, history.state]);
      });
      expect(stored).toBe('["",{},{},null]');
    });

    test('the keyboard alone turns a photo into a cut-out shown beside it', async () => {
      const chooser = page.waitForEvent('filechooser');
      await tabTo(page, '#cut-files');
      await page.keyboard.press('Enter');
      await (await chooser).setFiles(await photo());
      await page.locator('.compare').waitFor();
      const sizes = await page.locator('.compare img').evaluateAll((images) =>
        Promise.all(
          images.map(async (image) => {
            await image.decode();
            return [image.naturalWidth, image.naturalHeight];
          }),
        ),
      );
      expect(sizes).toEqual([
        [400, 500],
        [400, 500],
      ]);
      await tabTo(page, '.compare input');
      await page.keyboard.press('End');
      const clip = () =>
        page
          .locator('.compare-before')
          .evaluate((image) => image.computedStyleMap().get('clip-path')?.toString());
      expect(await clip()).toBe('inset(0px 0% 0px 0px)');
      await page.keyboard.press('Home');
      expect(await clip()).toBe('inset(0px 100% 0px 0px)');
    });

    test('the cut-out is transparent around the shirt and opaque inside', async () => {
      const shown = page.locator('.compare-after');
      expect(await alphaAt(shown, [CORNER, MIDDLE])).toEqual([0, 255]);
    });

    test('the download is the PNG shown, or made again with the chosen options', async () => {
      const download = async () => {
        const pending = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Download' }).click();
        const file = await pending;
        const { format, width } = await sharp(await file.path()).metadata();
        return { name: file.suggestedFilename(), format, width };
      };
      expect(await download()).toEqual({ name: 'shirt-cut-out.png', format: 'png', width: 400 });
      await page.getByLabel('File format').selectOption('jpeg');
      await page.getByText('Crop, shadow, rules and presets').click();
      await page.getByLabel('Crop to the garment').check();
      const { width = 400, ...made } = await download();
      expect(made).toEqual({ name: 'shirt-cut-out.jpg', format: 'jpeg' });
      expect(width).toBeLessThan(400);
    });

    test('the download is judged by the rules of a marketplace, and made right', async () => {
      const download = async () => {
        const pending = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Download' }).click();
        await pending;
        return page.locator('#cut-verdict').textContent();
      };
      await page.getByLabel('File format').selectOption('png');
      await page.getByLabel('Rules of a marketplace').selectOption('zalando-packshot');
      expect(await download()).toContain('The background has another colour than it must have.');
      await page.getByLabel('Make right what needs no new pixels').check();
      expect(await download()).not.toContain('background');
      await page.getByLabel('Rules of a marketplace').selectOption('');
      expect(await download()).toBe('');
    });

    test('a picture that is cut out already keeps its transparency', async () => {
      const disc =
        '<svg width="300" height="300"><circle cx="150" cy="150" r="90" fill="#26a"/></svg>';
      const buffer = await sharp(Buffer.from(disc)).png().toBuffer();
      await page.getByLabel('Keep transparency').check();
      await page
        .locator('#cut-files')
        .setInputFiles({ name: 'disc.png', mimeType: 'image/png', buffer });
      await page.getByRole('heading', { name: 'disc' }).waitFor();
      await expect
        .poll(() => page.locator('#cut-panel .facts').textContent())
        .toContain('kept from the picture');
      await page.getByLabel('Keep transparency').uncheck();
      await page.getByRole('button', { name: 'shirt: done' }).click();
    });

    test('the garment is classified and added to the wardrobe, by keyboard', async () => {
      await tabTo(page, 'button:has-text("Classify garment")');
      await page.keyboard.press('Enter');
      await page.locator('.category-name').waitFor();
      expect(await page.locator('.category-name').textContent()).toBe('T-shirt');
      expect(await page.locator('.swatches li').count()).toBeGreaterThan(0);
      await page.keyboard.press('Enter'); // the focus is on the button that adds it to the wardrobe
      await page.getByRole('link', { name: 'See what to wear with it' }).waitFor();
      await tabTo(page, 'a:has-text("See what to wear with it")');
      await page.keyboard.press('Enter');
      await page.locator('#wardrobe .garment').waitFor();
    });

    test('it forms an outfit with the sample wardrobe, and the outfit shows it', async () => {
      await page.locator('#wardrobe-sample').click();
      await page.locator('.flat-lay').waitFor();
      await page.getByRole('button', { name: 'Remove White T-shirt' }).click();
      await page.getByRole('button', { name: 'Remove Summer dress' }).click();
      await page.locator('[name=plan][value=outdoor]').press('Space');
      await page.locator('[name=tempC]').fill('27');
      const worn = page.locator('.flat-lay img[data-slot=main]');
      await expect.poll(() => worn.getAttribute('alt')).toBe('T-shirt');
      const width = await worn.evaluate((image) => image.naturalWidth);
      expect(width).toBeGreaterThan(100);
    });

    test('the chart shows the numbers of the response, as bars and as a table', async () => {
      const pending = page.waitForResponse(
        (response) =>
          response.url() === `${stack.url}/look/v1/outfits` &&
          /"tempC":4\b(?!\.)/.test(response.request().postData() ?? ''),
      );
      await page.locator('[name=tempC]').fill('4');
      const response: {
        outfits: { thermal: { regions: Record<string, { clo: number; target: number }> } }[];
      } = await (await pending).json();
      const regions = Object.entries(response.outfits[0]?.thermal.regions ?? {});
      expect(regions.length).toBeGreaterThan(3);
      const bars = () =>
        page
          .locator('.bar-worn')
          .evaluateAll((all) =>
            all.map(
              (bar) =>
                [bar.getAttribute('data-region'), Number(bar.getAttribute('height'))] as const,
            ),
          );
      await expect
        .poll(async () => (await bars()).map(([region]) => region))
        .toEqual(regions.map(([region]) => region));
      const max = Math.max(...regions.flatMap(([, { clo, target }]) => [clo, target]));
      const [[, firstHeight]] = (await bars()) as [readonly [string, number]];
      const [[, first]] = regions as [(typeof regions)[number]];
      for (const [i, [, height]] of (await bars()).entries()) {
        expect(height).toBeCloseTo(((regions[i]?.[1].clo ?? 0) / first.clo) * firstHeight, 3);
      }
      expect(firstHeight).toBeLessThanOrEqual((160 * first.clo) / max + 0.001);
      const cells = await page.locator('.clo-chart tbody tr').allTextContents();
      for (const [i, [, { clo, target }]] of regions.entries()) {
        expect(cells[i]).toContain(clo.toFixed(2) + target.toFixed(2));
      }
    });

    test('an outfit is split into its garments, and they go to the wardrobe', async () => {
      const items = () => page.locator('#wardrobe .garment').count();
      const before = await items();
      await page.goto(`${stack.url}/#/cut-out`);
      await page.locator('#cut-files').setInputFiles({
        name: 'figure.png',
        mimeType: 'image/png',
        buffer: await drawnFigure(300, 600),
      });
      await page.getByRole('heading', { name: 'figure' }).waitFor();
      await page.getByRole('button', { name: 'Split this outfit' }).click();
      const garments = page.getByRole('region', { name: 'Garments' }).locator('.garment');
      await garments.first().waitFor();
      expect(await garments.count()).toBeGreaterThan(2);
      expect(Math.min(...(await naturalWidths(garments.locator('img'))))).toBeGreaterThan(0);
      const count = await garments.count();
      const known = count - (await garments.getByText('unknown').count());
      const which = known === count ? 'all' : `${known} of ${count}`;
      await page.getByRole('button', { name: `Add ${which} to wardrobe`, exact: true }).click();
      await page.getByRole('link', { name: 'See what to wear with them' }).click();
      await expect.poll(items).toBe(before + known);
    });

    test('everything came from the gateway, without errors or warnings', () => {
      expect(watched.foreign).toEqual([]);
      expect(watched.errors).toEqual([]);
    });

    test.each(['light', 'dark'] as const)(
      'no page has serious accessibility violations in %s mode',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const name of ['cut-out', 'catalogue', 'outfits', 'operate', 'usage']) {
          await page.goto(`${stack.url}/#/${name}`);
          await page.locator(`[data-page="${name}"]:not([hidden])`).waitFor();
          expect(await seriousViolations(page), name).toEqual([]);
        }
      },
    );
  });

  outfitCases(shared);
  mendCases(shared);
  lookCases(shared);
  keptCases(shared);
  linkCases(shared);
  largeCases(shared);
  drawnRowCases(shared);
  shopExportCases(shared);
  operateCases(shared);
  languageCases(shared);

  test(
    'two days of a shop',
    async () => {
      const visit = await open();
      await shopDay(visit);
      expect(visit.foreign).toEqual([]);
    },
    HANGS_MILLIS,
  );

  describe('a catalogue', () => {
    test('shows progress: images, errors, downloads', async () => {
      const { page, errors } = await open();
      await page.goto(`${stack.url}/#/catalogue`);
      const broken = { ...(await photo('broken.jpg')), buffer: Buffer.from('no picture') };
      await page.locator('#batch-files').setInputFiles([await photo(), broken]);
      await page.locator('#batch-name').fill('Two');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      await expect.poll(() => page.locator('.gallery img').count()).toBe(1);
      await expect.poll(() => page.locator('.run tbody tr').allTextContents()).toHaveLength(1);
      expect(await page.locator('.run tbody tr').textContent()).toContain('broken.jpg');
      expect(await page.locator('.run .progress').getAttribute('aria-valuenow')).toBe('2');
      const rows = (await downloaded(page, 'Manifest')).toString().trim().split('\n');
      expect(rows.map((row) => JSON.parse(row).status)).toEqual(['succeeded', 'rejected']);
      const files = unzipSync(await downloaded(page, 'All cut-outs'));
      expect(Object.keys(files)).toEqual(['shirt.png', 'errors.ndjson']);
      expect(errors).toEqual([]);
    });

    test('shows which pictures repeat an earlier one', async () => {
      const { page, errors } = await open();
      await page.goto(`${stack.url}/#/catalogue`);
      const shirt = await photo();
      const recompressed = await sharp(shirt.buffer).jpeg({ quality: 60 }).toBuffer();
      const other = await drawnFigure(400, 800);
      await page
        .locator('#batch-files')
        .setInputFiles([
          shirt,
          { ...shirt, name: 'copy.jpg', buffer: recompressed },
          { name: 'person.png', mimeType: 'image/png', buffer: other },
        ]);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      const table = page.getByRole('region', { name: 'Repeated pictures' });
      await table.waitFor();
      expect(await table.locator('tbody tr').allTextContents()).toEqual([
        expect.stringMatching(/^shirt\.jpgcopy\.jpg (9\d|100)%$/),
      ]);
      expect(await page.locator('.duplicates').textContent()).toContain(
        '1 picture repeats an earlier one, in 1 group.',
      );
      expect(await page.getByRole('button', { name: 'Show more' }).isVisible()).toBe(false);
      expect(await seriousViolations(page)).toEqual([]);
      expect(errors).toEqual([]);
    });

    test('is imported as a feed, and exported with new images', async () => {
      const { buffer } = await photo();
      const copy = await sharp(buffer).jpeg({ quality: 60 }).toBuffer();
      const pictures = new Map([
        ['/shirt.jpg', buffer],
        ['/copy.jpg', copy],
      ]);
      const shop = await plantServer((request, response) => {
        const picture = pictures.get(request.url ?? '');
        response.statusCode = picture ? 200 : 404;
        response.end(picture);
      });
      const rows = [
        'id,title,image_link',
        `a,Shirt,${shop.origin}/shirt.jpg`,
        `b,Gone,${shop.origin}/gone.jpg`,
        `c,Shirt,${shop.origin}/copy.jpg`,
      ];
      const { page } = await open();
      await page.goto(`${stack.url}/#/catalogue`);
      await page.locator('#feed-file').setInputFiles(csvFile('feed.csv', rows.join('\n')));
      await page.getByRole('button', { name: 'Import' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      await expect
        .poll(() => page.locator('.gallery img').first().getAttribute('alt'))
        .toContain('Shirt');
      await page.locator('.run tbody', { hasText: 'HTTP 404' }).waitFor();
      const repeats = page.getByRole('region', { name: 'Repeated pictures' });
      await expect
        .poll(() => repeats.locator('tbody tr').allTextContents())
        .toEqual([expect.stringMatching(/^ac (9\d|100)%$/)]);
      const exported = await downloaded(page, 'Export with new images');
      expect(exported.toString()).toContain('/intake/v1/files/');
    });

    test('with a long name is found again on a phone, without scrolling sideways', async () => {
      const { page } = await open();
      await page.setViewportSize(PHONE);
      await page.goto(`${stack.url}/#/catalogue`);
      await page.locator('#batch-files').setInputFiles([await photo()]);
      await page
        .locator('#batch-name')
        .fill('Autumn and winter collection of all our shops, photographed again without a model');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator('.run[data-status=completed]').waitFor();
      for (const name of ['usage', 'catalogue']) {
        await page.goto(`${stack.url}/#/${name}`);
        await page.locator(`[data-page="${name}"]:not([hidden])`).waitFor();
      }
      const recent = page.locator('#recent-list button').first();
      await recent.locator('time').waitFor();
      const fits = () =>
        recent.evaluate((button) => {
          const end = button.ownerDocument.documentElement.clientWidth;
          const boxes = [button, ...button.children].map((part) => part.getBoundingClientRect());
          return boxes.map(({ left, right, width }) => width > 0 && left >= 0 && right <= end);
        });
      await expect.poll(fits).toEqual([true, true, true]); // the list is drawn again meanwhile
      expect(await scrollWidth(page)).toBe(PHONE.width);
      await recent.click();
      await page.locator('.run[data-status=completed]').waitFor();
    });
  });

  describe('a sign-in', () => {
    test('by form: a wrong key is explained, a revoked key signs the page out', async () => {
      const { page } = await watch(await newContext(), stack.url);
      const { key, record } = await stack.key({ client: 'shop' });
      await page.goto(stack.url);
      await page.locator('#key').fill('slv_wrong');
      await page.keyboard.press('Enter');
      await page.locator('#sign-in-error .error-box').waitFor();
      expect(await page.locator('#sign-in-error .error-box').textContent()).toMatch(
        /Sign in with a valid key.*Request id/,
      );
      expect(await seriousViolations(page)).toEqual([]);
      await page.locator('#key').fill(key);
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Usage' }).click();
      await expect
        .poll(() => page.locator('#usage-client').textContent())
        .toBe(`Signed in as ${record.client}.`);
      await register.keys.revoke(record.id);
      await page.getByRole('link', { name: 'Outfits' }).click();
      await page.locator('#sign-in-error .error-box').waitFor();
      expect(await page.locator('#sign-in-error .error-box').textContent()).toContain(
        'You are signed out',
      );
    });

    test('cannot be used by another site', async () => {
      const { page } = await open();
      const otherSite = await plantServer((_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<!doctype html><title>Another site</title>');
      });
      await page.goto(otherSite.origin);
      const url = `${stack.url}/intake/v1/usage`;
      const rejected = page.waitForResponse(url);
      const withoutHeader = await page.evaluate(
        (target) =>
          fetch(target, { credentials: 'include', mode: 'no-cors' }).then(({ type }) => type),
        url,
      );
      expect(withoutHeader).toBe('opaque');
      expect((await rejected).status()).toBe(403);
      const withHeader = await page.evaluate(
        (target) =>
          fetch(target, { credentials: 'include', headers: { 'x-selvage-console': '1' } }).then(
            () => 'responded',
            () => 'blocked by the browser',
          ),
        url,
      );
      expect(withHeader).toBe('blocked by the browser');
    });
  });
}
