import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile, row, signIn, told } from '../support/browser.ts';
import { PASSWORD } from '../support/listing-site.ts';
import { CRAFT, OWNER, runningLoop } from '../support/loop.ts';
import { sink } from '../support/sink.ts';

const newPage = browserOfFile();

const LOG = 'Deliveries, newest first';
const REFRESH_MS = 5_000;

async function vote(page: Page, player: string): Promise<void> {
  await page.getByLabel('Player name').fill(player);
  await page.getByRole('button', { name: 'Vote' }).click();
  await told(page, `Your vote counts, for ${player}. Thank you!`);
}

test('LG-01: a vote appears in the log by itself and opens its attempts; a redelivery is attempt 2', async () => {
  const loop = await runningLoop();
  const owner = await newPage();
  await owner.clock.install();
  await signIn(owner, loop, OWNER, `/dashboard/${loop.minecraft.id}/deliveries`);
  await owner.getByText('Nothing was sent yet').waitFor();

  const voter = await newPage();
  await signIn(voter, loop, 'vera', '/');
  await voter.getByRole('link', { name: CRAFT }).click();
  await vote(voter, 'Steve');
  await voter.getByText('You can vote again').waitFor();
  await expect.poll(() => loop.diamonds('Steve'), { timeout: 8_000 }).toBe(1);

  const refreshed = async () => {
    await owner.clock.fastForward(REFRESH_MS);
    const [player, state, , http] = await row(owner, LOG, 1);
    return [player, state, http];
  };
  await expect.poll(refreshed, { timeout: 8_000 }).toEqual(['Steve', 'Delivered', '200']);
  await owner.getByText('1 attempt').click();
  expect(await owner.getByRole('listitem').filter({ hasText: 'Attempt 1' }).innerText()).toMatch(
    /HTTP 200\s+\d+ ms/,
  );

  await owner.getByRole('button', { name: 'Redeliver' }).click();
  await told(owner, 'Redelivered. The receiver answered 200.');
  await owner.getByText('2 attempts').click();
  await owner.getByRole('link', { name: 'Attempt 2' }).click();
  await owner.getByText(/^verified: vote of .+ for Steve, again: dedupe on eventId$/).waitFor();
});

test('HL-04: that the webhook is disabled is seen without scrolling on each of its pages, until it is saved again', async () => {
  const failures = { retrySchedule: ['0s', '1ms', '2ms', '3ms', '4ms'] };
  const loop = await runningLoop(failures);
  const receiver = await sink(500);
  const page = await newPage();
  const webhookPage = `/dashboard/${loop.minecraft.id}/webhook`;
  await signIn(page, loop, OWNER, webhookPage);
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Saved: votes are sent to this webhook.');
  // Six attempts for each vote, one vote after the other.
  for (const [index, name] of ['vera', 'viktor', 'vanja', OWNER].entries()) {
    const voter = await loop.visitor(name);
    await voter.get(`/listings/${loop.minecraft.id}`);
    await voter.post(`/listings/${loop.minecraft.id}/vote`);
    await receiver.request(Math.min(20, (index + 1) * 6));
  }

  const banner = page
    .getByRole('alert')
    .filter({ hasText: 'The webhook is disabled: 20 attempts failed in a row.' });
  const isShown = async () => {
    await page.goto(loop.dashboard);
    return banner.isVisible();
  };
  await expect.poll(isShown, { timeout: 8_000 }).toBe(true);
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    for (const path of ['', '/deliveries', '/webhook']) {
      await page.goto(`${loop.dashboard}${path}`);
      const box = await banner.boundingBox();
      expect(box!.y + box!.height, path).toBeLessThan(viewport.height);
    }
  }
  expect(receiver.requests).toHaveLength(20);

  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Saved: votes are sent to this webhook.');
  expect(await banner.count()).toBe(0);
});

/** Presses Tab until the field with this label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  const focused = page.getByLabel(label).and(page.locator(':focus'));
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused.count()) === 1) return;
  }
  throw new Error(`Tab never comes to ${label}`);
}

test('signing in and voting take a keyboard alone', async () => {
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
  await told(page, 'Your vote counts, for Steve. Thank you!');
});

test('with script too a refused save moves the focus to what is wrong, above the fold of a phone', async () => {
  const loop = await runningLoop();
  const page = await newPage({ viewport: { width: 390, height: 844 } });
  await signIn(page, loop, OWNER, `/dashboard/${loop.minecraft.id}/webhook`);
  await page.getByLabel('URL').fill('no address');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Fix this field', 'alert');
  const summary = page.locator(':focus');
  expect(await summary.innerText()).toContain('The URL');
  const { y, height } = (await summary.boundingBox())!;
  expect([y >= 0, y + height <= 844]).toEqual([true, true]);
});

test('without script the pages sign in, count a vote and save settings', async () => {
  const loop = await runningLoop();
  const receiver = await sink();
  const page = await newPage({ javaScriptEnabled: false });
  await signIn(page, loop, OWNER, `/listings/${loop.minecraft.id}`);
  await vote(page, 'Steve');

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('link', { name: 'Webhook', exact: true }).click();
  await page.getByLabel('URL').fill('no address');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Fix this field', 'alert');
  expect(await page.title()).toMatch(/^Error: Webhook/);
  expect(await page.locator(':focus').innerText()).toContain('Fix this field');
  await page.getByRole('link', { name: 'The URL' }).click();
  expect(await page.locator(':focus').getAttribute('name')).toBe('url');
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await told(page, 'Saved: votes are sent to this webhook.');
  expect(await page.getByLabel('URL').inputValue()).toBe(receiver.url);
});
