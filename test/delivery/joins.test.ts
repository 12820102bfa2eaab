import { expect, test } from 'vitest';
import { GameServerQueue } from '../../src/delivery/game-server-queue.ts';
import type { Reward } from '../../src/rewards/reward.ts';
import { DAILY } from '../support/ledgers.ts';
import { HOUR, MINUTE, quiet, startQueue, states, vote } from './scripted-queue.ts';

const WELCOME: Reward = { ...DAILY, when: 'join' };
const BOTH = ['give Steve diamond 1', 'give Steve emerald 2'];

test('a player who is online when they vote is paid when they have left and joined again', async () => {
  const here = startQueue();
  here.server.online = ['Steve'];
  await vote(here, 'Steve', WELCOME);
  await here.pass(HOUR, MINUTE);
  expect(here.server.commands).toEqual([]);
  expect(await here.ledger.grants({ limit: 1 })).toMatchObject([
    { state: 'waiting', reason: { code: 'awaits-join' } },
  ]);
  here.server.online = [];
  await here.pass(MINUTE);
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH);
});

test('a player who is offline when they vote is paid when they join', async () => {
  const here = startQueue();
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH);
});

test('an answer from before the vote does not show that the player was absent since', async () => {
  const here = startQueue({ presenceIntervalMs: 500 });
  await vote(here, 'Alex', WELCOME);
  await here.pass(1_000, 500);
  const reads = here.server.reads.length;
  expect(reads).toBeGreaterThan(0);
  // The last answer, without Steve, is less than a second old.
  here.server.online = ['Steve'];
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual([]);
});

test('the player has to be absent in one answer and present in a later one, if they are asked about one by one', async () => {
  const here = startQueue();
  const there = new Set(['Steve']);
  here.server.answer = (wanted) => ({ kind: 'asked', names: wanted.filter((name) => there.has(name)) });
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual([]);
  there.delete('Steve');
  await here.pass(MINUTE);
  there.add('Steve');
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH);
});

test('an answer that does not say who is online shows no absence', async () => {
  const here = startQueue();
  here.server.answer = () => ({ kind: 'cannot-tell', reason: 'list-not-understood' });
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  here.server.answer = null;
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual([]);
});

test('that the player was absent is remembered after a restart', async () => {
  const here = startQueue();
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  await here.queue.close();
  here.server.online = ['Steve'];
  const next = new GameServerQueue(here.parts);
  next.start();
  await quiet();
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH);
  await next.close();
});

test('a player who leaves between two commands goes on when they are back', async () => {
  const here = startQueue();
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  here.server.outcome = () => {
    here.server.online = [];
    here.clock.advance(1_000);
    return { kind: 'delivered', reply: '' };
  };
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH.slice(0, 1));
  here.server.online = ['Steve'];
  await here.pass(MINUTE);
  expect(here.server.commands).toEqual(BOTH);
  expect(await states(here)).toEqual(['delivered']);
});

test('a practice server makes nobody join because of it', async () => {
  const here = startQueue();
  here.server.join = (player) => here.server.online.push(player) > 0;
  await vote(here, 'Steve', WELCOME);
  await here.pass(MINUTE);
  expect(here.server.online).toEqual([]);
  expect(await states(here)).toEqual(['waiting']);
});
