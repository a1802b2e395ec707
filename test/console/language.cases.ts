import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../../src/console/browser/texts.js';
import { type Console, PHONE, scrollWidth, seriousViolations, watch } from './page.ts';

const PAGES = ['cut-out', 'catalogue', 'outfits', 'operate', 'usage'];

/** Tests of the pages in every language that the browser may prefer. */
export function languageCases({ stack, browser }: Console): void {
  describe.each(LANGUAGES)('the pages in %s', (language) => {
    test('are in the language that the browser prefers, accessible, and fit a phone', async () => {
      const { key } = await stack.key();
      const { url } = stack;
      const context = await browser().newContext({ locale: `${language}-CH`, viewport: PHONE });
      const { page, errors, foreign } = await watch(context, url);
      await page.goto(url);
      await page.locator('#sign-in-form button').waitFor();
      expect(await scrollWidth(page)).toBeLessThanOrEqual(PHONE.width);
      await page.goto(`${url}/#key=${key}`);
      for (const name of PAGES) {
        await page.goto(`${url}/#/${name}`);
        await page.locator(`html[lang=${language}] [data-page="${name}"]:not([hidden])`).waitFor();
        expect(await scrollWidth(page), name).toBeLessThanOrEqual(PHONE.width);
        expect(await seriousViolations(page), name).toEqual([]);
      }
      expect(await page.locator('#language').inputValue()).toBe(language);
      expect(errors).toEqual([]);
      expect(foreign).toEqual([]);
      await context.close();
    });
  });
}
