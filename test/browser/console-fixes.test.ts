import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { readKeyPair } from '../../src/config/keys.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { browserOfFile, messageShown } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { pressWithKeys, SCRIPTS, signedIn } from '../support/console-page.ts';
import { faultsOf } from '../support/page-faults.ts';
import { SettableClock } from '../support/settable-clock.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();
const LONG = { timeout: 60_000 };
const SITES = { default: { token: TOKEN } };
const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];

async function opened(overrides: object, { clock = systemClock as Clock, javaScriptEnabled = true } = {}) {
  const config = { rewards: THANKS, sites: SITES, ...overrides };
  const one = await signedIn(newPage, clock, config, { javaScriptEnabled });
  const { page } = one;
  /** What opens or does something on the page. Without script, the page is loaded again until the check has found it. */
  const found = async (name: string): Promise<Locator> => {
    const control = page
      .getByRole('button', { name })
      .or(page.locator('summary', { hasText: name }))
      .or(page.getByRole('link', { name }))
      .first();
    await page.goto(one.console.url);
    const isShown = async (): Promise<boolean> => {
      if (!javaScriptEnabled) await page.reload();
      return control.isVisible();
    };
    await expect.poll(isShown, { timeout: 20_000, interval: 500 }).toBe(true);
    return control;
  };
  return { ...one, found };
}

test.each(SCRIPTS)('%s, a site that sent a signed vote is added after its lines', LONG, async (_, script) => {
  const { page, app, found } = await opened({}, { javaScriptEnabled: script });
  await voteTo(app.listener.port, 'Steve', 'First');
  await (await found('Add this site')).click();
  await page.getByText('"First": {}').waitFor();
  if (script) expect(await faultsOf(page)).toEqual([]);
  expect([...app.config.sites.keys()]).toEqual(['default']);
  await page.getByRole('button', { name: 'Write it' }).click();
  await messageShown(page, /First/);
  expect([...app.config.sites.keys()]).toEqual(['default', 'First']);
});

test('a name that only unsigned votes have is added by keyboard, after a warning', LONG, async () => {
  const { page, app, found } = await opened({});
  const { publicKey } = await readKeyPair(app.config.keys);
  await sendVote(
    { serviceName: 'Invented', username: 'Steve', address: '', timestamp: '' },
    { ...app.listener, auth: { version: 'v1', publicKey } },
    { clock: systemClock },
  );
  await found('Add this site');
  await pressWithKeys(page, 'Add this site');
  await page.getByText('No vote with this name was signed').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await pressWithKeys(page, 'It is mine: write it');
  await messageShown(page, /Invented/);
  expect([...app.config.sites.keys()]).toEqual(['default', 'Invented']);
});

test.each(SCRIPTS)(
  '%s, a site is not added while the config file has other changes, and they are reloaded',
  LONG,
  async (_, script) => {
    const { page, app, config, found } = await opened({}, { javaScriptEnabled: script });
    await voteTo(app.listener.port, 'Steve', 'First');
    const add = await found('Add this site');
    writeFileSync(config, JSON.stringify({ ...JSON.parse(readFileSync(config, 'utf8')), rewards: [] }));
    await add.click();
    await page.getByRole('alert').filter({ hasText: 'rewards.thanks' }).first().waitFor();
    expect([...app.config.sites.keys()]).toEqual(['default']);
    await (await found('Reload')).click();
    await messageShown(page, 'Applied rewards.thanks.');
    expect(app.config.rewards).toEqual([]);
  },
);

test('a site is added before its first vote, and a fault keeps what was typed', LONG, async () => {
  const { page, app, console: site } = await opened({});
  await page.goto(site.url);
  await page.getByRole('link', { name: 'Add a site' }).click();
  await page.getByLabel('Service name').fill('Minecraft-MP.com');
  await page.getByLabel('Vote page').fill('no page');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByLabel('Vote page').fill('https://minecraft-mp.com/server/7/vote/');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await page.getByText('has arrived yet').waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Write it' }).click();
  await messageShown(page, /Minecraft-MP.com/);
  expect(app.config.sites.get('Minecraft-MP.com')).toMatchObject({
    url: 'https://minecraft-mp.com/server/7/vote/',
  });
});

test.each(SCRIPTS)('%s, what is held on a game server is paid after a question', LONG, async (_, script) => {
  const { page, app, found } = await opened({}, { javaScriptEnabled: script });
  app.practiceServers.get('main')?.setFault('run-and-close', 1);
  await voteTo(app.listener.port);
  await expect.poll(() => app.ledger.grantStates(), { timeout: 15_000 }).toEqual({ held: 1 });
  await (await found('Pay')).click();
  await page.getByRole('button', { name: 'Pay them' }).click();
  await page.getByRole('status').first().waitFor();
  await expect.poll(() => app.ledger.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 1 });
});

test.each(SCRIPTS)('%s, a pause that ended meanwhile is not ended again', LONG, async (_, script) => {
  const { page, app, found } = await opened({}, { javaScriptEnabled: script });
  const all = { server: null, reward: null };
  await app.ledger.pause(all, 'admin', systemClock.now());
  const button = await found('Pay again');
  // The page leaves what has the focus as it is.
  await button.focus();
  await app.ledger.resume(all, systemClock.now());
  await page.keyboard.press('Enter');
  await messageShown(page, /pause/, 'alert');
  expect(await app.ledger.pauses()).toEqual([]);
});

test('the clock is released after a question, and what was held is paid', LONG, async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const { page, app, found } = await opened({}, { clock });
  const vote = (username: string) =>
    sendVote(
      { serviceName: 'List', username, address: '', timestamp: '' },
      { ...app.listener, auth: { version: 'v2', token: TOKEN } },
      { clock: systemClock },
    );
  await vote('Steve');
  clock.jump('2026-06-02T14:00:00Z');
  await vote('Alex');
  await (await found('Release the clock')).click();
  await page.getByRole('button', { name: 'The clock is right: release it' }).click();
  await page.getByRole('status').first().waitFor();
  await expect.poll(() => app.ledger.grantStates(), { timeout: 15_000 }).toEqual({ delivered: 2 });
});

test(
  'a game server whose address is wrong is refused field by field, and nothing is written',
  LONG,
  async () => {
    const { page, config, console: site } = await opened({});
    const before = readFileSync(config, 'utf8');
    await page.goto(`${site.url}/now/game-server`);
    await page.getByLabel('Address').fill('not a host');
    await page.getByLabel('Port', { exact: true }).fill('99999');
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await faultsOf(page)).toEqual([]);
    expect(readFileSync(config, 'utf8')).toBe(before);
  },
);
