import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, messageShown, opening } from '../support/browser.ts';
import { pressWithKeys, SCRIPTS, signedIn } from '../support/console-page.ts';
import { faultsOf } from '../support/page-faults.ts';

const newPage = browserOfFile();

const REWARDS = [{ name: 'thanks', when: 'always', servers: 'all', commands: ['say {player} voted'] }];

async function opened(path: string, overrides: object = {}, javaScriptEnabled = true) {
  const one = await signedIn(newPage, systemClock, { rewards: REWARDS, ...overrides }, { javaScriptEnabled });
  await one.page.goto(one.console.url + path);
  return one;
}

async function sendVote(page: Page, player: string, protocol: RegExp): Promise<void> {
  await page.getByLabel('Player', { exact: true }).fill(player);
  await page.getByLabel(protocol).check();
  await page.getByRole('button', { name: 'Send vote' }).click();
}

test.each([
  ['version 2', /^Version 2/, true],
  ['version 1', /^Version 1/, true],
  ['version 1, without script', /^Version 1/, false],
])('a vote by %s is sent, stored, decided and paid', async (_, protocol, script) => {
  const { page, app } = await opened('/test', {}, script);
  const send = (): Promise<void> => sendVote(page, 'Steve', protocol);
  await (script ? send() : opening(page, send));
  await expect.poll(() => app.ledger.grantStates()).toEqual({ delivered: 1 });
  if (!script) await page.reload();
  await page.getByText('Paid: thanks on main delivered').waitFor();
  const stages = await page.locator('#stages').innerText();
  for (const stage of ['Sent', 'Answered', 'Stored', 'Decided']) expect(stages).toContain(stage);
  await page.getByRole('link', { name: 'vote 1' }).click();
  await page.getByRole('heading', { name: 'Vote 1' }).waitFor();
});

test('a vote that cannot be one is refused by the form, by the listener, and without a token before it is sent', async () => {
  const { page, console: site } = await opened('/test');
  await sendVote(page, '', /^Version 2/);
  await messageShown(page, 'Fix this field', 'alert');
  await page.getByRole('link', { name: 'Player is missing.' }).click();
  expect(await page.evaluate('document.activeElement.name')).toBe('player');
  expect(await faultsOf(page)).toEqual([]);
  await page.goto(`${site.url}/test`);
  await sendVote(page, '@a', /^Version 2/);
  await page.getByRole('heading', { name: 'Test vote' }).waitFor();
  await messageShown(page, 'The vote was not accepted.', 'alert');
  expect(await faultsOf(page)).toEqual([]);
  const { page: other, app } = await opened('/test', { sites: {} });
  await sendVote(other, 'Steve', /^Version 2/);
  await messageShown(other, 'no token is set', 'alert');
  await other.getByRole('heading', { name: 'Send a vote' }).waitFor();
  expect(await app.ledger.votes({ limit: 1 })).toEqual([]);
});

test('players join and leave a practice server by keyboard; a name in use, and one that nobody can have, are refused', async () => {
  const { page } = await opened('/test');
  const join = async (name: string) => {
    await page.getByLabel('Name of the player who joins').fill(name);
    await pressWithKeys(page, 'Join');
  };
  await join('Steve');
  await messageShown(page, 'Steve has joined main.');
  await join('Steve');
  await messageShown(page, 'A player with this name is online already.', 'alert');
  await join('@a');
  await messageShown(page, 'No player can have this name.', 'alert');
  expect(await faultsOf(page)).toEqual([]);
  await pressWithKeys(page, 'Leave');
  await messageShown(page, 'Steve has left main.');
  await page.getByText('Nobody is online').waitFor();
});

test.each(SCRIPTS)(
  '%s, Rewards: a newer file is reloaded, and a broken one is refused with its faults',
  async (_, script) => {
    const { page, config, app } = await opened('/rewards', {}, script);
    const edit = (change: object): void =>
      writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), ...change }));
    edit({ rewards: [...REWARDS, { ...REWARDS[0], name: 'second' }] });
    await page.reload();
    await page.getByRole('button', { name: 'Reload' }).click();
    await messageShown(page, 'Applied rewards.second.');
    expect(app.config.rewards.map(({ name }) => name)).toEqual(['thanks', 'second']);
    edit({ rewards: [] });
    await page.reload();
    const reload = page.getByRole('button', { name: 'Reload' });
    await reload.waitFor();
    // What has the focus is not replaced by a live update, which takes the button away.
    await reload.focus();
    edit({ rewards: 5 });
    await reload.press('Enter');
    await messageShown(page, /rewards/, 'alert');
    await page.getByText('cannot be loaded, so what runs stays as it is').waitFor();
    expect(app.config.rewards).toHaveLength(2);
    if (script) expect(await faultsOf(page)).toEqual([]);
  },
);
