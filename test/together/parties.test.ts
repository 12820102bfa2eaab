import { describe, expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { rconGame } from '../kit/game.ts';
import { together } from '../kit/together.ts';
import { TOKEN } from '../kit/vote.ts';

const MINUTE = 60_000;

const ALL = { name: 'all', every: 3, commands: ['give {player} cake 1'] };
const VOTERS = ['Alex: party 1 on main', 'Steve: party 1 on main', 'Sasha: party 1 on main'];

const start = (more: object = {}, config: object = {}) =>
  together({ party: [{ ...ALL, ...more }], ...config });

test('a party with no player online for voters is owed to them at once, and logged once', async () => {
  const { vote, pass, owed, teller, untilOwed } = await start();
  await vote('Alex', 'Steve');
  await pass(2_000);
  expect(await owed()).toEqual([]);
  await vote('Sasha');
  await untilOwed(3);
  expect(await owed()).toEqual(VOTERS);
  expect(teller.log.filter(({ code }) => code === 'party')).toHaveLength(1);
});

test('a party with no player online that is paid once is owed at once, to nobody in particular', async () => {
  const { vote, pass, ran, owed, teller } = await start({ for: 'once', commands: ['say a party'] });
  await vote('Alex', 'Steve', 'Sasha');
  await teller.untilGrants('delivered');
  expect(await owed()).toEqual(['null: party 1 on main']);
  expect(ran()).toEqual(['say a party']);
  await pass(4_000);
  expect(await owed()).toHaveLength(1);
});

test('a party with no player online for those online is owed to the voters after ten minutes', async () => {
  const { vote, pass, owed, untilOwed } = await start({ for: 'online' });
  await vote('Alex', 'Steve', 'Sasha');
  await pass(10 * MINUTE - 4_000);
  expect(await owed()).toEqual([]);
  await untilOwed(3);
  expect(await owed()).toEqual(VOTERS);
});

test('a party for those online is owed to the players of the first reading with enough of them, and to nobody who comes later', async () => {
  const [game, sky] = [await rconGame(), await rconGame()];
  const gameServers = { main: game.entry, sky: sky.entry };
  const { vote, pass, owed, untilOwed } = await start(
    { for: 'online', minOnline: 2, servers: ['main', 'sky'] },
    { gameServers },
  );
  game.show('Robin');
  await vote('Alex', 'Steve', 'Sasha');
  await pass(2 * MINUTE);
  expect(await owed()).toEqual([]);
  sky.show('.Zoe', 'Robin');
  await untilOwed(2);
  sky.show('Later');
  await pass(MINUTE);
  expect(await owed()).toEqual(['Robin: party 1 on main', '.Zoe: party 1 on sky']);
});

test('a party for those online does not take a list that may be incomplete for a reading', async () => {
  const { vote, pass, owed, join, teller, untilOwed } = await start({ for: 'online' });
  await join('Robin');
  await typedHere(teller, 'practice', 'fault', 'miscounted-list');
  await vote('Alex', 'Steve', 'Sasha');
  await pass(MINUTE);
  expect(await owed()).toEqual([]);
  await typedHere(teller, 'practice', 'clear');
  await untilOwed(1);
  expect(await owed()).toEqual(['Robin: party 1 on main']);
});

test('a party for those online that was reached more than ten minutes ago is owed to the voters, because who was online then is not known', async () => {
  const { vote, owed, join, teller, untilOwed } = await start({ for: 'online' });
  await vote('Alex', 'Steve', 'Sasha');
  await teller.stop();
  teller.clock.sleep(11 * MINUTE);
  await teller.restart();
  await join('Robin');
  await untilOwed(3);
  expect(await owed()).toEqual(VOTERS);
});

const COUNTING = {
  every: 12,
  announceLeft: [10, 5, 1],
  announce: ['say {partyLeft} left, {partyVotes} cast'],
};

test('the votes that are left are announced once when they become a wanted number, and again before the next party', async () => {
  const { vote, pass, ran, untilRan } = await start(COUNTING);
  await pass(1_000);
  await vote('Alex', 'Steve');
  await untilRan(1);
  await vote('Sasha');
  await pass(5_000);
  await vote('Alex', 'Steve', 'Sasha', 'Alex', 'Steve');
  await untilRan(2);
  expect(ran()).toEqual(['say 10 left, 2 cast', 'say 4 left, 8 cast']);
  await vote('Alex', 'Alex', 'Alex', 'Alex', 'Steve', 'Sasha');
  await untilRan(3);
  expect(ran().at(-1)).toBe('say 10 left, 2 cast');
});

test('the votes that are left are not announced later where a game server does not answer', async () => {
  const game = await rconGame();
  const { vote, pass } = await start(COUNTING, { gameServers: { main: game.entry } });
  await vote('Alex');
  game.fault('close-after-login', 4);
  await vote('Alex');
  await pass(MINUTE);
  expect(game.ran).toEqual([]);
});

test('entries of another config count from the next vote on', async () => {
  const { vote, pass, owed, teller, untilOwed } = await start({ every: 2 });
  await vote('Alex');
  const config = { sites: { default: { token: TOKEN, cooldown: '1s' } }, rewards: [] };
  await teller.reload({ ...config, party: [{ ...ALL, every: 1, commands: ['say {player}'] }] });
  await pass(5_000);
  expect(await owed()).toEqual([]);
  await vote('Steve');
  await untilOwed(2);
  expect(await owed()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
});

describe('a party that was reached before a player was forgotten, and is paid after it', () => {
  const reached = async (more: object, ...voters: readonly string[]) => {
    const one = await start(more);
    await one.vote(...voters);
    await one.teller.run('players', 'forget', 'Kim', '--yes');
    await one.untilOwed(voters.length - 1);
    return one;
  };
  test('for voters is owed to the others, and for the next one to a new player of that name', async () => {
    const { vote, owed, untilOwed } = await reached({}, 'Kim', 'Alex', 'Steve');
    expect(await owed()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
    await vote('Kim', 'Alex', 'Steve');
    await untilOwed(5);
    expect((await owed()).slice(2)).toEqual(
      ['Kim', 'Alex', 'Steve'].map((name) => `${name}: party 2 on main`),
    );
  });
});

test('the votes of a player who was forgotten still count for a party', async () => {
  const { vote, owed, teller, untilOwed } = await start();
  await vote('Kim', 'Alex');
  await teller.run('players', 'forget', 'Kim', '--yes');
  await vote('Steve');
  await untilOwed(2);
  expect(await owed()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
});
