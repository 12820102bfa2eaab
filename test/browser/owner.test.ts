import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserOfFile, signIn, told } from '../support/browser.ts';
import { OWNER, type RunningLoop, runningLoop } from '../support/loop.ts';
import { sink } from '../support/sink.ts';

const newPage = browserOfFile();

/** The owner before the pages of the sample listing. */
async function owner(loop: RunningLoop): Promise<Page> {
  const page = await newPage();
  await signIn(page, loop, OWNER);
  await page.getByRole('link', { name: 'Sample Craft' }).click();
  return page;
}

const openTab = async (page: Page, name: string): Promise<void> => {
  const link = page.getByRole('navigation', { name: 'Pages of this listing' }).getByRole('link', { name });
  await link.click();
  await page.locator('[aria-current=page]', { hasText: name }).waitFor();
};

test('AU-15: a token is shown when it is made, and never again', async () => {
  const loop = await runningLoop();
  const page = await owner(loop);
  await openTab(page, 'API tokens');
  await page.getByLabel('Name').fill('vote bot');
  await page.getByRole('button', { name: 'Create token' }).click();

  const secret = page.getByRole('region', { name: 'Token “vote bot” created' });
  const token = await secret.getByRole('code').innerText();
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${loop.url}/api/v1/webhooks/votes`, { headers })).status).toBe(200);

  await openTab(page, 'API tokens');
  await page.getByRole('cell', { name: 'vote bot' }).waitFor();
  expect(await page.content()).not.toContain(token);
  await page.reload();
  expect(await page.content()).not.toContain(token);
});

test('a webhook is set up, its secret shown once, and a test event’s outcome told', async () => {
  const loop = await runningLoop();
  const receiver = await sink();
  const page = await owner(loop);
  await openTab(page, 'Webhook');
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Create new').check();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const secret = await page
    .getByRole('region', { name: 'Signing secret created' })
    .getByRole('code')
    .innerText();

  await page.getByRole('button', { name: 'Send test event' }).click();
  await told(page, /The test event arrived: the receiver answered 204 after \d+ ms\./);
  const { headers, body, json } = await receiver.request(1);
  expect(json.test).toBe(true);
  expect(headers['x-webhook-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  );
  expect(await page.content()).not.toContain(secret);

  receiver.answers = [500];
  await page.getByRole('button', { name: 'Send test event' }).click();
  await told(page, /The test event failed\. The receiver answered 500 after \d+ ms\./, 'alert');
});

test('a test vote is accepted over v2, sent unconfirmed over v1, and a wrong token is named as the reason', async () => {
  const loop = await runningLoop();
  const page = await owner(loop);
  await openTab(page, 'Vote listener');
  const where = `127.0.0.1:${loop.app.listener.port}`;
  const sendTestVote = async (player: string): Promise<void> => {
    await page.getByLabel('Player').fill(player);
    await page.getByRole('button', { name: 'Send test vote' }).click();
  };
  const prove = async (method: 'Token' | 'Public key', credential: string): Promise<void> => {
    await page.getByRole('radio', { name: method, exact: true }).check();
    await page.getByLabel('Token or public key').fill(credential);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await told(page, 'Saved. Send a test vote to see whether it works.');
  };

  await sendTestVote('Steve');
  await told(page, `Accepted: ${where} answered ok.`);
  await expect.poll(() => loop.diamonds('Steve'), { timeout: 8_000 }).toBe(1);

  await prove('Public key', loop.publicKey);
  await sendTestVote('Alex');
  await told(page, `Sent to ${where} (protocol version 1 cannot confirm that it arrived).`);
  await expect.poll(() => loop.diamonds('Alex'), { timeout: 8_000 }).toBe(1);

  await prove('Token', 'not-the-token');
  await sendTestVote('Steve');
  await told(page, `The token is not the one that ${where} expects.`, 'alert');

  const log = page.getByRole('table', { name: 'Votes sent to the listener, newest first' });
  expect(await log.locator('.badge').allInnerTexts()).toEqual(['Failed', 'Sent, unconfirmed', 'Accepted']);
});

test('the practice clock is moved by a button, and says how far ahead it is', async () => {
  const loop = await runningLoop();
  const page = await newPage();
  await page.goto(loop.url);
  await page.getByRole('link', { name: 'Practice clock' }).click();
  await page.getByText('not at all').waitFor();
  await page.getByRole('button', { name: '+ 24h' }).click();
  await told(page, 'It is 24 h later now, for every part of this process.');
  await page.getByLabel('Another duration').fill('soon');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await told(page, 'Say how far, as a duration up to 366d', 'alert');
  await page.getByLabel('Another duration').fill('90m');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await told(page, 'It is 1 h 30 min later now, for every part of this process.');
});
