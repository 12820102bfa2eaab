import { describe, expect, test } from 'vitest';
import { explainCommand } from '../../src/commands/explain.ts';
import { grantsCommand } from '../../src/commands/grants.ts';
import { loadConfig } from '../../src/config/load.ts';
import { FORWARD } from '../../src/core/forward.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN, writeConfig } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { naming } from '../support/naming.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';

const MAIN = { main: { kind: 'practice', joinDelay: '0s' } };
const POLLING = { timeout: 20_000, interval: 20 };

/** Two Tellers that forward to each other. */
async function two(protocol: 'v2' | 'v1' = 'v2'): Promise<readonly [RunningApp, RunningApp]> {
  const one = await runningApp(systemClock, { gameServers: MAIN });
  const auth = protocol === 'v2' ? { token: TOKEN } : { protocol, publicKey: 'data/keys/public.key' };
  const to = ({ app }: RunningApp) => ({ ...MAIN, other: { kind: 'votifier', ...app.listener, ...auth } });
  const two = await runningApp(systemClock, { gameServers: to(one) });
  writeConfig(one.config, { gameServers: to(two) });
  await one.app.reload(await loadConfig(one.config));
  return [one, two];
}

const cast = ({ app }: RunningApp, player: string, timestamp: string) =>
  sendVote(
    { serviceName: 'List', username: player, address: '203.0.113.9', timestamp },
    { ...app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

const votes = async ({ look }: RunningApp) =>
  (await look.votes({ limit: 99 })).map(({ player, repeats }) => `${player} ${repeats}`).toReversed();

const forwards = async ({ look }: RunningApp) =>
  (await look.grants({ reward: FORWARD, limit: 99 })).map(({ state }) => state);

describe('two Tellers that forward to each other', () => {
  test.each([
    ['with its claimed time', String(systemClock.now())],
    ['without a claimed time', ''],
    ['with a claimed time that cannot be believed', String(systemClock.now() + 6 * 60 * 60_000)],
  ])('have each vote once: %s', async (_what, timestamp) => {
    const [one, other] = await two();
    expect(await cast(one, 'Steve', timestamp)).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => forwards(one), POLLING).toEqual(['delivered']);
    await expect.poll(() => forwards(other), POLLING).toEqual(['delivered']);
    // It went out and came back, where it was the same vote.
    expect(await votes(one)).toEqual(['Steve 1']);
    expect(await votes(other)).toEqual(['Steve 0']);
    expect(await cast(other, 'Alex', timestamp)).toMatchObject({ kind: 'accepted' });
    await expect.poll(() => forwards(one), POLLING).toEqual(['delivered', 'delivered']);
    await expect.poll(() => votes(other), POLLING).toEqual(['Steve 0', 'Alex 1']);
    expect(await votes(one)).toEqual(['Steve 1', 'Alex 0']);
  });

  test('have each vote once by version 1 too', async () => {
    const [one, other] = await two('v1');
    await cast(one, 'Steve', String(systemClock.now()));
    await expect.poll(() => forwards(one), POLLING).toEqual(['delivered']);
    await expect.poll(() => forwards(other), POLLING).toEqual(['delivered']);
    await expect.poll(() => votes(one), POLLING).toEqual(['Steve 1']);
    expect(await votes(other)).toEqual(['Steve 0']);
  });
});

test('a target that pays gets votes in shadow and those before the hand-over, and each vote is paid on one side', async () => {
  const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
  const old = await runningApp(systemClock, { gameServers: MAIN, rewards });
  const target = { kind: 'votifier', ...old.app.listener, token: TOKEN, pays: true };
  const ours = (pay: object) => ({ gameServers: { ...MAIN, old: target }, rewards, pay });
  const one = await runningApp(systemClock, ours({ mode: 'shadow' }));
  const reload = async (pay: object) => {
    writeConfig(one.config, ours(pay));
    await one.app.reload(await loadConfig(one.config));
  };
  const said = ({ app }: RunningApp) =>
    (app.practiceServers.get('main')?.commands() ?? []).flatMap(({ command }) =>
      command.startsWith('say') ? [command] : [],
    );
  await cast(one, 'InShadow', String(systemClock.now()));
  await expect.poll(() => said(old), POLLING).toEqual(['say InShadow voted']);
  await reload({ from: '2100-01-01' });
  await cast(one, 'Before', String(systemClock.now()));
  await expect.poll(() => said(old), POLLING).toEqual(['say InShadow voted', 'say Before voted']);
  await reload({ from: new Date(systemClock.now() - 1_000).toISOString() });
  await cast(one, 'After', String(systemClock.now()));
  await expect.poll(() => said(one), POLLING).toEqual(['say After voted']);
  await expect.poll(() => forwards(one), POLLING).toEqual(['delivered', 'delivered']);
  expect(said(old)).toEqual(['say InShadow voted', 'say Before voted']);
});

test('explain and grants show what became of a forward, and the forward carries what the site sent', async () => {
  const [one, other] = await two();
  const timestamp = String(systemClock.now());
  await cast(one, 'Steve', timestamp);
  await expect.poll(() => forwards(other), POLLING).toEqual(['delivered']);
  const [vote] = await other.look.votes({ limit: 1 });
  expect(vote).toMatchObject({ service: 'List', player: 'Steve', claimedAt: Number(timestamp) });
  expect(JSON.parse(vote?.wire ?? '')).toMatchObject({ address: '203.0.113.9' });
  await expect.poll(() => forwards(one), POLLING).toEqual(['delivered']);
  const explained = fakeTerminal();
  const args = ['--config', one.config];
  await explainCommand(explained, systemClock).parseAsync(['steve', ...args], { from: 'user' });
  expect(explained.outLines).toContainEqual(naming('grant', 'forwarded to other', /: ok$/));
  const listed = fakeTerminal();
  await grantsCommand(listed, systemClock).parseAsync(['--server', 'other', ...args], { from: 'user' });
  expect(listed.outLines).toContainEqual(naming('Steve', '(forward)', 'other', 'delivered'));
});
