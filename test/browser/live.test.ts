import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { silentLog } from '../support/log.ts';
import { samplePages } from '../support/sample-pages.ts';

const newPage = browserOfFile();

/** The live list of the sample pages, with one row, and its page in a browser with an open stream. */
async function liveRows() {
  const { app, taken, changes } = samplePages({ clock: systemClock });
  const named = { key: 'listing.port', likelyHolder: 'another one' };
  const server = await servePages(app.fetch, {
    ...{ host: '127.0.0.1', port: 0, ...named, visitors: 'local', clock: systemClock, log: silentLog },
  });
  onTestFinished(() => server.close());
  taken.push('first');
  const page = await newPage();
  await page.goto(`http://127.0.0.1:${server.address.port}/rows`);
  await expect.poll(() => changes.watchers).toBe(1);
  const add = (row: string): void => {
    taken.push(row);
    changes.happen();
  };
  return { page, add, changes, server };
}

const rowsOf = (page: Page): Promise<string[]> => page.locator('tbody tr td:first-child').allInnerTexts();

/** Chromium without a window cannot hide a page, so the page is told that it is hidden. */
const setHidden = (page: Page, hidden: boolean): Promise<void> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

test('a new row is shown within a second, marked as new, and the others stay as they are', async () => {
  const { page, add } = await liveRows();
  const complaints = complaintsOf(page);
  add('second');
  await expect.poll(() => rowsOf(page), { timeout: 1_000 }).toEqual(['second', 'first']);
  expect(await page.locator('.fresh').allInnerTexts()).toEqual([expect.stringContaining('second')]);
  add('third');
  await expect.poll(() => rowsOf(page), { timeout: 2_000 }).toEqual(['third', 'second', 'first']);
  expect(await page.locator('.fresh').allInnerTexts()).toEqual([
    ...['third', 'second'].map((row) => expect.stringContaining(row)),
  ]);
  expect(complaints).toEqual([]);
});

test('a list in use stays as it is, and shows what it missed as soon as the reader leaves it', async () => {
  const { page, add } = await liveRows();
  await page.locator('summary').click();
  const answered = page.waitForResponse(/\/rows$/);
  add('second');
  await page.locator('.region.stale').waitFor();
  await page.getByRole('link', { name: 'Start', exact: true }).last().focus();
  expect(await rowsOf(page)).toEqual(['first']);
  expect(await page.locator('details[open]').innerText()).toContain('about first');
  await page.locator('details[open] summary').click();
  await page.getByRole('link', { name: 'Start', exact: true }).last().focus();
  await answered;
  await expect.poll(() => rowsOf(page)).toEqual(['second', 'first']);
  expect(await page.locator('.region.stale').count()).toBe(0);
});

test('a hidden page has no stream, and is up to date as soon as it is shown again', async () => {
  const { page, add, changes } = await liveRows();
  await setHidden(page, true);
  await expect.poll(() => changes.watchers).toBe(0);
  add('second');
  expect(await rowsOf(page)).toEqual(['first']);
  await setHidden(page, false);
  await expect.poll(() => rowsOf(page)).toEqual(['second', 'first']);
  expect(changes.watchers).toBe(1);
});

test('new rows do not move the row that is being read', async () => {
  const { page, add } = await liveRows();
  for (let row = 0; row < 60; row++) add(`row ${row}`);
  await expect.poll(async () => (await rowsOf(page)).length).toBe(61);
  await page.mouse.wheel(0, 1_000);
  const read = page.getByRole('cell', { name: 'row 20', exact: true });
  const top = async () => (await read.boundingBox())!.y;
  await expect.poll(() => page.evaluate('scrollY')).toBe(1_000);
  const before = await top();
  add('the newest');
  await expect.poll(async () => (await rowsOf(page))[0]).toBe('the newest');
  // Browsers scroll by whole pixels.
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
});

test('a page says that it is no longer up to date when the server does not answer', async () => {
  const { page, server } = await liveRows();
  const notice = page.getByText('no longer up to date');
  expect(await notice.isVisible()).toBe(false);
  await server.close();
  await notice.waitFor();
});
