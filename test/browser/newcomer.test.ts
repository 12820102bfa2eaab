import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf, opening } from '../support/browser.ts';
import { openWithLink, pressWithKeys } from '../support/console-page.ts';
import { PASSWORD, practice } from '../support/rcon.ts';
import { runningConsole } from '../support/running-console.ts';

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
