/** Two Tellers of which at least one forwards to the other. */
import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { TOKEN } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';

const MAIN = { main: { kind: 'practice', joinDelay: '0s' } };

const targetAt = ({ port }: Here, more: object = {}): object => ({
  ...{ kind: 'votifier', host: '127.0.0.1', port, token: TOKEN },
  ...more,
});

/** Two Tellers that forward to each other; their time passes together. */
async function two(more: object = {}): Promise<readonly [Here, Here]> {
  const one = await here({ gameServers: MAIN, rewards: [] });
  const other = await here({ gameServers: { ...MAIN, other: targetAt(one, more) }, rewards: [] }, one.clock);
  await one.reload({ gameServers: { ...MAIN, other: targetAt(other, more) }, rewards: [] });
  return [one, other];
}

/** `Steve 1`: how often a vote came again. */
const repeats = async ({ run }: Here, ...players: readonly string[]): Promise<readonly string[]> => {
  const found = players.map(async (player) => (await run('explain', player, '--json')).json);
  return (await Promise.all(found)).flat().map((vote) => `${vote.player} ${vote.repeats}`);
};

test.each([
  ['with its claimed time', 0],
  ['without a claimed time', null],
  ['with a claimed time that cannot be believed', 6 * 3_600_000],
])('each has a vote once: %s', async (_, aheadMs) => {
  const [one, other] = await two();
  const timestamp = aheadMs === null ? '' : String(one.clock.now() + aheadMs);
  expect(await one.vote({ player: 'Steve', timestamp })).toBe('ok');
  await one.untilGrants('delivered');
  await other.untilGrants('delivered');
  // It went out and came back, where it was the same vote.
  expect([await repeats(one, 'Steve'), await repeats(other, 'Steve')]).toEqual([['Steve 1'], ['Steve 0']]);
  expect(await other.vote({ player: 'Alex', timestamp })).toBe('ok');
  await one.untilGrants('delivered', 'delivered');
  await other.until(async () => (await repeats(other, 'Alex')).join() === 'Alex 1');
  expect(await repeats(other, 'Steve', 'Alex')).toEqual(['Steve 0', 'Alex 1']);
  expect(await repeats(one, 'Steve', 'Alex')).toEqual(['Steve 1', 'Alex 0']);
});

test('each has a vote once by version 1 too', async () => {
  const [one, other] = await two({ protocol: 'v1', token: undefined, publicKey: 'data/keys/public.key' });
  await one.vote({ player: 'Steve' });
  await one.untilGrants('delivered');
  await other.untilGrants('delivered');
  await one.until(async () => (await repeats(one, 'Steve')).join() === 'Steve 1');
  expect(await repeats(other, 'Steve')).toEqual(['Steve 0']);
});

test('a target that pays gets votes in shadow and those before the hand-over, and each vote is paid on one side', async () => {
  const rewards = [{ name: 'thanks', when: 'always', commands: ['say {player} voted'] }];
  const [before, after] = [await rconGame(), await rconGame()];
  const old = await here({ gameServers: { main: before.entry }, rewards });
  const gameServers = { main: after.entry, old: targetAt(old, { pays: true }) };
  const ours = (pay: object) => ({ gameServers, rewards, pay });
  const one = await here(ours({ mode: 'shadow' }), old.clock);
  await one.vote({ player: 'InShadow' });
  await one.until(() => before.ran.length === 1);
  await one.reload(ours({ from: '2100-01-01' }));
  await one.vote({ player: 'Before' });
  await one.until(() => before.ran.length === 2);
  await one.reload(ours({ from: new Date(one.clock.now() - 1_000).toISOString() }));
  await one.vote({ player: 'After' });
  await one.until(() => after.ran.length === 1);
  await one.pass(5_000);
  expect(after.ran).toEqual(['say After voted']);
  expect(before.ran).toEqual(['say InShadow voted', 'say Before voted']);
});

test('explain and grants show what became of a forward, which carries what the site sent', async () => {
  const [one, other] = await two();
  const timestamp = String(one.clock.now() - 2_000);
  await one.vote({ player: 'Steve', timestamp });
  await one.untilGrants('delivered');
  await other.untilGrants('delivered');
  const [vote] = (await other.run('explain', 'Steve', '--bytes', '--json')).json;
  expect(vote).toMatchObject({ service: 'List', player: 'Steve', repeats: 0 });
  expect(Date.parse(vote.claimedAt)).toBe(Number(timestamp));
  expect(JSON.parse(vote.received)).toMatchObject({ address: '192.0.2.1' });
  const lines = async (...words: readonly string[]) => (await one.run(...words)).out.split('\n');
  expect(await lines('explain', 'steve')).toContainEqual(naming('grant', 'forwarded to other', /: ok$/));
  expect(await lines('grants', '--server', 'other')).toContainEqual(
    naming('Steve', '(forward)', 'other', 'delivered'),
  );
});
