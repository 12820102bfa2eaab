import { readFileSync, writeFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { browserOfFile, complaintsOf, messageShown } from '../support/browser.ts';
import { operatorsPage } from '../support/console-page.ts';
import { holdMany, type StuckConsole, stuckConsole } from '../support/stuck-grants.ts';

const newPage = browserOfFile();

/** A page in a real browser, in the session of the operator. */
async function opened(one: StuckConsole, path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await operatorsPage(newPage, one, options);
  const complaints = complaintsOf(page);
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(`${one.console.url}${path}`);
  return page;
}

/** Gives its reward another command in the config. */
async function repaired(one: StuckConsole, command: string): Promise<void> {
  const config = JSON.parse(readFileSync(one.config, 'utf8'));
  const [reward] = config.rewards;
  const rewards = [{ ...reward, commands: [command] }];
  writeFileSync(one.config, JSON.stringify({ ...config, rewards }));
  await one.reload();
}

test.each([
  ['with script', true],
  ['without script', false],
])(
  '%s, a held grant is paid from the list and delivered on the practice server',
  async (_, javaScriptEnabled) => {
    const one = await stuckConsole('hello', ['Steve'], { lost: 1 });
    const page = await opened(one, '/grants', { javaScriptEnabled });
    await page.getByText('1 grant needs you.').waitFor();
    await page.getByRole('button', { name: 'Pay grant 1 of Steve' }).click();
    await messageShown(page, 'Grant 1 will be paid by the running Teller.');
    await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
    expect(one.commandsRun()).toEqual(['say Steve voted', 'say Steve voted', 'say thanks, Steve']);
    await page.goto(`${one.console.url}/grants`);
    await page.getByText('Nothing needs you.').waitFor();
    await page
      .getByRole('cell', { name: /console from 127\.0\.0\.1 by link ordered its payment at/ })
      .waitFor();
  },
);

test('with the keyboard alone, two refused grants are cancelled after their commands were shown', async () => {
  const one = await stuckConsole('broken', ['Steve', 'Alex']);
  const page = await opened(one, '/grants');
  for (const name of ['grant 1 of Steve', 'grant 2 of Alex']) {
    await page.getByRole('checkbox', { name }).focus();
    await page.keyboard.press('Space');
  }
  await page.getByLabel('With the chosen ones:').focus();
  await page.keyboard.type('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Cancel 2 grants: no command will run' }).waitFor();
  await page.getByRole('button', { name: 'Cancel 2 grants' }).focus();
  await page.keyboard.press('Enter');
  await messageShown(page, '2 grants are cancelled.');
  expect(await one.states()).toEqual(['cancelled', 'cancelled']);
});

test('another player is paid after their commands were shown', async () => {
  const one = await stuckConsole('hello', ['Steve'], { lost: 1 });
  const page = await opened(one, '/grants/1');
  await page.getByRole('link', { name: 'Pay another player…' }).click();
  await page.getByLabel('Player who is paid instead').fill('Alex');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('say thanks, Alex').waitFor();
  await page.getByRole('button', { name: 'Pay Alex instead' }).click();
  await messageShown(page, 'to Alex instead of Steve');
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
});

test('a refused grant is paid with the commands that its reward has now, if these are the ones that were shown', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await opened(one, '/grants/1');
  const anew = page.getByRole('link', { name: 'Pay with the new commands…' });
  const confirm = page.getByRole('button', { name: 'Pay 1 grant with the new commands' });
  await repaired(one, 'say {player} is paid');
  await anew.click();
  await page.getByText('say Steve is paid').waitFor();
  await repaired(one, 'say {player} is paid at last');
  await confirm.click();
  await page.getByRole('alert').first().waitFor();
  expect(await one.states()).toEqual(['refused']);
  await page.goto(`${one.console.url}/grants/1`);
  await anew.click();
  await page.getByText('say Steve is paid at last').waitFor();
  await confirm.click();
  await messageShown(page, 'Grant 1');
  await expect.poll(one.states, { timeout: 10_000 }).toEqual(['delivered']);
  expect(one.commandsRun()).toEqual(['say Steve is paid at last']);
});

test('nothing is paid if nothing is chosen, if the grant has changed meanwhile, or for a name that nobody has', async () => {
  const one = await stuckConsole('broken', ['Steve', 'Alex']);
  const page = await opened(one, '/grants');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Choose at least one grant.').waitFor();
  const pay = page.getByRole('button', { name: 'Pay grant 1 of Steve' });
  // The page leaves what has the focus as it is.
  await pay.focus();
  await one.app.ledger.cancel(1, { by: 'admin' }, systemClock.now());
  await page.keyboard.press('Enter');
  await page.getByRole('alert').first().waitFor();
  await page.goto(`${one.console.url}/grants/2`);
  await page.getByRole('link', { name: 'Pay another player…' }).click();
  await page.getByLabel('Player who is paid instead').fill('@a');
  await page.getByRole('button', { name: 'Show' }).click();
  await messageShown(page, 'Nobody is paid', 'alert');
  expect(await one.states()).toEqual(['cancelled', 'refused']);
  expect(one.commandsRun()).toEqual([]);
});

test('what gets stuck is shown within a second, and a tick stays until it is used', async () => {
  const one = await stuckConsole('broken', ['Steve']);
  const page = await opened(one, '/grants');
  const streaming = page.waitForRequest(/\/live$/);
  await page.reload();
  await streaming;
  await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).check();
  await page.getByRole('heading', { name: 'Needs you' }).click();
  await holdMany(one, 1);
  await page.getByText('2 grants need you.').waitFor({ timeout: 2_000 });
  expect(await page.getByRole('checkbox').count()).toBe(1);
  expect(await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).isChecked()).toBe(true);
  await page.getByRole('checkbox', { name: 'grant 1 of Steve' }).uncheck();
  await page.getByRole('link', { name: 'Keys' }).focus();
  await page.getByRole('checkbox', { name: 'grant 2 of Bot0' }).waitFor();
});
