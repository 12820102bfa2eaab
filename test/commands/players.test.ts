import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { accountName } from '../../src/platform/account.ts';
import { rulesFor } from '../support/ledgers.ts';
import { naming } from '../support/naming.ts';
import { type Operator, operator } from './operator.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const MILESTONE = { name: 'milestone', if: { votes: { at: [3] } }, commands: ['give {player} diamond 1'] };

const SITES = {
  default: { token: 'test-token-of-thirty-two-characters' },
  ...{ 'First.net': {}, 'Second.net': {}, 'Third.net': {} },
};

const see = async ({ ledger, clock }: Operator, name: string, uuid: string) =>
  ledger.storeSeen({ players: [{ name, uuid }], server: 'main', rules: rulesFor() }, clock.now());

/** Alex, whose UUID is known, with two votes, and Sasha with two. */
async function alexAndSasha(): Promise<Operator> {
  const one = await operator({ rewards: [MILESTONE], sites: SITES });
  for (const [player, service] of [
    ['Alex', 'First.net'],
    ['Alex', 'Second.net'],
    ['Sasha', 'First.net'],
    ['Sasha', 'Second.net'],
  ] as const)
    await one.vote(player, service);
  await see(one, 'Alex', ALEX);
  return one;
}

const merge = (one: Operator, ...more: string[]) =>
  one.teller('players', 'merge', 'Sasha', '--into', 'Alex', '--yes', ...more);

describe('teller players show NAME', () => {
  test('shows the names, the UUIDs, and how to pay what joining has passed', async () => {
    const one = await alexAndSasha();
    await merge(one);
    const { out, exit } = await one.teller('players', 'show', 'sasha');
    expect(exit).toBe(0);
    const lines = out.split('\n');
    expect(lines[0]).toEqual(naming('alex', '4 votes'));
    expect(lines).toContainEqual(naming('alex', ALEX));
    expect(lines).toContainEqual(naming('`teller reward milestone --player alex --occasion "total 3"`'));
    expect(lines).toContainEqual(naming('sasha', accountName(), '2026-06-01T12:00:00.000Z'));
  });

  test('--json has every player who has or had the name, the present one first', async () => {
    const one = await alexAndSasha();
    await see(one, 'Alex', STRANGER);
    const { out } = await one.teller('players', 'show', 'Alex', '--json');
    expect(JSON.parse(out)).toMatchObject([
      { votes: 0, paidAs: 'alex', names: [{ name: 'alex', onlineUuid: STRANGER, givenUpAt: null }] },
      {
        ...{ votes: 2, paidAs: null },
        names: [{ name: 'alex', onlineUuid: ALEX, givenUpAt: '2026-06-01T12:00:00.000Z' }],
        changes: [{ kind: 'name-taken', name: 'alex', by: 'main', at: '2026-06-01T12:00:00.000Z' }],
      },
    ]);
    expect((await one.teller('players', 'show', 'Alex')).out.split('\n')).toContainEqual(
      naming('nobody', 'UUID'),
    );
  });

  test('refuses a name that nobody has', async () => {
    const one = await alexAndSasha();
    const { err, exit } = await one.teller('players', 'show', 'Kim');
    expect([exit, err]).toEqual([1, expect.stringContaining('[player-missing]')]);
  });
});

