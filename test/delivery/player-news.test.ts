import { expect, test } from 'vitest';
import type { PlayerNews } from '../../src/delivery/game-server.ts';
import { DAILY } from '../support/ledgers.ts';
import { HOUR, quiet, ScriptedServer, startQueue, vote } from './scripted-queue.ts';

const PAID = ['give Steve diamond 1', 'give Steve emerald 2'];

class ReportingServer extends ScriptedServer {
  onNews: (news: PlayerNews) => void = () => {};

  watchPlayers(onNews: (news: PlayerNews) => void): void {
    this.onNews = onNews;
  }
}

/** A game server that reports who joins and leaves, and a queue that otherwise looks once an hour. */
function reporting(joinDelayMs: number) {
  const server = new ReportingServer();
  const here = startQueue({ server, joinDelayMs, presenceIntervalMs: HOUR });
  const tell = async (news: PlayerNews): Promise<void> => {
    server.onNews(news);
    await quiet();
  };
  const join = async (player: string): Promise<void> => {
    server.online = [...new Set([...server.online, player])];
    await tell({ kind: 'joined', player });
  };
  const leave = async (player: string): Promise<void> => {
    server.online = server.online.filter((name) => name !== player);
    await tell({ kind: 'left', player });
  };
  return { ...here, server, tell, join, leave };
}

test('a player who joins is paid when the join delay is over, without waiting for the next look', async () => {
  const here = reporting(3_000);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.pass(5 * 60_000, 60_000);
  await here.join('Steve');
  await here.pass(2_000);
  expect(here.server.commands).toEqual([]);
  await here.pass(1_000);
  expect(here.server.commands).toEqual(PAID);
});

test('a join that is reported twice pays once, and does not begin the delay again', async () => {
  const here = reporting(3_000);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.join('Steve');
  await here.pass(2_000);
  await here.join('Steve');
  await here.pass(1_000);
  expect(here.server.commands).toEqual(PAID);
  await here.join('Steve');
  await here.pass(10_000);
  expect(here.server.commands).toEqual(PAID);
});

test('a player who leaves and joins again waits for the whole join delay', async () => {
  const here = reporting(3_000);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.join('Steve');
  await here.pass(2_000);
  await here.leave('Steve');
  await here.join('Steve');
  await here.pass(2_000);
  expect(here.server.commands).toEqual([]);
  await here.pass(1_000);
  expect(here.server.commands).toEqual(PAID);
});

test('a player who leaves and joins again at once has joined, for a grant that waits until they do', async () => {
  const here = reporting(0);
  await here.join('Steve');
  await vote(here, 'Steve', { ...DAILY, when: 'join' });
  await here.pass(10_000);
  expect(here.server.commands).toEqual([]);
  await here.leave('Steve');
  await here.join('Steve');
  expect(here.server.commands).toEqual(PAID);
});

test('that a player leaves whom nobody has seen changes nothing', async () => {
  const here = reporting(0);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.leave('Alex');
  await here.leave('@a');
  await here.join('Steve');
  expect(here.server.commands).toEqual(PAID);
});

test('a join without news in the list is not believed', async () => {
  const here = reporting(0);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.tell({ kind: 'joined', player: 'Steve' });
  await here.pass(10_000);
  expect(here.server.commands).toEqual([]);
});

test('whoever joined while nothing was reported is paid when joins are reported again', async () => {
  const here = reporting(0);
  await vote(here, 'Steve', { ...DAILY, when: 'online' });
  await here.pass(10_000);
  here.server.online = ['Steve'];
  await here.tell({ kind: 'reports-again' });
  expect(here.server.commands).toEqual(PAID);
});
