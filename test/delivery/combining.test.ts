import { expect, test } from 'vitest';
import { type GrantTerms, NO_TERMS } from '../../src/core/grant-terms.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY, record, rulesFor } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';
import { HOUR, MINUTE, type QueueFixture, quiet, startQueue, states, vote } from './scripted-queue.ts';

const combining = (commands: readonly string[], terms: Partial<GrantTerms> = {}): Reward => ({
  ...DAILY,
  name: 'coins',
  commands,
  terms: { ...NO_TERMS, combine: true, ...terms },
});

const COINS = combining(['eco give {player} {count}']);

/** Steve votes once on each of so many days, offline. */
async function votedDaily(here: QueueFixture, days: number, reward: Reward): Promise<void> {
  for (let day = 0; day < days; day++) {
    await vote(here, 'Steve', reward);
    await here.pass(24 * HOUR, 6 * HOUR);
  }
}

test('a player who voted seven times in a week of absence gets one command with 7', async () => {
  const here = startQueue();
  await votedDaily(here, 7, COINS);
  expect(here.server.commands).toEqual([]);
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(['eco give Steve 7']);
  expect(await states(here)).toEqual(Array(7).fill('delivered'));
});

test('a player who is online gets each vote by itself, with 1', async () => {
  const here = startQueue();
  here.server.online = ['Steve'];
  await votedDaily(here, 2, COINS);
  expect(here.server.commands).toEqual(['eco give Steve 1', 'eco give Steve 1']);
});

test('votes that wait for the game server are one command as well', async () => {
  const here = startQueue();
  let isDown = true;
  here.server.opening = async () =>
    isDown ? { kind: 'resting', reason: 'unreachable', restMs: 1_000 } : { kind: 'open' };
  await votedDaily(here, 3, { ...COINS, when: 'always' });
  isDown = false;
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(['eco give Steve 3']);
});

test('a player who leaves before the command runs gets it with the votes until they are back', async () => {
  const here = startQueue();
  await votedDaily(here, 2, COINS);
  here.server.outcome = () => ({ kind: 'player-offline', reply: 'No player was found' });
  here.server.online = ['Steve'];
  await here.pass(20_000);
  here.server.online = [];
  here.server.outcome = () => ({ kind: 'delivered', reply: '' });
  await votedDaily(here, 1, COINS);
  here.server.online = ['Steve'];
  await here.pass(20 * MINUTE, MINUTE);
  expect(here.server.commands.at(-1)).toBe('eco give Steve 3');
  expect(await states(here)).toEqual(['delivered', 'delivered', 'delivered']);
});

test('a player who leaves between two commands gets the second one once, for all', async () => {
  const here = startQueue();
  await votedDaily(here, 2, combining(['eco give {player} {count}', 'say {count} votes']));
  here.server.outcome = () => {
    here.server.online = [];
    here.clock.advance(1_000);
    return { kind: 'delivered', reply: '' };
  };
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(['eco give Steve 2']);
  expect(await states(here)).toEqual(['waiting', 'waiting']);
  here.server.outcome = () => ({ kind: 'delivered', reply: '' });
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(['eco give Steve 2', 'say 2 votes']);
  expect(await states(here)).toEqual(['delivered', 'delivered']);
});

test('a command without an answer holds all of them', async () => {
  const here = startQueue();
  await votedDaily(here, 3, COINS);
  here.server.outcome = () => ({ kind: 'unknown', reason: 'timeout' });
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(['eco give Steve 3']);
  expect(await states(here)).toEqual(['held', 'held', 'held']);
});

test('a hundred votes of one player and one of another are two commands, in one look at who is online', async () => {
  const here = startQueue();
  const votes = Array.from({ length: 100 }, (_, day) =>
    arrival({ player: 'Steve', receivedAt: here.clock.now() - day * 48 * HOUR }),
  );
  await record(here.ledger, [...votes, arrival({ player: 'Alex' })], rulesFor(COINS));
  here.queue.nudge();
  await quiet();
  here.server.online = ['Steve', 'Alex'];
  await here.pass(20_000);
  expect(here.server.commands.toSorted()).toEqual(['eco give Alex 1', 'eco give Steve 100']);
});

test('the log says with which others a grant was paid', async () => {
  const logged: object[] = [];
  const keep = (fields: object): void => void logged.push(fields);
  const here = startQueue({ log: { debug: keep, info: keep, warn: keep, error: keep } });
  await votedDaily(here, 3, COINS);
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(logged).toContainEqual(expect.objectContaining({ code: 'delivered', grant: 1, others: [2, 3] }));
});
