import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { browserOfFile, complaintsOf, messageShown } from '../support/browser.ts';
import { operatorsPage, SCRIPTS } from '../support/console-page.ts';
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

test.each(SCRIPTS)(
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
