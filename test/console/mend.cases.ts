import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Console, photo, seriousViolations, tabTo, type Watched } from './page.ts';

/** Place in the picture, as parts of its width and height. */
type Place = [x: number, y: number];

/** Returns where a place of the picture is on the page. */
export async function onPage(page: Page, [x, y]: Place): Promise<Place> {
  const box = await page.locator('.mend-layers').boundingBox();
  if (!box) throw new Error('The brush is not open');
  return [box.x + x * box.width, box.y + y * box.height];
}

/** Draws a stroke with the mouse, and leaves the button down if `isOpen`. */
export async function draw(page: Page, [first, ...rest]: Place[], isOpen = false): Promise<void> {
  await page.mouse.move(...(await onPage(page, first!)));
  await page.mouse.down();
  for (const place of rest) await page.mouse.move(...(await onPage(page, place)), { steps: 5 });
  if (!isOpen) await page.mouse.up();
}

/** Waits until the service has applied all strokes. */
export const untilExact = (page: Page): Promise<void> =>
  page.locator('.mend-stage[data-state=exact]').waitFor();

/** Returns alpha at places of a picture or canvas, 0 to 255. */
export const alphaAt = (source: Locator, places: Place[]): Promise<number[]> =>
  source.evaluate((node, wanted) => {
    const [width, height] = [node.naturalWidth || node.width, node.naturalHeight || node.height];
    const canvas = node.ownerDocument.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(node, 0, 0);
    return wanted.map(
      ([x, y]) => context.getImageData(Math.floor(x * width), Math.floor(y * height), 1, 1).data[3],
    );
  }, places);

export const MIDDLE: Place = [0.5, 0.5];
export const CORNER: Place = [0.05, 0.05];
const SHOULDER: Place = [0.42, 0.3];

/** Tests of the brush over a cut-out. */
export function mendCases({ open }: Console): void {
  describe('a brush', () => {
    let watched: Watched;
    let page: Page;
    beforeAll(async () => {
      watched = await open();
      ({ page } = watched);
      await page.locator('#cut-files').setInputFiles(await photo());
      await page.locator('.compare').waitFor();
      return () => page.context().close();
    });

    const mended = () => page.locator('.mend-after');
    const cursorWidth = async () => (await page.locator('.mend-cursor').boundingBox())?.width ?? 0;
    const openBrush = async () => {
      await page.getByRole('button', { name: 'Mend with a brush' }).click();
      await page.locator('.mend-stage').waitFor();
    };

    test('shows a stroke at once, and then as the service applies it', async () => {
      await openBrush();
      expect(await alphaAt(mended(), [MIDDLE, CORNER])).toEqual([255, 0]);
      await page.keyboard.press('e');
      await draw(
        page,
        [
          [0.45, 0.5],
          [0.55, 0.5],
        ],
        true,
      );
      expect(await alphaAt(mended(), [MIDDLE, SHOULDER])).toEqual([0, 255]);
      await page.mouse.up();
      await untilExact(page);
      expect(await alphaAt(mended(), [MIDDLE, SHOULDER])).toEqual([0, 255]);
    });

    test('undoes and redoes strokes, and shows the cut-out before', async () => {
      await page.keyboard.press('Control+z');
      expect(await alphaAt(mended(), [MIDDLE])).toEqual([255]);
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await page.keyboard.press('Control+y');
      expect(await alphaAt(mended(), [MIDDLE])).toEqual([0]);
      await page.keyboard.press('b');
      expect(await mended().isVisible()).toBe(false);
      await page.keyboard.press('b');
      expect(await mended().isVisible()).toBe(true);
    });

    test('has the size that the wheel and keys give it, and zooms', async () => {
      const first = await cursorWidth();
      await page.mouse.wheel(0, -100);
      await expect.poll(cursorWidth).toBeGreaterThan(first);
      await page.keyboard.press('[');
      await expect.poll(cursorWidth).toBeCloseTo(first, 0);
      await page.keyboard.press('+');
      await expect.poll(cursorWidth).toBeCloseTo(first * 1.25, 0);
      await page.keyboard.press('0');
      await expect.poll(cursorWidth).toBeCloseTo(first, 0);
    });

    test('saves what the service has made', async () => {
      await untilExact(page);
      await page.keyboard.press('Enter');
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(await alphaAt(page.locator('.compare-after'), [MIDDLE, SHOULDER, CORNER])).toEqual([
        0, 255, 0,
      ]);
      expect(await page.locator('#cut-panel').textContent()).not.toContain('Please check');
    });

    test('works by keyboard alone, and asks before it drops strokes', async () => {
      await tabTo(page, 'button:has-text("Mend with a brush")');
      await page.keyboard.press('Enter');
      await page.locator('.mend-stage:focus').waitFor();
      await page.keyboard.press('Space');
      await untilExact(page);
      expect(await alphaAt(mended(), [MIDDLE])).toEqual([255]);
      await page.keyboard.press('Escape');
      await page.getByText('Press Esc once more').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(await alphaAt(page.locator('.compare-after'), [MIDDLE])).toEqual([0]);
    });

    test('takes one finger to paint, and two to zoom', async () => {
      await openBrush();
      const touch = await page.context().newCDPSession(page);
      const send = (type: string, ...points: Place[]) =>
        touch.send('Input.dispatchTouchEvent', {
          type: type as 'touchStart',
          touchPoints: points.map(([x, y], id) => ({ x, y, id })),
        });
      const [x, y] = await onPage(page, MIDDLE);
      const before = await cursorWidth();
      await send('touchStart', [x - 20, y], [x + 20, y]);
      await send('touchMove', [x - 40, y], [x + 40, y]);
      await send('touchEnd');
      await expect.poll(cursorWidth).toBeCloseTo(before * 2, 0);
      expect(await alphaAt(mended(), [MIDDLE])).toEqual([0]);
      await send('touchStart', await onPage(page, MIDDLE));
      await send('touchEnd');
      await expect.poll(() => alphaAt(mended(), [MIDDLE])).toEqual([255]);
    });

    test.each(['light', 'dark'] as const)(
      'has no serious accessibility violations in %s mode',
      async (colorScheme) => {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        expect(await seriousViolations(page)).toEqual([]);
      },
    );

    test('loads from nowhere but the gateway, without errors', () => {
      expect(watched.foreign).toEqual([]);
      expect(watched.errors).toEqual([]);
    });
  });
}
