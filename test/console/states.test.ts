import { expect, test } from 'vitest';
import type { ConsoleState } from '../support/console-states/state.ts';
import { consoleStates } from '../support/console-states/states.ts';

const SLOW = { timeout: 60_000 };

/** What the first page answers to a program. */
async function now({ browser }: ConsoleState): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse((await browser.get('/', { accept: 'application/json' })).text);
}

async function connectionsIn(state: ConsoleState): Promise<readonly string[]> {
  const { gameServers } = await now(state);
  return gameServers.map(({ connection }: { connection: { kind: string } }) => connection.kind);
}

const statesIn = async ({ app }: ConsoleState): Promise<readonly string[]> =>
  Object.keys(await app.ledger.grantStates()).toSorted();

test('empty is a first start', async () => {
  const state = await consoleStates.empty();
  const { lastVoteAt, needYou, modes } = await now(state);
  expect([lastVoteAt, needYou, modes.length]).toEqual([null, 0, 1]);
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
  await expect.poll(() => connectionsIn(state)).toEqual(['connected', 'connected']);
  const { modes, sites } = await now(state);
  expect([modes, sites.length]).toEqual([[], 5]);
});

test('trouble has most of what check can find, and hostile names', SLOW, async () => {
  const state = await consoleStates.trouble();
  expect(await statesIn(state)).toEqual(['delivered', 'held', 'pending', 'refused']);
  const found = async () => (await now(state)).problems.map(({ code }: { code: string }) => code);
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
  expect((await state.browser.get('/')).text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
});
