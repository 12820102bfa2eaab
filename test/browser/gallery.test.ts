import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { browserOfFile } from '../support/browser.ts';
import { galleryPages } from '../support/gallery.ts';
import { silentLog } from '../support/log.ts';
import { sweep } from '../support/page-faults.ts';
import { samplePages } from '../support/sample-pages.ts';

const newPage = browserOfFile();

/** The address of the sample pages. */
async function gallery(): Promise<string> {
  const named = { key: 'listing.port', likelyHolder: 'another one' };
  const server = await servePages(samplePages().app.fetch, {
    ...{ host: '127.0.0.1', port: 0, ...named, visitors: 'local', clock: systemClock, log: silentLog },
  });
  onTestFinished(() => server.close());
  return `http://127.0.0.1:${server.address.port}`;
}

test('every component fits the screen, has named controls and causes no browser errors', {
  timeout: 120_000,
}, async () => {
  expect(await sweep(await newPage(), await gallery(), Object.keys(galleryPages))).toEqual({});
});

/** What is shown for the column with the focus or under the pointer. */
const tipOf = (page: Page): Locator => page.locator('.column:is(:hover, :focus-within) > .tip');

/** Its text; null if it is hidden. */
async function tipIn(page: Page): Promise<string | null> {
  const tip = tipOf(page);
  const box = await tip.boundingBox();
  return box === null || box.width <= 1 ? null : (await tip.innerText()).replaceAll(/\s+/g, ' ');
}

test('without script, the arrow keys show the numbers of each day, and the next Tab leaves the chart', async () => {
  const page = await newPage({ javaScriptEnabled: false });
  await page.goto(`${await gallery()}/gallery/charts`);
  await page.getByRole('radio', { name: /^Mon 23 Nov 2026: .*Paid/ }).focus();
  expect(await tipIn(page)).toMatch(/^Mon 23 Nov 2026: \d+ votes Paid \d+/);
  await page.keyboard.press('ArrowLeft');
  expect(await tipIn(page)).toMatch(/^Sun 22 Nov 2026: /);
  await page.keyboard.press('Tab');
  expect(await page.locator(':focus').innerText()).toBe('As a table');
  expect(await page.locator('.column:focus-within').count()).toBe(0);
});

test.each([
  [1280, 10],
  [390, 5],
])('at %d pixels, the numbers of a column are shown whole, within the page', async (width, column) => {
  const page = await newPage({ viewport: { width, height: 800 }, hasTouch: width === 390 });
  await page.goto(`${await gallery()}/gallery/charts`);
  const hour = page.locator('.axes').first().locator('.column').nth(-column);
  await hour.scrollIntoViewIfNeeded();
  if (width === 390) await hour.tap();
  else await hour.hover();
  expect(await tipIn(page)).toMatch(/\d\d:00: \d+ votes?/);
  const { x, y, width: wide } = (await tipOf(page).boundingBox())!;
  expect([x >= 0, y >= 0, x + wide <= width]).toEqual([true, true, true]);
});
