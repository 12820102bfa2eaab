import { expect, test } from 'vitest';
import type { ConsoleState } from '../support/console-states/state.ts';
import { consoleStates } from '../support/console-states/states.ts';
import { factsOf, findingsOf, noticeOf, rowsOf, stateSentenceOf } from '../support/page-text.ts';

const ACCEPTS = 'It accepts commands.';
const SLOW = { timeout: 60_000 };

const firstPage = async ({ browser }: ConsoleState): Promise<string> => (await browser.get('/')).text;

const connectionsIn = async (state: ConsoleState): Promise<readonly string[]> =>
  factsOf(await firstPage(state)).flatMap(({ Connection = [] }) => Connection);

const statesIn = async ({ app }: ConsoleState): Promise<readonly string[]> =>
  Object.keys(await app.ledger.grantStates()).toSorted();

test('empty is a first start', async () => {
  const state = await consoleStates.empty();
  const page = await firstPage(state);
  expect(stateSentenceOf(page)).toMatch(/For practice only\. .*No vote yet\.$/);
  expect(noticeOf(page)).toMatch(/^Practice: [^:]*$/);
  expect(await state.look.votes({ limit: 1 })).toEqual([]);
});

test('busy has 100,000 votes up to now, and grants in every state but refused', SLOW, async () => {
  const state = await consoleStates.busy();
  const [latest] = await state.look.votes({ limit: 1 });
  expect(latest?.id).toBeGreaterThan(100_000);
  expect(latest?.receivedAt).toBe(state.clock.now());
  // A player who came meanwhile is still being paid.
  await expect.poll(() => statesIn(state)).toEqual(['cancelled', 'delivered', 'held', 'waiting']);
  // A game server is asked who is online by the first look at the page.
  await expect.poll(() => connectionsIn(state)).toEqual([ACCEPTS, ACCEPTS]);
  const page = await firstPage(state);
  expect([noticeOf(page), rowsOf(page, 'Sites').length]).toEqual(['', 5]);
});

test('trouble has most of what check can find, and hostile names', SLOW, async () => {
  const state = await consoleStates.trouble();
  expect(await statesIn(state)).toEqual(['delivered', 'held', 'pending', 'refused']);
  const found = async () => findingsOf(await firstPage(state)).map(({ code }) => code);
  await expect
    .poll(found, { timeout: 10_000 })
    .toEqual(
      expect.arrayContaining([
        ...['api', 'api-plain', 'clock-doubtful', 'colour-code', 'config-older', 'grants-stuck'],
        ...['keys-not-made', 'paused', 'placeholder-unknown', 'refusals', 'replies-doubtful'],
        ...['rewards-misfit', 'secrets', 'site-silent', 'site-unlisted', 'total-filtered', 'unreachable'],
        ...['v1-open', 'window-shared', 'wrong-password'],
      ]),
    );
  expect(await firstPage(state)).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});
