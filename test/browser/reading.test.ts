import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { openLive, operatorsPage, SCRIPTS, shownAfterMs } from '../support/console-page.ts';
import { median } from '../support/median.ts';
import { type StuckConsole, stuckConsole } from '../support/stuck-grants.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();

/** A busy machine can take a second for itself, so it gets another try. */
const WITHIN_A_SECOND = { timeout: 60_000, retry: 2 };
const TRIES = 3;

interface Change {
  /** What the page shows then, and not before. */
  readonly text: string;
  readonly make: () => Promise<unknown>;
}

const voteOn = (one: StuckConsole, number: number): Change => ({
  text: `List-${number}.example`,
  make: () => voteTo(one.app.listener.port, 'Steve', `List-${number}.example`),
});

const stuckVote = (one: StuckConsole, number: number): Change => ({
  text: `Player${number}`,
  make: () => voteTo(one.app.listener.port, `Player${number}`),
});

const cancelled = (one: StuckConsole, number: number): Change => ({
  text: 'cancelled',
  make: () => one.app.ledger.cancel(number, { by: 'admin' }, systemClock.now()),
});

const joined = (one: StuckConsole, number: number): Change => ({
  text: `Visitor${number}`,
  make: async () => one.app.practiceServers.get('main')?.join(`Visitor${number}`),
});

const reloaded = (one: StuckConsole, number: number): Change => ({
  text: `newest-${number}`,
  make: async () => {
    const config = JSON.parse(readFileSync(one.config, 'utf8'));
    const [reward] = config.rewards;
    writeFileSync(
      one.config,
      JSON.stringify({ ...config, rewards: [{ ...reward, name: `newest-${number}` }] }),
    );
    await one.reload();
  },
});

test.each([
  ['Now', () => '/', voteOn],
  ['Votes', () => '/votes', voteOn],
  ['a player', () => '/players/Steve', voteOn],
  ['Needs you', () => '/grants', stuckVote],
  ['Figures', () => '/figures', stuckVote],
  ['Rewards', () => '/rewards', reloaded],
  ['Test', () => '/test', joined],
  ['a vote', (number: number) => `/votes/${number}`, cancelled],
  ['a grant', (number: number) => `/grants/${number}`, cancelled],
])('%s shows a change within a second', WITHIN_A_SECOND, async (_, pathOf, change) => {
  const one = await stuckConsole('broken', ['Steve', 'Alex', 'Notch']);
  const page = await operatorsPage(newPage, one);
  const complaints = complaintsOf(page);
  const took: number[] = [];
  for (let number = 1; number <= TRIES; number += 1) {
    await openLive(page, one.console.url + pathOf(number));
    const { text, make } = change(one, number);
    expect(await page.locator('body').innerText()).not.toContain(text);
    took.push(await shownAfterMs(page, text, make));
  }
  expect(median(took)).toBeLessThan(1_000);
  expect(complaints).toEqual([]);
});

test('the menu shows by itself how many grants need the operator, also while it has the focus', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  const link = page.getByRole('link', { name: 'Needs you' });
  expect(await link.textContent()).toBe('Needs you1 grant');
  await link.focus();
  await voteTo(one.app.listener.port, 'Alex');
  await page.getByRole('link', { name: 'Needs you 2 grants' }).waitFor({ timeout: 20_000 });
});

test.each([
  ['Now', '/', '#guide a'],
  ['Votes', '/votes', '#votes td a'],
  ['a player', '/players/Steve', '#player a'],
  ['Needs you', '/grants', '#stuck button'],
  ['a vote', '/votes/1', '#vote summary'],
  ['a grant', '/grants/1', '#grant button'],
])('%s does not take the focus from a reader, and catches up when they leave', async (_, path, control) => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, one.console.url + path);
  await page.locator(control).first().focus();
  await page.evaluate('window.focused = document.activeElement; 0');
  await voteTo(one.app.listener.port, 'Steve', 'Another-List');
  await page.locator('.region.stale').first().waitFor();
  expect(await page.evaluate('focused === document.activeElement && focused.isConnected')).toBe(true);
  await page.getByRole('link', { name: 'Keys' }).focus();
  await expect.poll(() => page.locator('.region.stale').count()).toBe(0);
});

test('a hidden page has no stream, and is up to date as soon as it is shown again', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  // Chromium without a window cannot hide a page, so the page is told that it is hidden.
  const setHidden = (hidden: boolean): Promise<void> =>
    page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  await setHidden(true);
  await voteTo(one.app.listener.port, 'Steve', 'Unseen.example');
  expect(await page.locator('body').innerText()).not.toContain('Unseen.example');
  await setHidden(false);
  await page.getByText('Unseen.example').first().waitFor();
});

test('a page says that it is no longer up to date when Teller does not answer', async () => {
  const one = await stuckConsole('broken', []);
  const page = await operatorsPage(newPage, one);
  await openLive(page, `${one.console.url}/votes`);
  const notice = page.getByText('no longer up to date');
  expect(await notice.isVisible()).toBe(false);
  await one.console.close();
  await notice.waitFor();
});

test('what is to be copied is copied, or selected where the browser does not allow it', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await operatorsPage(newPage, one);
  const answer = (): Promise<string> => page.locator('#answer').innerText();
  await page.goto(`${one.console.url}/players/Steve`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Selected: press Ctrl+C' }).waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(await answer());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: one.console.url });
  await page.reload();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await answer());
});

test.each(SCRIPTS)(
  '%s, the numbers of a day are shown by keyboard, as a table and as a file',
  async (_, script) => {
    const one = await stuckConsole('broken', ['Steve', 'Alex']);
    const page = await operatorsPage(newPage, one, { javaScriptEnabled: script });
    await page.goto(`${one.console.url}/figures`);
    const chart = page.locator('.axes').first();
    const tip = chart.locator('.column:is(:hover, :focus-within) > .tip');
    await chart.locator('.column').last().hover();
    const hovered = await tip.innerText();
    expect(hovered).toMatch(/:\s+2 votes/);
    await page.mouse.move(0, 0);
    await chart.getByRole('radio').last().focus();
    expect(await tip.innerText()).toBe(hovered);
    await page.keyboard.press('ArrowLeft');
    expect(await tip.innerText()).not.toBe(hovered);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await chart.getByRole('row').count()).toBe(91);
    const downloading = page.waitForEvent('download');
    await chart.getByRole('link', { name: 'Download CSV' }).click();
    expect((await downloading).suggestedFilename()).toBe('votes-by-day.csv');
  },
);
