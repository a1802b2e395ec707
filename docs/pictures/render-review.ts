/**
 * Renders the picture of the review page: drawn garments, a few of them out of focus, go through a feed, and a person
 * looks at them. Needs Redis and Chromium. `node --import tsx docs/pictures/render-review.ts` writes it beside this file.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { findChromium, openBrowser } from '../../test/support/chromium.ts';
import { compileAll } from '../../test/support/compile-all.ts';
import { startFeedServer } from '../../test/support/feed-server.ts';
import { startStack } from '../../test/support/stack.ts';

const SAMPLE = join(import.meta.dirname, '../../src/console/browser/sample');
const GARMENTS = {
  hoodie: 'Zip hoodie',
  breton: 'Breton shirt',
  'wool-coat': 'Wool coat',
  jeans: 'Straight jeans',
  dress: 'Summer dress',
  blazer: 'Linen blazer',
  skirt: 'Midi skirt',
  'roll-neck': 'Roll-neck sweater',
  'down-jacket': 'Down jacket',
  sweater: 'Knit sweater',
  chinos: 'Chinos',
  oxford: 'Oxford shirt',
} as const;
const [WIDTH, HEIGHT] = [480, 600];
const PAGE = { width: 1280, height: 860 };
/** Of the blur that makes a review necessary, pixels. */
const SIGMA = 7;

/** Draws a garment on a wall, out of focus. */
async function photoOf(name: string): Promise<Buffer> {
  const garment = await sharp(await readFile(join(SAMPLE, `${name}.svg`)), { density: 200 })
    .resize({ width: WIDTH - 120, height: HEIGHT - 120, fit: 'inside' })
    .png()
    .toBuffer();
  const photo = await sharp({
    create: { width: WIDTH, height: HEIGHT, channels: 3, background: '#d8d2c6' },
  })
    .composite([{ input: garment }])
    .png()
    .toBuffer();
  return sharp(photo).blur(SIGMA).jpeg({ quality: 90 }).toBuffer();
}

await compileAll();
const found = await findChromium();
if ('missing' in found) throw new Error(found.missing);
const [stack, shop, browser] = await Promise.all([
  startStack({ FETCH_ALLOW: '127.0.0.0/8' }),
  startFeedServer(),
  openBrowser(found.path),
]);
try {
  const products = await Promise.all(
    Object.entries(GARMENTS).map(async ([name, title]) => {
      const body = await photoOf(name);
      return `${name},${title},${shop.put(`/${name}.jpg`, { body, type: 'image/jpeg' })}`;
    }),
  );
  const page = await browser.newPage({ viewport: PAGE });
  await page.goto(`${stack.url}/#key=${(await stack.key()).key}`);
  await page.getByRole('link', { name: 'Catalogue' }).click();
  await page.locator('#feed-file').setInputFiles({
    name: 'spring.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['id,title,image_link', ...products].join('\n')),
  });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('link', { name: /^(Review|Look)/ }).click({ timeout: 180_000 });
  await page.locator('.review-tile img').first().waitFor();
  for (const key of ['a', 'a', 'r', 'a', 'Enter']) await page.keyboard.press(key);
  await page.locator('.review-frame img').nth(1).waitFor();
  await page.locator('.review-progress', { hasText: '4 of' }).waitFor();
  const shot = await page.screenshot({ animations: 'disabled' });
  await sharp(shot)
    .png({ palette: true, colours: 200, effort: 10, compressionLevel: 9 })
    .toFile(join(import.meta.dirname, 'console-review.png'));
} finally {
  await browser.close();
  await Promise.all([stack.stop(), shop.close()]);
}
