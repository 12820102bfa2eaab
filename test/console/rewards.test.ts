import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { textOf } from '../support/page-text.ts';
import { runningConsole } from '../support/running-console.ts';
import { WIRE_VOTE } from '../support/votifier-client.ts';

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const LUCKY = { name: 'lucky', if: { chance: '5%' }, commands: ['give {player} emerald 1'] };

async function opened(overrides: object = { rewards: [DAILY] }) {
  const running = await runningConsole(systemClock, overrides);
  const browser = await running.operator();
  const text = async () => textOf(await browser.get('/rewards'));
  return { ...running, browser, text };
}

test('each reward is said in everyday words, with its commands as they are written', async () => {
  const { browser } = await opened({ rewards: [DAILY, LUCKY] });
  const { text } = await browser.get('/rewards');
  for (const part of ['daily', 'lucky', 'give {player} diamond 1', '5%']) expect(text).toContain(part);
});

test('each reward says what it paid in the past 28 days', async () => {
  const { browser, app } = await opened();
  await sendVote(
    WIRE_VOTE,
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );
  await expect.poll(async () => (await app.ledger.grants({ limit: 1 }))[0]?.state).toBe('delivered');
  expect((await browser.get('/rewards')).text).toContain('paid once in the past 28 days');
});

test('a newer file is shown with its changes and what they mean, and one click applies it', async () => {
  const { browser, config, text, app } = await opened();
  const newer = 'is newer than what runs';
  expect(await text()).not.toContain(newer);
  writeConfig(config, { rewards: [DAILY, LUCKY] });
  for (const part of [newer, '+rewards.lucky', 'lucky is added.']) expect(await text()).toContain(part);
  expect((await browser.post('/reload')).to).toBe('/rewards');
  expect(app.config.rewards.map(({ name }) => name)).toEqual(['daily', 'lucky']);
  expect(await text()).not.toContain(newer);
});

test('a file with faults names each of them, and a reload is refused', async () => {
  const { browser, config, text, app } = await opened();
  writeConfig(config, { rewards: [{ ...DAILY, whenn: 'always' }] });
  for (const part of ['cannot be loaded', 'whenn']) expect(await text()).toContain(part);
  expect((await browser.post('/reload')).to).toBe('/rewards');
  const { text: answer } = await browser.get('/rewards');
  expect([answer.includes('<title>Error: '), app.config.rewards.length]).toEqual([true, 1]);
});

test('a changed secret is said to change, and is never shown', async () => {
  const { browser, config } = await opened();
  const changed = 'another-token-of-thirty-two-characters';
  writeConfig(config, { rewards: [DAILY], sites: { default: { token: changed } } });
  const { text } = await browser.get('/rewards');
  expect(text).toContain('sites.default.token');
  expect(text).not.toContain(changed);
  expect(readFileSync(config, 'utf8')).toContain(changed);
});
