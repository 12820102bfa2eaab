import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PASSWORD } from '../kit/listing-people.ts';
import { receiver as sink } from '../kit/receiver.ts';
import { browserOfFile, messageShown, row, signIn } from '../support/browser.ts';
import { CRAFT, OWNER, runningLoop } from '../support/loop.ts';

const newPage = browserOfFile();

const REFRESH_MS = 5_000;

async function vote(page: Page, player: string): Promise<void> {
  await page.getByLabel('Player name').fill(player);
  await page.getByRole('button', { name: 'Vote' }).click();
  await messageShown(page, player);
}

test('LG-01: a vote appears in the log without a reload, with its attempts; a redelivery is attempt 2', async () => {
  const loop = await runningLoop();
  const owner = await newPage();
  await owner.clock.install();
  await signIn(owner, loop, OWNER, `/dashboard/${loop.minecraft.id}/deliveries`);
  await owner.locator('.empty').waitFor();
  expect(await owner.getByRole('table', { name: 'Deliveries, newest first' }).count()).toBe(0);

  const voter = await newPage();
  await signIn(voter, loop, 'vera', '/');
  await voter.getByRole('link', { name: CRAFT }).click();
  await vote(voter, 'Steve');
  await voter.getByRole('button', { name: 'Vote' }).waitFor({ state: 'detached' });
  await expect.poll(() => loop.diamonds('Steve')).toBe(1);

  const refreshed = async () => {
    await owner.clock.fastForward(REFRESH_MS);
    const [player, state, , http] = await row(owner, 'Deliveries, newest first', 1);
    return [player, state, http];
  };
  await expect.poll(refreshed).toEqual(['Steve', 'Delivered', '200']);
  await owner.getByText('1 attempt').click();
  expect(await owner.getByRole('listitem').filter({ hasText: 'Attempt 1' }).innerText()).toMatch(
    /HTTP 200\s+\d+ ms/,
  );

  await owner.getByRole('button', { name: 'Redeliver' }).click();
  await messageShown(owner, /\b200\b/);
  await owner.getByText('2 attempts').click();
  await owner.getByRole('link', { name: 'Attempt 2' }).click();
  await owner.getByText(/^verified\b.*\bSteve\b.*\beventId\b/).waitFor();
});

/** Presses Tab until the field with this label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  const focused = page.getByLabel(label).and(page.locator(':focus'));
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) === 1) return;
  }
  throw new Error(`Tab does not reach ${label}`);
}

test('people can sign in and vote with a keyboard only', async () => {
  const loop = await runningLoop();
  const page = await newPage();
  await page.goto(`${loop.url}/sign-in?next=/listings/${loop.minecraft.id}`);
  await tabTo(page, 'Name');
  await page.keyboard.type('vanja');
  await tabTo(page, 'Password');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: CRAFT }).waitFor();
  await tabTo(page, 'Player name');
  await page.keyboard.type('Steve');
  await page.keyboard.press('Enter');
  await messageShown(page, 'Steve');
});

test('a refused save moves the focus to the error summary, at the top of a phone’s screen', async () => {
  const loop = await runningLoop();
  const page = await newPage({ viewport: { width: 390, height: 844 } });
  await signIn(page, loop, OWNER, `/dashboard/${loop.minecraft.id}/webhook`);
  await page.getByLabel('URL').fill('no address');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await messageShown(page, 'URL', 'alert');
  const summary = page.locator(':focus');
  expect(await summary.innerText()).toContain('URL');
  const { y, height } = (await summary.boundingBox())!;
  expect([y >= 0, y + height <= 844]).toEqual([true, true]);
});

test('people can sign in, vote and save settings without script', async () => {
  const loop = await runningLoop();
  const receiver = await sink();
  const page = await newPage({ javaScriptEnabled: false });
  await signIn(page, loop, OWNER, `/listings/${loop.minecraft.id}`);
  await vote(page, 'Steve');

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByLabel('URL').fill('no address');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await messageShown(page, 'URL', 'alert');
  expect(await page.title()).toMatch(/^Error: Webhook/);
  expect(await page.locator(':focus').innerText()).toContain('URL');
  await page.getByRole('alert').getByRole('link', { name: 'URL' }).click();
  expect(await page.locator(':focus').getAttribute('name')).toBe('url');
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await messageShown(page, /\bsaved\b/i);
  expect(await page.getByLabel('URL').inputValue()).toBe(receiver.url);
});
