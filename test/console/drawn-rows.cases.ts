import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { batchClient } from '../support/batches.ts';
import { drawnShirt } from '../support/images.ts';
import { plantServer, serve } from '../support/servers.ts';
import { draw, untilExact } from './mend.cases.ts';
import type { Console } from './page.ts';

const GREEN = '#00ff00';

/** Returns how many pixels in the middle of a picture are green. */
async function greenPixels(file: ArrayBuffer): Promise<number> {
  const { width = 0, height = 0 } = await sharp(file).metadata();
  const middle = {
    left: Math.floor(0.3 * width),
    top: Math.floor(0.3 * height),
    width: Math.floor(0.4 * width),
    height: Math.floor(0.4 * height),
  };
  const { data } = await sharp(file)
    .removeAlpha()
    .extract(middle)
    .raw()
    .toBuffer({ resolveWithObject: true });
  let green = 0;
  for (let i = 0; i < data.length; i += 3)
    if (data[i]! < 50 && data[i + 1]! > 200 && data[i + 2]! < 50) green++;
  return green;
}

/** Tests of mending cut-outs that are drawn with a crop or a background. */
export function drawnRowCases({ stack, open }: Console): void {
  describe('a cut-out that is cropped and drawn on a colour', () => {
    let page: Page;
    let batches: ReturnType<typeof batchClient>;
    let photo: Buffer;
    beforeAll(async () => {
      const { key, page: opened } = await open();
      batches = batchClient(stack, key);
      page = opened;
      // Out of focus, so a person has to look at it.
      const shirt = await drawnShirt({ width: 200, height: 250, format: 'png' });
      photo = await sharp(shirt).blur(6).jpeg().toBuffer();
      return () => page.context().close();
    });

    /** Processes the photo with these options, and opens the review. */
    async function review(options: object): Promise<string> {
      const shop = await plantServer(serve(photo));
      const id = await batches.open({ options });
      const row = { customId: 'shirt', imageUrl: `${shop.origin}/shirt.jpg` };
      await batches.send(id, `${JSON.stringify(row)}\n`);
      await batches.seal(id);
      await batches.until(id, 'completed');
      await page.goto(`${stack.url}/#/review/batches/${id}?rows=all`);
      await page.locator('.review-tile[aria-selected=true] img').waitFor();
      return id;
    }
    const greenOf = async (id: string): Promise<number> =>
      greenPixels(await (await batches.ask('GET', `/batches/${id}/rows/0/cutout`)).arrayBuffer());
    const openBrush = async () => {
      await page.keyboard.press('m');
      await page.locator('.mend-stage').waitFor();
    };
    const noteOf = () => page.locator('.mend-foot [role=status]').textContent();
    async function eraseAt(y: number): Promise<void> {
      await page.keyboard.press('e');
      await draw(page, [
        [0.4, y],
        [0.6, y],
      ]);
      await untilExact(page);
      await page.keyboard.press('Enter');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }

    test('is mended in the frame of its photo, as often as needed', async () => {
      const id = await review({ crop: true, backgroundColor: GREEN });
      expect(await greenOf(id)).toBe(0);
      await openBrush();
      expect(await noteOf()).toBe('');
      await eraseAt(0.55);
      const once = await greenOf(id);
      expect(once).toBeGreaterThan(20);
      await openBrush();
      expect(await noteOf()).toBe('');
      await eraseAt(0.45);
      expect(await greenOf(id)).toBeGreaterThan(once);
      // Another page does not have the alpha that was mended here.
      await page.reload();
      await page.locator('.review-tile[aria-selected=true] img').waitFor();
      await openBrush();
      expect(await noteOf()).toContain('earlier strokes are not in it');
      await page.keyboard.press('Escape');
    });

    test('on a background image says why it cannot be mended', async () => {
      const ground = await sharp({
        create: { width: 300, height: 300, channels: 3, background: GREEN },
      })
        .png()
        .toBuffer();
      const server = await plantServer(serve(ground));
      await review({ backgroundImageUrl: `${server.origin}/ground.png` });
      await page.keyboard.press('m');
      await expect
        .poll(() => page.locator('.review-view .error-box').textContent())
        .toContain('It cannot be mended here');
      expect(await page.locator('.mend').count()).toBe(0);
    });
  });
}
