import { describe, expect, test } from 'vitest';
import type { Publish } from '../../src/rewards/reward.ts';
import { party } from '../support/parties.ts';
import { startTogether } from '../support/together.ts';

const MINUTE = 60_000;

const shown = (commands: readonly string[]): Publish => ({
  name: 'board',
  servers: ['main'],
  everyMs: MINUTE,
  commands,
});

const start = (commands: readonly string[]) =>
  startTogether({ publish: [shown(commands)], parties: [party('all', { every: 10 })] });

describe('figures', () => {
  test('are sent in each interval, as they are then, the best player first', async () => {
    const { vote, pass, servers } = start([
      'board {top1} {top1Votes} {top2} {top2Votes} {top3}',
      'left {partyLeft}',
    ]);
    await pass(2_000);
    await vote('Alex', 'Steve', 'Steve', 'Alex', 'Alex');
    await pass(MINUTE);
    expect(servers.main.commands).toEqual([
      ...['board - - - - -', 'left 10'],
      ...['board Alex 3 Steve 2 -', 'left 5'],
    ]);
  });

  test('are not sent later where a game server does not take them, and are never stored', async () => {
    const { vote, pass, servers, ledger } = start(['board {top1}']);
    servers.main.opening = async () => ({ kind: 'resting', reason: 'unreachable', restMs: 1_000 });
    await vote('Alex');
    await pass(10 * MINUTE, 10_000);
    expect(servers.main.commands).toEqual([]);
    servers.main.opening = async () => ({ kind: 'open' });
    await pass(MINUTE);
    expect(servers.main.commands).toEqual(['board Alex']);
    expect(await ledger.grantStates()).toEqual({});
  });

  test('of a player are sent for each who is online, and those with as many votes share a rank', async () => {
    const { vote, pass, servers } = start(['rank {player} {rank} {votesMonth} %votes%']);
    servers.main.online = ['STEVE', 'Alex', 'Sasha', 'New', '.Bed Rock', '.Bedrock'];
    await pass(1_000);
    servers.main.commands.length = 0;
    await vote('Alex', 'Steve', 'Robin', 'Robin', 'Sasha', 'Sasha', 'Sasha');
    await pass(MINUTE);
    expect(servers.main.commands).toEqual([
      'rank STEVE 3 1 1',
      'rank Alex 3 1 1',
      'rank Sasha 1 3 3',
      'rank New 5 0 0',
      'rank .Bedrock 5 0 0',
    ]);
  });

  test('leave out a vote that was voided, and the votes of the month before', async () => {
    const { vote, pass, servers, ledger, clock } = start(['board {top1} {top1Votes}']);
    await vote('Alex', 'Alex', 'Steve');
    await pass(MINUTE);
    await ledger.voidVotes([1, 2], { by: 'root', reason: 'a bot' }, clock.now());
    await pass(MINUTE);
    clock.jump(30 * 24 * 60 * MINUTE);
    await pass(MINUTE);
    expect(servers.main.commands).toEqual(['board - -', 'board Alex 2', 'board Steve 1', 'board - -']);
  });

  test('are of the party that stands first in the config', async () => {
    const parties = [party('few', { every: 5 }), party('all', { every: 10 })];
    const publish = [shown(['left {partyLeft} {partyVotes}'])];
    const { vote, pass, servers } = startTogether({ publish, parties });
    await vote('Alex', 'Steve');
    await pass(MINUTE);
    expect(servers.main.commands.at(-1)).toBe('left 3 2');
  });

  test('of several entries are of the same month', async () => {
    const publish = [
      shown(['first {top1} {top1Votes}']),
      { ...shown(['second {top2} {top2Votes}']), name: 'second' },
    ];
    const { vote, pass, servers } = startTogether({ publish });
    await vote('Alex', 'Steve', 'Alex');
    await pass(MINUTE);
    expect(servers.main.commands.slice(-2).toSorted()).toEqual(['first Alex 2', 'second Steve 1']);
  });
});
