import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { type Together, together } from '../kit/together.ts';
import { TOKEN } from '../kit/vote.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP = 5_000;

const PARTY = { every: 10, announceLeft: [1], commands: ['give {player} cake 1'] };

const board = (commands: readonly string[], more: object = {}) =>
  together({
    party: [{ ...PARTY, name: 'all' }],
    publish: [{ name: 'board', every: '1m', commands }],
    ...more,
  });

/** Time passes until this line is said, for two minutes at most. */
async function isSaid({ ran, pass }: Together, line: string): Promise<void> {
  for (let looks = 0; looks < 120 && !ran().includes(line); looks += 1) await pass(1_000);
  expect(ran()).toContain(line);
}

test('figures are sent in each interval, as they are then, the best player first', async () => {
  const { vote, pass, ran, teller } = await board([
    'say board {top1} {top1Votes} {top2} {top2Votes} {top3}',
    'say left {partyLeft}',
  ]);
  await teller.until(() => ran().length === 2);
  await pass(30_000);
  expect(ran()).toEqual(['say board - - - - -', 'say left 10']);
  await vote('Alex', 'Steve', 'Steve', 'Alex', 'Alex');
  await teller.until(() => ran().length === 4);
  expect(ran().slice(2)).toEqual(['say board Alex 3 Steve 2 -', 'say left 5']);
});

test('figures are not sent later where a game server does not take them, and are never stored', async () => {
  const game = await rconGame();
  const { vote, pass, owed, teller } = await board(['say board {top1}'], {
    gameServers: { main: game.entry },
  });
  game.fault('close', 3);
  await vote('Alex');
  await pass(10 * MINUTE, STEP);
  expect(game.ran.length).toBeLessThan(10);
  const sent = game.ran.length;
  await pass(MINUTE, STEP);
  expect(game.ran.slice(sent)).toEqual(['say board Alex']);
  expect(await owed()).toEqual([]);
  expect(teller.log.map(({ level }) => level)).not.toContain('error');
});

test('figures of a player are sent for each who is online, and those with as many votes share a rank', async () => {
  const one = await board(['say rank {player} {rank} {votesMonth} %votes%']);
  for (const player of ['STEVE', 'Alex', 'Sasha', 'New', '.Bedrock']) await one.join(player);
  await one.vote('Alex', 'Steve', 'Robin', 'Robin', 'Sasha', 'Sasha', 'Sasha');
  for (const line of ['STEVE 3 1 1', 'Alex 3 1 1', 'Sasha 1 3 3', 'New 5 0 0', '.Bedrock 5 0 0'])
    await isSaid(one, `say rank ${line}`);
});

test('figures leave out a vote that was voided, who was forgotten, and the votes of the month before', async () => {
  const one = await board(['say board {top1} {top1Votes}']);
  const { run, clock } = one.teller;
  await one.vote('Alex', 'Alex', 'Steve', 'Kim', 'Kim', 'Kim');
  await isSaid(one, 'say board Kim 3');
  await run('players', 'forget', 'Kim', '--yes');
  await isSaid(one, 'say board Alex 2');
  await run('votes', 'void', '1', '2', '--reason', 'a bot', '--yes');
  await isSaid(one, 'say board Steve 1');
  clock.sleep(30 * 24 * HOUR);
  await isSaid(one, 'say board - -');
});

test('what a reload adds begins then, also where the config had nothing of it, and ends when a reload removes it', async () => {
  const one = await together();
  await one.pass(2_000);
  await one.teller.reload({
    rewards: [],
    publish: [{ name: 'board', every: '1m', commands: ['say board {partyVotes}'] }],
    party: [{ ...PARTY, name: 'all', announceLeft: [9], announce: ['say {partyLeft} left'] }],
    remind: [{ name: 'vote-now', onJoin: false, every: '1m', commands: ['tell {player} {sitesLeft} left'] }],
  });
  await one.join('Alex');
  await isSaid(one, 'say board 0');
  await one.vote('Steve');
  for (const line of ['say 9 left', 'tell Alex 1 left']) await isSaid(one, line);
  await one.teller.reload({ rewards: [] });
  const before = one.ran().length;
  await one.pass(3 * MINUTE, STEP);
  expect(one.ran()).toHaveLength(before);
});

