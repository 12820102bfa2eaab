import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile, complaintsOf } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { focusWithKeys, operatorsPage, pressWithKeys } from '../support/console-page.ts';
import { NOW } from '../support/console-states/state.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { runningConsole } from '../support/running-console.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { arrival } from '../support/votes.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();

const PAST = 60;

/** 60 votes of the last hour and a half by as many players, the last three by players with similar names. */
async function opened(path: string) {
  const clock = new SettableClock(NOW);
  const running = await runningConsole(clock, {
    rewards: [{ name: 'thanks', commands: ['say {player}'] }],
  });
  const one = { ...running, browser: await running.operator() };
  const names = [
    ...Array.from({ length: PAST }, (_, at) => `Bot${at}`),
    'Steve',
    'SteveTheMiner',
    'Herobrine',
  ];
  const arrivals = names.map((player, at) =>
    arrival({
      player,
      site: at % 2 === 0 ? 'Even' : 'Odd',
      receivedAt: clock.now() - (110 - at) * 60_000,
    }),
  );
  for (const each of arrivals) await record(one.app.ledger, [each], rulesFor(THANKS));
  const page = await operatorsPage(newPage, one);
  const complaints = complaintsOf(page);
  await page.goto(one.console.url + path);
  return { ...one, clock, page, complaints };
}

const rows = (page: Page): Promise<number> => page.locator('#votes tbody tr').count();

test('Votes, with the keyboard alone: filter, find nothing, clear, page, open a vote and its player', async () => {
  const { page, complaints } = await opened('/votes');
  expect(await rows(page)).toBe(50);
  await focusWithKeys(page, 'Player');
  await page.keyboard.type('steve');
  await page.keyboard.press('Enter');
  await page.getByText('1 vote, down to the first one').waitFor();
  expect(page.url()).toContain('?player=steve&');
  await focusWithKeys(page, 'Site');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await pressWithKeys(page, 'Filter');
  await page.getByText('No vote matches').waitFor();
  expect(page.url()).toContain('site=default');
  await pressWithKeys(page, 'Clear');
  await page.getByText('Bot59').waitFor();
  await pressWithKeys(page, 'Older');
  await page.getByText('Bot0', { exact: true }).waitFor();
  expect(await rows(page)).toBe(13);
  await pressWithKeys(page, 'Newest');
  await page.getByText('Bot59').waitFor();
  await pressWithKeys(page, 'Herobrine');
  await page.getByRole('heading', { name: 'Vote 63' }).waitFor();
  await pressWithKeys(page, 'As it was received', 'Space');
  await page.getByRole('group', { name: 'Received' }).waitFor();
  await pressWithKeys(page, 'Go to the player');
  await page.getByRole('heading', { name: 'Herobrine' }).waitFor();
  expect(complaints).toEqual([]);
});

test.each([
  ['decision', 'Decision', 'too early', 0],
  ['channel', 'Came by', 'Votifier v1', 0],
  ['channel', 'Came by', 'Votifier v2', 50],
  ['decision', 'Decision', 'counted', 50],
])('Votes are filtered by %s (%s: %s)', async (name, label, choice, count) => {
  const { page } = await opened('/votes');
  await page.getByLabel(label).selectOption(choice);
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(new RegExp(`${name}=`));
  expect(await rows(page)).toBe(count);
});

test('Votes of another day than today are none, and a vote that never was is not found', async () => {
  const { page, console: site } = await opened('/votes?day=2020-01-01');
  await page.getByText('No vote matches').waitFor();
  await page.goto(`${site.url}/votes/4711`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('Players are found by another spelling, by the beginning of a name and with a typo', async () => {
  const { page } = await opened('/players');
  const find = async (name: string) => {
    await page.getByLabel('Name, part of a name, or UUID').fill(name);
    await page.keyboard.press('Enter');
  };
  await find('HEROBRINE');
  await page.getByRole('heading', { name: 'Herobrine' }).waitFor();
  await find('steve');
  await page.getByRole('heading', { name: 'Names that begin like this' }).waitFor();
  expect(await page.locator('.name-list a').allInnerTexts()).toEqual(['steve', 'stevetheminer']);
  await find('Herobrime');
  await page.getByRole('heading', { name: 'Similar names' }).waitFor();
  await page.getByRole('link', { name: 'herobrine' }).click();
  await page.getByRole('heading', { name: 'Herobrine' }).waitFor();
});

test('Players who never voted, and names that nobody can have, get an answer that can be copied', async () => {
  const { page, console: site } = await opened('/players?name=Nobody_Ever');
  await page.getByText('Nobody has voted under this name').waitFor();
  await page.getByRole('link', { name: 'Why no vote by Nobody_Ever arrived' }).click();
  await page.getByText('To send to the player').waitFor();
  await page.goto(`${site.url}/players?name=${encodeURIComponent('@a')}`);
  await page.getByRole('link', { name: 'Why no vote by @a arrived' }).click();
  await page.getByText('Nobody can vote under this name').waitFor();
});

test('what is to be copied is copied, or selected where the browser does not allow it', async () => {
  const { page, console: site } = await opened('/players/Steve');
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Selected: press Ctrl+C' }).waitFor();
  expect(await page.evaluate('getSelection().toString()')).toBe(await page.locator('#answer').innerText());
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url });
  await page.reload();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    await page.locator('#answer').innerText(),
  );
});

test('Figures: the numbers of a day by pointer and keyboard, the same as a table, and as a file', async () => {
  const { page, app, clock, complaints } = await opened('/figures');
  await voteTo(app.listener.port, 'Zoe', 'Even', TOKEN, clock);
  await page.reload();
  const chart = page.locator('.axes').first();
  const tip = chart.locator('.column:is(:hover, :focus-within) > .tip');
  await chart.locator('.column').last().hover();
  const hovered = await tip.innerText();
  expect(hovered).toMatch(/:\s+64 votes\s/);
  await page.mouse.move(0, 0);
  await chart.getByRole('radio').last().focus();
  expect(await tip.innerText()).toBe(hovered);
  await page.keyboard.press('ArrowLeft');
  expect(await tip.innerText()).not.toBe(hovered);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await chart.getByRole('row').count()).toBe(91);
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('Shift');
  await chart.getByRole('link', { name: 'Download CSV' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('votes-by-day.csv');
  const text = await (await download.createReadStream()).toArray();
  expect(Buffer.concat(text).toString().trimEnd().split('\r\n')).toHaveLength(91);
  expect(complaints).toEqual([]);
});
