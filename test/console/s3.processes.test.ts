import { randomUUID } from 'node:crypto';
import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createS3Client } from '../../src/storage/s3-blobs.ts';
import { findChromium, openBrowser } from '../support/chromium.ts';
import { startFeedServer } from '../support/feed-server.ts';
import { reportMissing } from '../support/requirement.ts';
import { startS3Stack } from '../support/s3-stack.ts';
import { type TestS3, testS3 } from '../support/services.ts';
import { HANGS_MILLIS } from './desk.cases.ts';
import { csvFile, naturalWidths, signIn, type Watched } from './page.ts';
import { shopDay } from './shop-day.cases.ts';

const SETTINGS = { FETCH_ALLOW: '127.0.0.0/8' };

const browser = await findChromium();
const s3 = await testS3();
if ('missing' in browser || typeof s3 === 'string') {
  if ('missing' in browser) reportMissing('chromium', browser.missing);
  if (typeof s3 === 'string') reportMissing('s3', s3);
  test.skip('the console on S3');
} else {
  describe('the console on S3', () => onS3(browser.path, s3));
}

/** Imports a feed of one picture and opens its review. */
async function review({ page }: Watched): Promise<void> {
  const shop = await startFeedServer();
  onTestFinished(() => shop.close());
  const feed = `id,title,image_link\nsku-1,Shirt,${await shop.putImage('/1.jpg', 1)}`;
  await page.goto(new URL('#/catalogue', page.url()).href);
  await page.locator('#feed-file').setInputFiles(csvFile('feed.csv', feed));
  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('.run[data-status=completed]').waitFor();
  await page.locator('.gallery img').waitFor();
  await page.getByRole('link', { name: /Review/ }).click();
  await page.locator('.review-picture img').waitFor();
}

function onS3(chromium: string, server: TestS3): void {
  test.each([
    { title: 'that the gateway sends', publicEndpoint: '' },
    { title: 'that the public endpoint sends', publicEndpoint: server.endpoint },
  ])('shows the cut-outs of a feed $title', async ({ publicEndpoint }) => {
    const bucket = `selvage-test-${randomUUID()}`;
    const env = { ...SETTINGS, S3_PUBLIC_ENDPOINT: publicEndpoint };
    const stack = await startS3Stack(server, env, bucket);
    onTestFinished(() => stack.stop());
    await allowPages(bucket, stack.url);
    const opened = await openBrowser(chromium);
    onTestFinished(() => opened.close());
    const watched = await signIn(await opened.newContext(), stack, await stack.key());
    await review(watched);
    const shown = watched.page.locator('.review-picture img');
    expect(Math.min(...(await naturalWidths(shown)))).toBeGreaterThan(0);
    expect(watched.errors.filter((error) => !error.includes('409'))).toEqual([]);
    const origins = new Set(watched.foreign.map((url) => new URL(url).origin));
    expect([...origins]).toEqual(publicEndpoint ? [publicEndpoint] : []);
  });

  test(
    'plays two days of a shop',
    async () => {
      const stack = await startS3Stack(server, SETTINGS);
      onTestFinished(() => stack.stop());
      const opened = await openBrowser(chromium);
      onTestFinished(() => opened.close());
      const visit = await signIn(await opened.newContext(), stack, await stack.key());
      await shopDay(visit);
      expect(visit.foreign).toEqual([]);
    },
    HANGS_MILLIS,
  );

  /** As `docs/settings.md` says. */
  async function allowPages(bucket: string, origin: string): Promise<void> {
    const client = createS3Client(server);
    const rule = {
      AllowedOrigins: [origin],
      AllowedMethods: ['GET', 'HEAD'],
      AllowedHeaders: ['*'],
    };
    await client.send(
      new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules: [rule] } }),
    );
    client.destroy();
  }
}
