import { describe, expect, test } from 'vitest';
import type { Party } from '../../src/rewards/reward.ts';
import { rulesFor } from '../support/ledgers.ts';
import { party } from '../support/parties.ts';
import { startTogether } from '../support/together.ts';

const start = (more: Partial<Party>) => startTogether({ parties: [party('all', more)] });
const MINUTE = 60_000;

describe('a party with no player online', () => {
  test('for voters is owed to them at once', async () => {
    const { vote, pass, paid } = start({ for: 'voters' });
    await vote('Alex', 'Steve', 'Sasha');
    await pass(1_000);
    expect(await paid()).toEqual(['Alex', 'Steve', 'Sasha'].map((name) => `${name}: party 1 on main`));
  });

  test('of many voters is stored one portion in each second, and logged once', async () => {
    const players = Array.from({ length: 501 }, (_, index) => `P${index}`);
    const { vote, pass, ledger, codes } = start({ for: 'voters', every: players.length });
    const grants = () => ledger.grants({ limit: 999 });
    await vote(...players);
    await pass(1_000);
    expect(await grants()).toHaveLength(500);
    await pass(1_000);
    expect(await grants()).toHaveLength(501);
    expect(codes).toEqual(['party']);
  });

  test('that is paid once is owed at once, to nobody in particular', async () => {
    const { vote, pass, paid } = start({ for: 'once', commands: ['time set day'] });
    await vote('Alex', 'Steve', 'Sasha');
    await pass(1_000);
    expect(await paid()).toEqual(['null: party 1 on main']);
  });

  test('for those online is owed to the voters after ten minutes', async () => {
    const { vote, pass, paid, servers } = start({ for: 'online' });
    await vote('Alex', 'Steve', 'Sasha');
    await pass(10 * MINUTE - 2_000);
    expect(await paid()).toEqual([]);
    expect(servers.main.reads.length).toBeGreaterThan(50);
    expect(servers.main.reads.length).toBeLessThan(62);
    await pass(3_000);
    expect(await paid()).toEqual(['Alex', 'Steve', 'Sasha'].map((name) => `${name}: party 1 on main`));
  });
});

describe('a party for those online', () => {
  test('is owed to the players of the first reading with enough of them, and to nobody who comes later', async () => {
    const { vote, pass, paid, servers } = start({ for: 'online', minOnline: 2, servers: ['main', 'sky'] });
    servers.main.online = ['Robin'];
    await vote('Alex', 'Steve', 'Sasha');
    await pass(5 * MINUTE);
    expect(await paid()).toEqual([]);
    servers.sky.online = ['.Zoe', 'a b', 'Robin'];
    await pass(11_000);
    servers.sky.online = ['Later'];
    await pass(MINUTE);
    expect(await paid()).toEqual(['Robin: party 1 on main', '.Zoe: party 1 on sky']);
  });

  test('is owed to who has a name now: a renamed player and a stranger who took the name get one each', async () => {
    const { vote, pass, paid, servers, database } = start({ every: 1, for: 'online', minOnline: 2 });
    const shows = (uuids: Readonly<Record<string, string>>) => {
      servers.main.answer = () => ({
        kind: 'known',
        names: Object.keys(uuids),
        uuids: new Map(Object.entries(uuids).map(([name, uuid]) => [name.toLowerCase(), uuid])),
      });
    };
    const [ALEX, STRANGER] = ['069a79f4-44e9-4726-a5be-fca90e38aaf5', '853c80ef-3c37-49fd-aa49-938b674adae6'];
    shows({ Alex: ALEX });
    await vote('Alex');
    await pass(11_000);
    expect(await paid()).toEqual([]);
    shows({ Toni: ALEX, Alex: STRANGER });
    await pass(11_000);
    expect(await paid()).toEqual(['Toni: party 1 on main', 'Alex: party 1 on main']);
    const paidTo = database.prepare('SELECT count(DISTINCT recipient_id) FROM grants').pluck();
    expect(paidTo.get()).toBe(2);
  });

  test('does not take a list that may be incomplete for a reading', async () => {
    const { vote, pass, paid, servers } = start({ for: 'online' });
    servers.main.answer = () => ({ kind: 'cannot-tell', reason: 'list-does-not-add-up' });
    await vote('Alex', 'Steve', 'Sasha');
    await pass(MINUTE);
    expect(await paid()).toEqual([]);
    servers.main.answer = () => ({ kind: 'known', names: ['Robin'] });
    await pass(11_000);
    expect(await paid()).toEqual(['Robin: party 1 on main']);
  });

  test('that was reached more than ten minutes ago is owed to the voters, because who was online then is not known', async () => {
    const { vote, pass, paid, clock, close, servers, again } = start({ for: 'online' });
    servers.main.online = ['Robin'];
    await close();
    await vote('Alex', 'Steve', 'Sasha');
    clock.jump(11 * MINUTE);
    again();
    await pass(1_000);
    expect(await paid()).toEqual(['Alex', 'Steve', 'Sasha'].map((name) => `${name}: party 1 on main`));
  });
});

