import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile, messageShown, signIn } from '../support/browser.ts';
import { BUTTONS, FIELDS, LANDMARKS, LINKS, SAVED, TABLES, TABS } from '../support/labels.ts';
import { OWNER, type RunningLoop, runningLoop } from '../support/loop.ts';
import { sink } from '../support/sink.ts';

const newPage = browserOfFile();

/** Signs in as the owner and opens the sample listing. */
async function owner(loop: RunningLoop): Promise<Page> {
  const page = await newPage();
  await signIn(page, loop, OWNER);
  await page.getByRole('link', { name: 'Sample Craft' }).click();
  return page;
}

const openTab = async (page: Page, name: string): Promise<void> => {
  const link = page.getByRole('navigation', { name: LANDMARKS.pagesOfListing }).getByRole('link', { name });
  await link.click();
  await page.locator('[aria-current=page]', { hasText: name }).waitFor();
};

test('AU-15: a token is shown when it is created, and never again', async () => {
  const loop = await runningLoop();
  const page = await owner(loop);
  await openTab(page, TABS.tokens);
  await page.getByLabel(FIELDS.tokenName).fill('vote bot');
  await page.getByRole('button', { name: BUTTONS.createToken }).click();

  const secret = page.getByRole('region', { name: 'vote bot' });
  const token = await secret.getByRole('code').innerText();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${loop.url}/api/v1/webhooks/votes`, { headers })).status).toBe(200);

  await openTab(page, TABS.tokens);
  await page.getByRole('cell', { name: 'vote bot' }).waitFor();
  expect(await page.content()).not.toContain(token);
  await page.reload();
  expect(await page.content()).not.toContain(token);
});

test('a webhook is set up, its secret is shown once, and a test event shows its result', async () => {
  const loop = await runningLoop();
  const receiver = await sink();
  const page = await owner(loop);
  await openTab(page, TABS.webhook);
  await page.getByLabel(FIELDS.webhookUrl).fill(receiver.url);
  await page.getByLabel(FIELDS.newSecret).check();
  await page.getByRole('button', { name: BUTTONS.save, exact: true }).click();
  const secret = await page
    .getByRole('code')
    .filter({ hasText: /^whsec_/ })
    .innerText();

  await page.getByRole('button', { name: BUTTONS.sendTestEvent }).click();
  await messageShown(page, /\b204\b.*\b\d+ ms\b/);
  const { headers, body, json } = await receiver.request(1);
  expect(json.test).toBe(true);
  expect(headers['x-webhook-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  );
  expect(await page.content()).not.toContain(secret);

  receiver.answers = [500];
  await page.getByRole('button', { name: BUTTONS.sendTestEvent }).click();
  await messageShown(page, /\b500\b.*\b\d+ ms\b/, 'alert');
});

test('a test vote is accepted over v2, unconfirmed over v1, and fails with a wrong token', async () => {
  const loop = await runningLoop();
  const page = await owner(loop);
  await openTab(page, TABS.listener);
  const where = `127.0.0.1:${loop.app.listener.port}`;
  const sendTestVote = async (player: string): Promise<void> => {
    await page.getByLabel(FIELDS.listenerPlayer).fill(player);
    await page.getByRole('button', { name: BUTTONS.sendTestVote }).click();
  };
  const authenticate = async (method: string, credential: string): Promise<void> => {
    await page.getByRole('radio', { name: method, exact: true }).check();
    await page.getByLabel(FIELDS.listenerCredential).fill(credential);
    await page.getByRole('button', { name: BUTTONS.save, exact: true }).click();
    await messageShown(page, SAVED);
  };

  await sendTestVote('Steve');
  await messageShown(page, where);
  await expect.poll(() => loop.diamonds('Steve')).toBe(1);

  await authenticate(FIELDS.listenerKey, loop.publicKey);
  await sendTestVote('Alex');
  await messageShown(page, new RegExp(`${where}.*version 1`));
  await expect.poll(() => loop.diamonds('Alex')).toBe(1);

  await authenticate(FIELDS.listenerToken, 'not-the-token');
  await sendTestVote('Steve');
  await messageShown(page, new RegExp(`token.*${where}`), 'alert');

  const log = page.getByRole('table', { name: TABLES.listenerSends });
  const badges = await log.locator('.badge').all();
  expect(await Promise.all(badges.map((badge) => badge.getAttribute('class')))).toEqual([
    'badge bad',
    'badge warn',
    'badge good',
  ]);
});

test('the practice clock is moved with a button, and shows how far ahead it is', async () => {
  const loop = await runningLoop();
  const page = await newPage();
  await page.goto(loop.url);
  await page.getByRole('link', { name: LINKS.practiceClock }).click();
  await page.getByRole('button', { name: BUTTONS.moveADay }).click();
  await messageShown(page, /\b24 h\b/);
  await page.getByLabel(FIELDS.clockBy).fill('soon');
  await page.getByRole('button', { name: BUTTONS.moveClock, exact: true }).click();
  await messageShown(page, /\b366d\b/, 'alert');
  await page.getByLabel(FIELDS.clockBy).fill('90m');
  await page.getByRole('button', { name: BUTTONS.moveClock, exact: true }).click();
  await messageShown(page, /\b1 h 30 min\b/);
  await page.getByRole('main').getByText('25 h 30 min').first().waitFor();
});
