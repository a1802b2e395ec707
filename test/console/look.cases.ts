import { unzipSync } from 'fflate';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPixels } from '../support/images.ts';
import { plantServer, serve } from '../support/servers.ts';
import { type Console, downloaded, photo, seriousViolations, type Visit } from './page.ts';

const BLUE = '#3366cc';
const BLUE_RGB = [51, 102, 204];
const GREEN_RGB = [0, 255, 0];

/** Returns the first pixel of a file: nothing of the subject reaches it. */
const cornerOf = async (file: Uint8Array) => (await readPixels(file)).corner.slice(0, 3);

/** Returns the first pixel and the size of a picture of the page. */
const seen = (image: Locator): Promise<{ corner: number[]; width: number; height: number }> =>
  image.evaluate(async (node) => {
    await node.decode();
    const canvas = node.ownerDocument.createElement('canvas');
    const [width, height] = [Number(node.naturalWidth), Number(node.naturalHeight)];
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(node, 0, 0);
    return { corner: [...context.getImageData(0, 0, 1, 1).data].slice(0, 3), width, height };
  });

/** The look of single pictures and of batches. */
export function lookCases({ stack, open }: Console): void {
  describe('a look', () => {
    let visit: Visit;
    let page: Page;
    /** Requests that cost an image. */
    let drawn = 0;
    beforeAll(async () => {
      visit = await open();
      page = visit.page;
      page.on('request', (request) => {
        if (request.url().endsWith('/bg/v1/background-removals')) drawn++;
      });
      await page.locator('#cut-files').setInputFiles(await photo());
      await page.locator('.compare').waitFor();
      return () => page.context().close();
    });

    const form = () => page.locator('#cut-panel form');
    const batchForm = () => page.locator('#batch-form');
    const background = (within: Locator) => within.getByRole('combobox', { name: 'Background' });
    const more = (within: Locator) => within.getByText('Crop, shadow, rules and presets');
    const preview = () => form().getByRole('button', { name: 'Preview' }).click();
    const save = () => downloaded(page, 'Download');

    test('shows the background at once, and downloads what it previewed', async () => {
      await background(form()).selectOption('colour');
      await form().locator('input[type=color]').fill(BLUE);
      const behind = () =>
        page
          .locator('.compare')
          .evaluate((node) => node.ownerDocument.defaultView.getComputedStyle(node).background);
      await expect.poll(behind).toContain('rgb(51, 102, 204)');
      await preview();
      const shown = page.locator('.compare-after');
      await expect.poll(async () => (await seen(shown)).corner).toEqual(BLUE_RGB);
      expect(await cornerOf(await save())).toEqual(BLUE_RGB);
      expect(drawn).toBe(2);
    });

    test('shows a crop in its own frame, and a picture behind the garment', async () => {
      await more(form()).click();
      await form().getByLabel('Crop to the garment').check();
      await preview();
      const cropped = page.locator('#cut-preview img.cut-photo');
      await cropped.waitFor();
      const { width, height } = await seen(cropped);
      expect(width).toBeLessThan(400);
      expect(await sharp(await save()).metadata()).toMatchObject({ width, height });
      await form().getByLabel('Crop to the garment').uncheck();

      const create = { width: 30, height: 30, channels: 3, background: '#00ff00' } as const;
      const server = await plantServer(serve(await sharp({ create }).png().toBuffer()));
      await background(form()).selectOption('picture');
      await form().getByLabel('Address of the picture').fill(`${server.origin}/green.png`);
      await preview();
      const shown = page.locator('.compare-after');
      await expect.poll(async () => (await seen(shown)).corner).toEqual(GREEN_RGB);
      expect(await cornerOf(await save())).toEqual(GREEN_RGB);
      expect(await seriousViolations(page)).toEqual([]);
    });

    test('is saved by a name', async () => {
      await background(form()).selectOption('colour');
      await form().getByLabel('Save this look as').fill('Shop blue');
      await form().getByRole('button', { name: 'Save' }).click();
      await form().getByText('Saved as shop-blue.').waitFor();
      const options = { backgroundColor: BLUE };
      expect(await visit.read('/presets')).toMatchObject({
        presets: [{ name: 'shop-blue', options }],
      });
    });

    test('is tried on the first photo of a batch, which then has it', async () => {
      await page.goto(`${stack.url}/#/catalogue`);
      await page.locator('#batch-files').setInputFiles([await photo(), await photo('two.jpg')]);
      await more(batchForm()).click();
      const preset = batchForm().getByRole('combobox', { name: 'Preset' });
      await preset.getByText('shop-blue').waitFor({ state: 'attached' });
      await preset.selectOption('shop-blue');
      expect(await background(batchForm()).inputValue()).toBe('colour');
      expect(await batchForm().locator('input[type=color]').inputValue()).toBe(BLUE);
      await batchForm().getByRole('button', { name: 'Try on the first photo' }).click();
      const tried = page.locator('#batch-tried img');
      await tried.waitFor();
      expect((await seen(tried)).corner).toEqual(BLUE_RGB);
      expect(await seriousViolations(page)).toEqual([]);
      expect(await zipOfBatch('Blue')).toEqual({ 'shirt.png': BLUE_RGB, 'two.png': BLUE_RGB });
    });

    test('that is changed is no longer the preset', async () => {
      await page.locator('#batch-files').setInputFiles(await photo());
      await background(batchForm()).selectOption('white');
      const preset = batchForm().getByRole('combobox', { name: 'Preset' });
      expect(await preset.inputValue()).toBe('');
      await batchForm().getByRole('combobox', { name: 'File format' }).selectOption('jpeg');
      expect(await zipOfBatch('White')).toEqual({ 'shirt.jpg': [255, 255, 255] });
      const options = { format: 'jpeg', backgroundColor: '#ffffff' };
      expect(await visit.read('/batches?limit=1')).toMatchObject({
        batches: [{ name: 'White', options }],
      });
    });

    test('keeps what a preset has beside the fields', async () => {
      const small = { options: { scale: '80%', shadow: 'drop' }, export: 'passed' };
      expect((await visit.sendJson('PUT', '/intake/v1/presets/small', small)).status).toBe(200);
      await page.reload();
      await more(batchForm()).click();
      const preset = batchForm().getByRole('combobox', { name: 'Preset' });
      await preset.getByText('small').waitFor({ state: 'attached' });
      await preset.selectOption('small');
      await batchForm().getByText('Also of the preset: scale 80%.').waitFor();
      await batchForm().getByLabel('Strength of the shadow').fill('30');
      await page.locator('#batch-files').setInputFiles(await photo());
      await zipOfBatch('Small');
      const options = { scale: '80%', shadow: 'drop', shadowOpacityPct: 30 };
      expect(await visit.read('/batches?limit=1')).toMatchObject({
        batches: [{ name: 'Small', options }],
      });
    });

    test('cannot be saved with a key that has no right to presets', async () => {
      const other = await open({ intake: ['jobs'] });
      await other.page.goto(`${stack.url}/#/catalogue`);
      await other.page.getByText('Crop, shadow, rules and presets').click();
      await other.page.getByLabel('Crop to the garment').first().waitFor();
      expect(await other.page.getByLabel('Save this look as').isVisible()).toBe(false);
    });

    test('comes from the gateway alone, without errors', () => {
      expect(visit.foreign).toEqual([]);
      expect(visit.errors).toEqual([]);
    });

    /** Runs the batch, and returns the first pixel of each file of its archive. */
    async function zipOfBatch(name: string): Promise<Record<string, number[]>> {
      await page.locator('#batch-name').fill(name);
      await page.getByRole('button', { name: 'Start' }).click();
      await page.locator(`.run[data-status=completed][aria-label="${name}"]`).waitFor();
      const files = Object.entries(unzipSync(await downloaded(page, 'All cut-outs')));
      return Object.fromEntries(
        await Promise.all(
          files.map(async ([file, bytes]) => [file, await cornerOf(bytes)] as const),
        ),
      );
    }
  });
}