test('figures are of the party that stands first in the config, and of several entries are of the same month', async () => {
  const one = await board([], {
    party: [
      { ...PARTY, name: 'few', every: 5 },
      { ...PARTY, name: 'all' },
    ],
    publish: [
      { name: 'left', every: '1m', commands: ['say left {partyLeft} {partyVotes}'] },
      { name: 'second', every: '1m', commands: ['say second {top2} {top2Votes}'] },
    ],
  });
  await one.vote('Alex', 'Steve', 'Alex');
  await isSaid(one, 'say left 2 3');
  await isSaid(one, 'say second Steve 1');
});

const start = (more: object = {}) =>
  together({
    sites: {
      default: { token: TOKEN },
      'List 1': { url: 'https://one.example/vote' },
      'List 2': { url: 'https://two.example/vote' },
    },
    remind: [
      { name: 'vote-now', commands: ['tell {player} {sitesLeft} left: {voteLinks}, {nextVote}'], ...more },
    ],
  });

const reminder = (player: string): string =>
  `tell ${player} 2 left: https://one.example/vote https://two.example/vote, now`;

test('a reminder goes to players who join and may vote on some site, once', async () => {
  const { pass, ran, vote, join, teller } = await start();
  await vote('Alex', 'Alex', 'Steve');
  await pass(MINUTE, STEP);
  for (const player of ['Alex', 'Steve', 'New']) await join(player);
  await teller.until(() => ran().length === 2);
  await pass(2 * MINUTE, STEP);
  expect(ran()).toEqual([reminder('Steve'), reminder('New')]);
});

test('a reminder is repeated in each interval while the player is online and may vote', async () => {
  const { pass, ran, vote, join } = await start({ onJoin: false, every: '1h' });
  await join('Alex');
  await vote('Alex', 'Alex');
  await pass(23 * HOUR, 10 * MINUTE);
  expect(ran()).toEqual([]);
  await pass(4 * HOUR, 10 * MINUTE);
  expect(ran().length).toBeGreaterThanOrEqual(2);
  expect(ran().length).toBeLessThanOrEqual(4);
  expect(new Set(ran())).toEqual(new Set([reminder('Alex')]));
});

test('a reminder does not go to players with the tag teller.quiet, also where the game server does not know names such as minecraft:execute', async () => {
  const { pass, ran, join, teller } = await start();
  const practice = (...words: string[]) => typedHere(teller, 'practice', ...words);
  await pass(MINUTE, STEP);
  for (const player of ['Quiet', 'Alex']) await join(player);
  await practice('run', 'tag Quiet add teller.quiet');
  const reminded = (count: number) => () =>
    ran().filter((command) => command === reminder('Alex')).length === count;
  await teller.until(reminded(1));
  await practice('fault', 'no-minecraft-names');
  for (const player of ['Quiet', 'Alex']) await practice('leave', player);
  await pass(MINUTE, STEP);
  for (const player of ['Quiet', 'Alex']) await join(player);
  await teller.until(reminded(2));
  expect(ran()).not.toContain(reminder('Quiet'));
});

test('a reminder is not sent because of a list that could not be read, which makes nobody join again', async () => {
  const { pass, ran, join, teller } = await start();
  await pass(MINUTE, STEP);
  await join('Alex');
  await pass(MINUTE, STEP);
  expect(ran()).toEqual([reminder('Alex')]);
  await typedHere(teller, 'practice', 'fault', 'miscounted-list');
  await pass(MINUTE, STEP);
  await typedHere(teller, 'practice', 'clear');
  await pass(MINUTE, STEP);
  expect(ran()).toHaveLength(1);
});

test('a reminder goes to a new player of a name that was forgotten, for every site', async () => {
  const { pass, ran, vote, join, teller } = await start();
  await pass(MINUTE, STEP);
  await vote('Kim', 'Kim');
  await teller.run('players', 'forget', 'Kim', '--yes');
  await join('Kim');
  await pass(2 * MINUTE, STEP);
  expect(ran()).toEqual([reminder('Kim')]);
});
