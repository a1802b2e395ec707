import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ACCESSORIES } from './drawn-accessories.ts';
import { type Console, seriousViolations, tabTo, type Watched } from './page.ts';

interface TripPlan {
  itemIds: string[];
  days: { date: string; outfit: { name: string; explanation: { text: string }[] } }[];
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** Two days of Open-Meteo as it sends them: the first starts at noon. */
function openMeteo() {
  const time = ['2026-11-23', '2026-11-24', '2026-11-25'].flatMap((date, day) =>
    HOURS.slice(day === 0 ? 12 : 0).map((hour) => `${date}T${hour}:00`),
  );
  const each = (value: number) => time.map(() => value);
  return {
    hourly_units: { temperature_2m: '°C', wind_speed_10m: 'km/h' },
    hourly: {
      time,
      temperature_2m: each(3),
      relative_humidity_2m: each(80),
      wind_speed_10m: each(12),
      weather_code: each(61),
    },
  };
}

const pin = (page: Page, label: string) =>
  page.locator('#wardrobe').getByRole('button', { name: `Keep ${label} in every outfit` });

/** Has the wardrobe drawn again, and waits for the answer to the request that follows. */
async function drawAgain(page: Page): Promise<void> {
  const asked = page.waitForRequest('**/look/v1/outfits');
  await page.evaluate(`import('/console/wardrobe-store.js').then(({ wardrobe }) =>
    wardrobe.dispatchEvent(new Event('changed')))`);
  await (await asked).response();
}

/** Adds accessories to the wardrobe of the page, as its own modules store them. */
const addAccessories = (page: Page): Promise<void> =>
  page.evaluate(`import('/console/wardrobe-store.js').then(({ addGarments }) =>
    addGarments(...${JSON.stringify(ACCESSORIES)}.map(({ drawing, ...garment }) => ({
      ...garment,
      picture: new Blob([drawing], { type: 'image/svg+xml' }),
    }))))`);

/** Whether the middle of an element is on top, where a click meets it. */
const isOnTop = (element: Locator): Promise<boolean> =>
  element.evaluate((node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    const found = node.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
    return node.contains(found);
  });

/** Tests of pins, languages and the plan of a week. */
export function outfitCases({ open }: Console): void {
  describe('outfits', () => {
    let watched: Watched;
    let page: Page;
    beforeAll(async () => {
      watched = await open();
      ({ page } = watched);
      await page.getByRole('link', { name: 'Outfits' }).click();
      await page.locator('#wardrobe-sample').click();
      await page.locator('.flat-lay').waitFor();
      return () => page.context().close();
    });

    /** Chooses the language of the page, which is then loaded anew. */
    async function speak(language: string): Promise<void> {
      await page.locator('#language').selectOption(language);
      await page.locator(`html[lang=${language}] .flat-lay`).first().waitFor();
    }

    const worn = () =>
      page
        .locator('#figure .flat-lay img')
        .evaluateAll((images) => images.map((image) => image.getAttribute('alt')));

    test('contain a garment that is pinned by keyboard, until it is pinned no longer', async () => {
      expect(await worn()).not.toContain('Sandals');
      await pin(page, 'Sandals').focus();
      await page.keyboard.press('Enter');
      await expect.poll(worn).toContain('Sandals');
      expect(await pin(page, 'Sandals').getAttribute('aria-pressed')).toBe('true');
      expect(await page.locator(':focus').getAttribute('data-pin')).toBe('sample-sandals');
      await page.keyboard.press('Enter');
      await expect.poll(worn).not.toContain('Sandals');
    });

    test('are pinned by a click on the garment in the outfit', async () => {
      const shoes = page.locator('#figure button[data-slot=shoes]');
      const id = await shoes.getAttribute('data-pin');
      await shoes.click();
      await expect
        .poll(() => page.locator('#figure button[data-slot=shoes]').getAttribute('aria-pressed'))
        .toBe('true');
      await page.locator(`#wardrobe [data-pin="${id}"]`).click();
    });

    test('are pinned by a click that lasts while others change', async () => {
      await pin(page, 'Camel coat').hover();
      await page.mouse.down();
      await pin(page, 'Sandals').evaluate((node) => node.click());
      await expect.poll(worn).toContain('Sandals');
      await page.mouse.up();
      expect(await pin(page, 'Camel coat').getAttribute('aria-pressed')).toBe('true');
      for (const label of ['Camel coat', 'Sandals']) await pin(page, label).click();
      await expect.poll(worn).not.toContain('Sandals');
    });

    test('keep the focus on the garment that is pinned in them', async () => {
      const shoes = page.locator('#figure button[data-slot=shoes]');
      const id = await shoes.getAttribute('data-pin');
      for (const pressed of ['true', 'false']) {
        // Not the response: the page gives up one that has been overtaken, which then never ends.
        await shoes.press('Enter');
        const focused = page.locator(`#figure button:focus[aria-pressed=${pressed}]`);
        await expect.poll(() => focused.getAttribute('data-pin')).toBe(id);
      }
    });

    /** Makes the service busy for the next request. Returns how many requests there were, and ends it. */
    async function makeBusyOnce(url: string): Promise<() => Promise<number>> {
      let requests = 0;
      await page.route(url, (route) => {
        if (requests++ > 0) return route.continue();
        const body = JSON.stringify({ type: 'upstream-unavailable', title: 'Busy', status: 503 });
        return route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body });
      });
      return async () => {
        await page.unroute(url);
        return requests;
      };
    }

    test('come later if the service is busy, which the page says', async () => {
      const endBusy = await makeBusyOnce('**/look/v1/outfits');
      await pin(page, 'Sandals').click();
      await expect.poll(() => page.locator('#figure').textContent()).toMatch(/busy/);
      expect(await page.locator('#announcement').textContent()).toMatch(/busy/);
      await expect.poll(worn).toContain('Sandals');
      expect(await endBusy()).toBe(2);
      await pin(page, 'Sandals').click();
      await expect.poll(worn).not.toContain('Sandals');
    });

    test('of a week come later, too', async () => {
      const endBusy = await makeBusyOnce('**/look/v1/trip');
      await page.locator('#week-plan').click();
      await expect.poll(() => page.locator('#week').textContent()).toMatch(/busy/);
      await expect.poll(() => page.locator('.week-outfit').count()).toBe(7);
      expect(await endBusy()).toBe(2);
    });

    test('show the focus on a garment that is pinned', async () => {
      await pin(page, 'Oxford shirt').click();
      const shirt = page.locator('#figure [data-pin=sample-oxford][aria-pressed=true]');
      const focusedOutline = async () => {
        await shirt.focus(); // again, as the outfit may be drawn anew
        return shirt.evaluate((node) => node.computedStyleMap().get('outline-style')?.toString());
      };
      await shirt.waitFor();
      await page.keyboard.press('Tab'); // so that the focus is one of the keyboard
      await expect.poll(focusedOutline).toBe('solid');
      await pin(page, 'Oxford shirt').click();
    });

    test('draw a dress as long as it is, also with a coat over it', async () => {
      await page.locator('[name=plan][value=outdoor]').press('Space');
      await pin(page, 'Summer dress').click();
      await pin(page, 'Camel coat').click();
      await page.locator('#figure [data-pin=sample-wool-coat][aria-pressed=true]').waitFor();
      const heightOf = async (selector: string) =>
        (await page.locator(`#figure ${selector}`).boundingBox())?.height ?? Number.NaN;
      // Polled: between two boxes the outfit may be drawn again, and a node that is gone has none.
      await expect
        .poll(
          async () => (await heightOf('[data-pin=sample-dress]')) / (await heightOf('.flat-lay')),
        )
        .toBeGreaterThan(0.6);
      await page.locator('[name=plan][value=indoor]').press('Space');
      await pin(page, 'Summer dress').click();
      await pin(page, 'Camel coat').click();
    });

    test('are not drawn under the mouse: a press outlasts a wardrobe that changes', async () => {
      await drawAgain(page); // an answer to the clicks before would move what is under the mouse
      await pin(page, 'Oxford shirt').hover();
      await page.mouse.down();
      await drawAgain(page);
      await page.mouse.up();
      await expect.poll(() => pin(page, 'Oxford shirt').getAttribute('aria-pressed')).toBe('true');
      await pin(page, 'Oxford shirt').click();
    });

    test('leave the focus where it went while a garment is removed', async () => {
      await addAccessories(page);
      await page.locator('#wardrobe').getByText('Brown bag').waitFor();
      await page.evaluate(`(() => {
        document.querySelector('#wardrobe [aria-label="Remove Brown bag"]').click();
        document.querySelector('[name=plan]:checked').focus();
      })()`);
      await expect.poll(() => page.locator('#wardrobe').textContent()).not.toContain('Brown bag');
      expect(await page.locator(':focus').getAttribute('name')).toBe('plan');
    });

    test('show a belt, a tie, sunglasses and a bag that are pinned, each with room', async () => {
      await addAccessories(page);
      for (const { label } of ACCESSORIES) await pin(page, label).click();
      const labels = ACCESSORIES.map(({ label }) => label);
      await expect.poll(worn).toEqual(expect.arrayContaining(labels));
      await page.setViewportSize({ width: 1280, height: 1200 });
      for (const { id, label } of ACCESSORIES) {
        const button = page.locator(`#figure [data-pin="${id}"]`);
        await button.scrollIntoViewIfNeeded();
        const { width = 0, height = 0 } = (await button.boundingBox()) ?? {};
        expect(Math.min(width, height), label).toBeGreaterThan(30);
        expect(await isOnTop(button), label).toBe(true);
      }
      for (const { label } of ACCESSORIES)
        await page.getByRole('button', { name: `Remove ${label}` }).click();
      await expect.poll(worn).not.toContain('Brown bag');
    });

    test('of garments that cannot be worn together are an error with their names', async () => {
      await pin(page, 'Sandals').click();
      await pin(page, 'Leather boots').click();
      const error = page.locator('#figure .error-box');
      await error.waitFor();
      expect(await error.textContent()).toContain('Sandals');
      expect(await error.textContent()).toContain('Leather boots');
      expect(await error.textContent()).not.toContain('sample-');
      await pin(page, 'Sandals').click();
      await pin(page, 'Leather boots').click();
      await page.locator('#figure .flat-lay').waitFor();
    });

    test('have names, reasons and warnings in the chosen language, which is kept', async () => {
      const freeze = async () => {
        await page.locator('[name=plan][value=outdoor]').press('Space');
        await page.locator('[name=tempC]').fill('-20');
        await page.locator('.warning').first().waitFor();
      };
      expect(await page.locator('#language option').allTextContents()).toContain('Deutsch');
      await speak('de');
      await freeze();
      const explanation = page.locator('#explanation');
      await expect.poll(() => explanation.textContent()).toMatch(/bei einem Bedarf von/);
      expect(await page.locator('.warning').first().textContent()).not.toMatch(/cold|freeze/);
      expect(await page.locator('#tabs').innerText()).toContain('Katalog');
      await page.reload();
      await page.locator('html[lang=de] .flat-lay').first().waitFor();
      await speak('en');
      await freeze();
      await expect.poll(() => explanation.textContent()).toMatch(/for a need of/);
    });

    test('are planned for a week, with a garment that is pinned on every day', async () => {
      await pin(page, 'Roll-neck').click();
      await page.locator('[name=dayTempC]').first().fill('21');
      await page.getByLabel('Garments, at most').fill('9');
      await page.getByLabel('Wears before washing').selectOption('0');
      await tabTo(page, '#week-plan');
      const pending = page.waitForResponse('**/look/v1/trip');
      await page.keyboard.press('Enter');
      const trip: TripPlan = await (await pending).json();
      await page.locator('.week-strip').waitFor();
      expect(await page.locator('.week-outfit').count()).toBe(7);
      expect(trip.days).toHaveLength(7);
      expect(await page.locator('.week-outfit').first().textContent()).toContain(
        trip.days[0]?.outfit.name,
      );
      expect(await page.locator('.week-strip img[alt="Roll-neck"]').count()).toBe(7);
      await page.locator('.week-outfit summary').first().press('Enter');
      const why = await page.locator('.week-outfit .reasons').first().allInnerTexts();
      const [reason = { text: '' }] = trip.days[0]?.outfit.explanation ?? [];
      expect(why.join(' ').toLowerCase()).toContain(reason.text.toLowerCase());
      expect(await page.locator('.week-items li').count()).toBe(trip.itemIds.length);
      expect(trip.itemIds.length).toBeLessThanOrEqual(9);
      expect(await seriousViolations(page)).toEqual([]);
      await pin(page, 'Roll-neck').click();
    });

    test('of a week, and what the page says about them, are in the language', async () => {
      const text = (selector: string) => page.locator(selector).first().textContent();
      await speak('de');
      await page.locator('[name=dayCondition]').first().selectOption('rain');
      await page.locator('[name=tempC]').fill('0');
      await expect.poll(() => text('.shell')).toMatch(/^Draußen ist es kälter/);
      expect(await text('.gauge-labels')).toBe('kaltangenehmwarm');
      expect(await text('.gauge p')).not.toMatch(/^(.{10,}).*\1/); // said once
      expect(await page.locator('.clo-chart .bar-name').allTextContents()).toContain('Beine');
      expect(await text('.clo-chart td')).toMatch(/^\d,\d\d$/);
      expect(await text('.week-day b')).toMatch(/^(Mo|Di|Mi|Do|Fr|Sa|So)[.,]/);
      expect(await text('[name=dayCondition] option:checked')).toBe('Regen');
      await page.locator('#week-plan').click();
      await expect.poll(() => text('.week-outfit .tag')).toMatch(/^\d+ von 100$/);
      expect(await text('.week-outfit summary')).toBe('Warum dieses Outfit');
      expect(await text('.week-outfit b')).toBe(await text('.week-day b'));
      expect(await text('#week h3')).toMatch(/^Zum Mitnehmen: \d+$/);
      expect(await text('#week')).toMatch(/andere Auswahl/);
      await speak('en');
    });

    test('of a week in the frost have a coat, also while the page is set to indoors', async () => {
      await page.locator('[name=plan][value=indoor]').press('Space');
      // One coat for all days.
      await page.getByLabel('Wears before washing').selectOption('0');
      for (const day of await page.locator('[name=dayTempC]').all()) await day.fill('-5');
      const pending = page.waitForResponse('**/look/v1/trip');
      await page.locator('#week-plan').click();
      await pending;
      await expect.poll(() => page.locator('.week-outfit [data-slot=outer]').count()).toBe(7);
    });

    test('are planned for the whole days of a forecast file', async () => {
      const choose = (name: string, text: string) =>
        page.locator('#week-forecast').setInputFiles({
          name,
          mimeType: 'application/json',
          buffer: Buffer.from(text),
        });
      const note = () => page.locator('#week-forecast-note').textContent();
      await choose('broken.json', '{');
      await expect.poll(note).toBe('This file is not JSON.');
      await choose('other.json', '{"hourly": {"time": "soon"}}');
      await expect.poll(note).toBe('This is no hourly forecast of Open-Meteo or MET Norway.');
      await choose('forecast.json', JSON.stringify(openMeteo()));
      await expect.poll(note).toBe('Open-Meteo: 2 whole days.');
      expect(await page.locator('#week-days').isHidden()).toBe(true);
      await page.locator('#week-plan').click();
      await expect
        .poll(() =>
          page
            .locator('.week-outfit')
            .evaluateAll((days) => days.map((day) => day.getAttribute('data-date'))),
        )
        .toEqual(['2026-11-24', '2026-11-25']);
      expect(await page.locator('.week-outfit [data-slot=outer]').count()).toBe(2);
    });

    test('came from the gateway alone, without errors other than those provoked', () => {
      expect(watched.foreign).toEqual([]);
      expect(watched.errors.filter((error) => !/ (400|503) /.test(error))).toEqual([]);
    });
  });
}