describe('the votes that are left', () => {
  const COUNTING = {
    every: 12,
    announceLeft: [10, 5, 1],
    announce: ['say {partyLeft} left, {partyVotes} cast'],
  };

  test('are announced once when they become a wanted number', async () => {
    const { vote, pass, servers } = start(COUNTING);
    await pass(1_000);
    await vote('Alex', 'Steve');
    await pass(3_000);
    await vote('Sasha');
    await pass(3_000);
    await vote('Alex', 'Steve', 'Sasha', 'Alex', 'Steve');
    await pass(3_000);
    expect(servers.main.commands).toEqual(['say 10 left, 2 cast', 'say 4 left, 8 cast']);
  });

  test('are announced again before the next party', async () => {
    const { vote, pass, servers } = start(COUNTING);
    await pass(1_000);
    await vote(...Array.from({ length: 12 }, () => 'Alex'), 'Steve', 'Sasha');
    await pass(1_000);
    expect(servers.main.commands).toEqual(['say 10 left, 2 cast']);
  });

  test('are not announced later where a game server does not answer', async () => {
    const { vote, pass, servers } = start(COUNTING);
    await vote('Alex');
    servers.main.opening = async () => ({ kind: 'resting', reason: 'unreachable', restMs: 1_000 });
    await pass(2_000);
    await vote('Alex');
    await pass(2_000);
    servers.main.opening = async () => ({ kind: 'open' });
    await pass(60_000);
    expect(servers.main.commands).toEqual([]);
  });
});

test('entries of another config count from the next vote on', async () => {
  const { vote, pass, paid, reload } = start({ every: 2 });
  await vote('Alex');
  reload({ parties: [party('all', { every: 1, commands: ['say {player}'] })] });
  await pass(5_000);
  expect(await paid()).toEqual([]);
  await vote('Steve');
  await pass(1_000);
  expect(await paid()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
});

test('a party for those online is one for each player, whoever had their names before', async () => {
  const [ALEX, STRANGER] = ['aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb'];
  const { vote, pass, servers, ledger } = start({ for: 'online', minOnline: 2, every: 1 });
  await ledger.storeSeen({ players: [{ name: 'Alex', uuid: ALEX }], server: 'main', rules: rulesFor() }, 0);
  await vote('Kim');
  servers.main.answer = () => ({
    kind: 'known',
    names: ['Toni', 'Alex'],
    uuids: new Map([
      ['toni', ALEX],
      ['alex', STRANGER],
    ]),
  });
  await pass(60_000);
  const grants = await ledger.grants({ limit: 9 });
  expect(grants.map(({ recipient, player }) => [recipient, player])).toEqual([
    ['alex', 'Alex'],
    ['alex', 'Toni'],
  ]);
  expect(await ledger.players('Alex')).toHaveLength(2);
});