describe('teller players merge NAME --into OTHER', () => {
  test('joins the names, and every command finds the player by either', async () => {
    const one = await alexAndSasha();
    expect((await merge(one)).exit).toBe(0);
    for (const name of ['Alex', 'sasha']) {
      expect(JSON.parse((await one.teller('votes', '--player', name, '--json')).out)).toHaveLength(4);
      expect(JSON.parse((await one.teller('explain', name, '--json')).out)).toHaveLength(4);
    }
    const { out } = await one.teller('reward', 'milestone', '--player', 'Sasha', '--occasion', 'total 3');
    expect(out).toContain('milestone');
    for (const name of ['Alex', 'Sasha']) {
      expect(JSON.parse((await one.teller('grants', '--player', name, '--json')).out)).toHaveLength(1);
      expect((await one.teller('explain', name)).out).toContain('total 3');
    }
    expect((await one.teller('players', 'show', 'Alex')).out).not.toContain('total 3');
  });

  test('asks first, and changes nothing without a yes', async () => {
    const one = await alexAndSasha();
    const person = { interactive: true, answer: false };
    const no = await one.tellerAsked(person, 'players', 'merge', 'Sasha', '--into', 'Alex');
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(one.asked).toEqual([naming('Sasha', 'Alex', '`teller players split Sasha`')]);
    expect(await one.ledger.players('Sasha')).toMatchObject([{ votes: 2 }]);
  });

  test.each([
    ['two UUIDs of the same kind', 'players-differ', (one: Operator) => see(one, 'Sasha', STRANGER)],
    ['one player already', 'players-same', (one: Operator) => merge(one)],
  ])('is refused for %s', async (_, code, before) => {
    const one = await alexAndSasha();
    await before(one);
    const { err, exit } = await merge(one);
    expect([exit, err]).toEqual([1, expect.stringContaining(`[${code}]`)]);
  });

  test('refuses what cannot be a name', async () => {
    const one = await alexAndSasha();
    const { err } = await one.teller('players', 'merge', 'a  b', '--into', 'Alex', '--yes');
    expect(err).toContain('[player-not-allowed]');
  });
});

describe('teller players split NAME', () => {
  test('undoes a join', async () => {
    const one = await alexAndSasha();
    await merge(one);
    const { out } = await one.teller('players', 'split', 'Sasha', '--yes', '--json');
    expect(JSON.parse(out)).toMatchObject([{ votes: 2, names: [{ name: 'sasha' }] }]);
    expect(await one.ledger.players('Alex')).toMatchObject([{ votes: 2, passed: [] }]);
  });

  test('is refused for a name that was not joined', async () => {
    const one = await alexAndSasha();
    const { err, exit } = await one.teller('players', 'split', 'Sasha', '--yes');
    expect([exit, err]).toEqual([1, expect.stringContaining('[player-not-joined]')]);
  });
});

describe('teller players forget NAME', () => {
  test('asks by every name, and leaves votes without one', async () => {
    const one = await alexAndSasha();
    await merge(one);
    const person = { interactive: true, answer: true };
    const { out, exit } = await one.tellerAsked(person, 'players', 'forget', 'Sasha');
    expect(one.asked).toEqual([naming('alex', 'sasha', 'cancelled')]);
    expect([exit, out.split('\n')[0]]).toEqual([0, naming('forgotten-1', '4 votes')]);
    expect((await one.teller('votes')).out).not.toMatch(/alex|sasha/i);
  });

  test('says that the -wal still names them only while another program reads the ledger', async () => {
    const one = await alexAndSasha();
    const program = new Database(one.file, { readonly: true });
    program.exec('BEGIN');
    program.prepare('SELECT count(*) FROM votes').get();
    const forget = (name: string) => one.teller('players', 'forget', name, '--yes');
    expect(await forget('Alex')).toMatchObject({ exit: 0, err: naming('note', '-wal') });
    program.close();
    expect(await forget('Sasha')).toMatchObject({ exit: 0, err: '' });
  });

  test('is refused for a name that nobody has', async () => {
    const one = await alexAndSasha();
    expect((await one.teller('players', 'forget', 'Kim', '--yes')).err).toContain('[player-missing]');
  });
});

test('preview and votes add judge a vote by the history of the player, under any name', async () => {
  const one = await alexAndSasha();
  await merge(one);
  const { out } = await one.teller('preview', 'Sasha', '--site', 'Third.net');
  expect(out).toContain('5, and no more to reach');
  await one.teller('votes', 'add', '--player', 'Sasha', '--site', 'Third.net');
  expect(await one.ledger.players('Alex')).toMatchObject([{ votes: 5 }]);
});
