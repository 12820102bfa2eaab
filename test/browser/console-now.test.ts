import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf, opening } from '../support/browser.ts';
import { TOKEN } from '../support/config-folder.ts';
import { openWithLink, pressWithKeys } from '../support/console-page.ts';
import { faultsOf } from '../support/page-faults.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';
import { voteTo } from '../support/votes-to.ts';

const newPage = browserOfFile();
const DAILY = [{ name: 'daily', commands: ['give {player} diamond 1'] }];
const LONG = { timeout: 90_000 };

async function opened() {
  const { console: site } = await runningConsole(systemClock, { rewards: DAILY });
  const page = await newPage();
  const complaints = complaintsOf(page);
  await openWithLink(page, site.link);
  return { site, page, complaints };
}

async function fillIn(page: Page, { port }: { readonly port: number }): Promise<void> {
  await page.getByLabel('Port', { exact: true }).fill(String(port));
  await page.getByLabel('Password').fill(PASSWORD);
}

test(
  'a newcomer comes from the first start to the first diamond and to a real game server, by keyboard alone',
  LONG,
  async () => {
    const { page, complaints } = await opened();
    await pressWithKeys(page, 'Send a test vote for Steve');
    await page.getByText('Steve has 1 diamond.').waitFor();
    await pressWithKeys(page, 'Connect a game server');
    const server = await practice();
    await fillIn(page, server);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is written yet.').waitFor();
    await pressWithKeys(page, 'Write it and connect');
    await page.getByText('main is in the config, and accepts the login.').waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  },
);

test('the same works without script', LONG, async () => {
  const { console: site, app } = await runningConsole(systemClock, { rewards: DAILY });
  const page = await newPage({ javaScriptEnabled: false });
  await openWithLink(page, site.link);
  await opening(page, () => page.getByRole('button', { name: 'Send a test vote for Steve' }).click());
  await expect.poll(() => app.ledger.grantStates()).toEqual({ delivered: 1 });
  await page.reload();
  await page.getByText('Steve has 1 diamond.').waitFor();
  await page.getByRole('link', { name: 'Connect a game server' }).click();
  const server = await practice();
  await fillIn(page, server);
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await page.getByRole('button', { name: 'Write it and connect' }).click();
  await page.getByText('main is in the config, and accepts the login.').waitFor();
});

test('a vote, a player who joins and a pause are shown within seconds, without a reload', LONG, async () => {
  const { console: site, app } = await runningConsole(systemClock, { rewards: DAILY });
  const page = await newPage();
  await openWithLink(page, site.link);
  await page.getByText('No vote yet.').waitFor();
  await page.waitForTimeout(600);
  await voteTo(app.listener.port, 'Alex', 'List');
  await page.getByText('Last vote just now.').waitFor({ timeout: 1_500 });
  await page.getByText('1 player: Alex').waitFor();
  await app.ledger.pause({ server: null, reward: null }, 'admin', systemClock.now());
  await page.getByRole('button', { name: 'Pay again' }).click();
  await page.getByText('The pause of all rewards is over.').waitFor();
});

test('the page, its form and its question are usable by everyone: empty, and in trouble', LONG, async () => {
  const { console: site, app } = await runningConsole(systemClock, {
    rewards: [{ ...DAILY[0], servers: 'all' }],
    sites: { default: { token: TOKEN }, 'My-List.com': { url: 'https://my-list.example/vote' }, Silent: {} },
    gameServers: {
      main: { kind: 'practice', joinDelay: '0s' },
      away: { kind: 'rcon', host: '127.0.0.1', port: 1, password: 'nothing-listens-there' },
    },
  });
  const page = await newPage();
  await openWithLink(page, site.link);
  expect(await faultsOf(page)).toEqual([]);
  for (const [player, service] of [
    ['Steve', 'My-List.com'],
    ['Alex', '<b>invented</b>\u202E " names'],
    ['Alex', 'An-Unlisted-Name-As-Long-As-Listings-Have-It.example'],
  ] as const)
    await voteTo(app.listener.port, player, service);
  await voteTo(app.listener.port, 'Steve', 'Silent', 'another-token-of-thirty-two-chars');
  await page.getByText('cannot connect to its host and port').first().waitFor();
  await page.getByRole('link', { name: 'Add this site' }).first().waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.goto(`${site.url}/now/game-server`);
  await page.getByRole('button', { name: 'Show what changes' }).click();
  expect(await faultsOf(page)).toEqual([]);
});
