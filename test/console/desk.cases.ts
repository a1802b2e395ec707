import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { drawnShirt, readPixels } from '../support/images.ts';
import { plantServer } from '../support/servers.ts';
import { draw, untilExact } from './mend.cases.ts';
import { type Console, csvFile, type Visit } from './page.ts';

const PICTURES = 60;
/** These are out of focus, so their cut-outs need a person; the others do not. */
const FAULTY = [3, 11, 19, 27, 35, 43, 51, 59];
/** Only ends a test that hangs: a busy machine takes minutes for 60 pictures. */
export const HANGS_MILLIS = 600_000;
/** Small pictures: what is tested is the way, not the model. */
const SIZE = { width: 120, height: 150 };

const Row = z.object({
  row: z.number(),
  customId: z.string(),
  needed: z.boolean(),
  decision: z.string(),
  cutout: z.object({ sha256: z.string() }),
});
type Row = z.infer<typeof Row>;
const Rows = z.object({ rows: z.array(Row) });

/** Draws the pictures of a shop: each shirt has a colour of its own. */
async function drawPictures(): Promise<Buffer[]> {
  const shirt = await drawnShirt({ ...SIZE, format: 'png' });
  const pictures = Array.from({ length: PICTURES }, (_, i) => {
    const picture = sharp(shirt).modulate({ hue: i * 6 });
    return (FAULTY.includes(i) ? picture.blur(5) : picture).jpeg({ quality: 92 }).toBuffer();
  });
  return Promise.all(pictures);
}

/** Returns alpha in the middle of a picture, 0 to 255. */
async function middleAlpha(link: string): Promise<number | undefined> {
  return (await readPixels(await (await fetch(link)).arrayBuffer())).middle[3];
}

/** Returns the title of the selected picture, once it is another than one. */
async function selectedName(page: Page, other = ''): Promise<string> {
  const name = page.locator('.review-tile[aria-selected=true] .review-name');
  await expect.poll(() => name.textContent()).not.toBe(other);
  return (await name.textContent()) ?? '';
}

/** Erases the middle of the selected picture. */
export async function mendSelected(page: Page): Promise<void> {
  await page.keyboard.press('m');
  await page.locator('.mend-stage').waitFor();
  await page.keyboard.press('e');
  await draw(page, [
    [0.4, 0.525],
    [0.6, 0.525],
  ]);
  await untilExact(page);
  await page.keyboard.press('Enter');
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/** Erases the middle of the selected picture, approves it, and goes on. */
async function mendAndApprove(page: Page): Promise<string> {
  const name = await selectedName(page);
  await mendSelected(page);
  await page.keyboard.press('a');
  await selectedName(page, name);
  return name;
}

/** The way of a catalogue through the console: from a feed to its reviewed export. */
export function deskCases({ stack, open }: Console): void {
  test(
    'a feed of 60 pictures is reviewed, mended with strokes, and exported as it was approved',
    async () => {
      const visit = await open();
      const { page } = visit;
      page.setDefaultTimeout(HANGS_MILLIS);
      const pictures = await drawPictures();
      const shop = await plantServer((request, response) => {
        response.setHeader('content-type', 'image/jpeg');
        response.end(pictures[Number(/\d+/.exec(request.url ?? '')?.[0])]);
      });
      const links = pictures.map((_, i) => `${shop.origin}/${i}.jpg`);
      const products = links.map((link, i) => `sku-${i},Shirt no. ${i},${link}`);
      const feed = ['id,title,image_link', ...products].join('\n');

      await importFeed(page, feed);
      const { path } = z.object({ path: z.string() }).parse(await toReview(page));
      const read = async (): Promise<Row[]> =>
        Rows.parse(await visit.read(`${path}/review?needed=false&limit=100`)).rows;
      const before = await read();
      expect(before).toHaveLength(PICTURES);
      const doubtful = before.filter(({ needed }) => needed).map(({ customId }) => customId);
      expect(doubtful).toEqual(expect.arrayContaining(FAULTY.map((i) => `sku-${i}`)));

      await delayResponses(page, /\/review\/summary/);
      const mended: string[] = [];
      for (let i = 0; i < 3; i++) mended.push(await mendAndApprove(page));
      const rejected = await selectedName(page);
      await page.keyboard.press('r');
      const left = await selectedName(page, rejected);
      await page.keyboard.press('ArrowRight'); // nobody decides about it
      for (let i = 5; i < doubtful.length; i++) await page.keyboard.press('a');
      const done = `${doubtful.length - 1} of ${doubtful.length} reviewed`;
      await expect.poll(() => page.locator('.review-progress b').textContent()).toBe(done);

      await expect
        .poll(async () => (await read()).filter(({ decision }) => decision !== 'pending').length)
        .toBe(doubtful.length - 1);
      const after = await read();
      const titleOf = ({ customId }: Row) => customId.replace('sku-', 'Shirt no. ');
      const withheld = after.filter((row) => [rejected, left].includes(titleOf(row)));
      expect(withheld.map(({ decision }) => decision).sort()).toEqual(['pending', 'rejected']);
      const changed = after.filter(({ cutout }, i) => cutout.sha256 !== before[i]?.cutout.sha256);
      expect(changed.map(titleOf).sort()).toEqual(mended.sort());
      expect(await exportOf(path, visit)).toEqual(
        after.map((row, i) => {
          if (withheld.includes(row)) return links[i];
          return mended.includes(titleOf(row)) ? 'a picture with a hole' : 'a picture';
        }),
      );
      expect(visit.foreign).toEqual([]);
    },
    HANGS_MILLIS,
  );

  /** A server far away: what is read beside a decision arrives after it. */
  async function delayResponses(page: Page, urls: RegExp): Promise<void> {
    await page.route(urls, async (route) => {
      const response = await route.fetch();
      await pause(500);
      await route.fulfill({ response });
    });
  }

  async function importFeed(page: Page, feed: string): Promise<void> {
    await page.goto(`${stack.url}/#/catalogue`);
    await page.locator('#feed-file').setInputFiles(csvFile('feed.csv', feed));
    await page.locator('#feed-white').uncheck();
    await page.getByRole('button', { name: 'Import' }).click();
    await page.locator('.run[data-status=completed]').waitFor();
  }

  /** Follows the link of the run. */
  async function toReview(page: Page): Promise<{ path: string | undefined }> {
    await page.getByRole('link', { name: 'Review the doubtful cut-outs' }).click();
    await page.locator('.review-tile img').first().waitFor();
    return { path: /#\/review([^?]+)/.exec(page.url())?.[1] };
  }

  /** Returns what each product of the export has: its new picture, or the link of the shop. */
  async function exportOf(path: string, { ask }: Visit): Promise<string[]> {
    const response = await ask('GET', `/intake/v1${path}/export?export=approved`);
    const [, ...lines] = (await response.text()).trim().split(/\r?\n/);
    return Promise.all(
      lines.map(async (line) => {
        const link = line.slice(line.lastIndexOf(',') + 1).replaceAll('"', '');
        if (!link.includes('/intake/v1/files/')) return link;
        return (await middleAlpha(link)) === 0 ? 'a picture with a hole' : 'a picture';
      }),
    );
  }
}
