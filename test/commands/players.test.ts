import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import type { Desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const MILESTONE = { name: 'milestone', if: { votes: { at: [3] } }, commands: ['give {player} diamond 1'] };

const SITES = { default: { token: TOKEN }, 'First.net': {}, 'Second.net': {}, 'Third.net': {} };
const VOTES = ['Alex', 'Sasha'].flatMap((player) =>
  ['First.net', 'Second.net'].map((site) => ({ player, site })),
);

/** Alex and Sasha with two votes each. */
async function alexAndSasha(): Promise<Clerk> {
  const one = clerk({ rewards: [MILESTONE], sites: SITES });
  for (const { player, site } of VOTES) await one.vote(player, site);
  return one;
}

/** The same while a Teller runs, with a practice server on which Alex is online with a UUID. */
async function alexOnline(): Promise<Here> {
  const main = { kind: 'practice', autoJoin: false, joinDelay: '0s', presenceInterval: '1s' };
  const each = { name: 'each', commands: ['give {player} bread 1'] };
  const config = { gameServers: { main }, rewards: [MILESTONE, each], sites: SITES };
  const teller = await here(config, new FakeClock('2026-06-01T12:00:00Z'));
  for (const vote of VOTES) await teller.vote(vote);
  await joins(teller, 'Alex', ALEX);
  return teller;
}

/** A player joins, and it is known who they are. */
async function joins(teller: Here, name: string, uuid: string): Promise<void> {
  await typedHere(teller, 'practice', 'join', name, '--uuid', uuid);
  await teller.until(async () => (await shown(teller, name))[0].names.some(hasUuid(uuid)));
}

const hasUuid =
  (uuid: string) =>
  ({ onlineUuid }: { onlineUuid: string | null }): boolean =>
    onlineUuid === uuid;

const shown = async ({ run }: Pick<Desk, 'run'>, name: string) =>
  (await run('players', 'show', name, '--json')).json ?? [];

const merge = ({ run }: Pick<Desk, 'run'>) => run('players', 'merge', 'Sasha', '--into', 'Alex', '--yes');

describe('teller players show NAME', () => {
  test('shows the names, the UUIDs, and how to pay what joining has passed', async () => {
    const teller = await alexOnline();
    await merge(teller);
    const { out, exit } = await teller.run('players', 'show', 'sasha');
    const lines = out.split('\n');
    expect([exit, lines[0]]).toEqual([0, naming('alex', '4 votes')]);
    expect(lines).toContainEqual(naming('alex', ALEX));
    expect(lines).toContainEqual(naming('`teller reward milestone --player alex --occasion "total 3"`'));
    expect(lines).toContainEqual(expect.stringMatching(/2026-06-01T12:00:.*\bsasha joined by \S/));
  });

  test('--json has every player who has or had the name, the present one first', async () => {
    const teller = await alexOnline();
    await typedHere(teller, 'practice', 'leave', 'Alex');
    await joins(teller, 'Alex', STRANGER);
    const at = expect.stringMatching(/^2026-06-01T12:00:/);
    expect(await shown(teller, 'Alex')).toMatchObject([
      { votes: 0, paidAs: 'alex', names: [{ name: 'alex', onlineUuid: STRANGER, givenUpAt: null }] },
      {
        ...{ votes: 2, paidAs: null },
        names: [{ name: 'alex', onlineUuid: ALEX, givenUpAt: at }],
        changes: [{ kind: 'name-taken', name: 'alex', by: 'main', at }],
      },
    ]);
    expect((await teller.run('players', 'show', 'Alex')).out.split('\n')).toContainEqual(
      naming('nobody', 'UUID'),
    );
  });
});

describe('teller players merge NAME --into OTHER', () => {
  test('joins the names, and every command finds the player by either', async () => {
    const one = await alexAndSasha();
    expect((await merge(one)).exit).toBe(0);
    for (const name of ['Alex', 'sasha']) {
      expect((await one.run('votes', '--player', name, '--json')).json).toHaveLength(4);
      expect((await one.run('explain', name, '--json')).json).toHaveLength(4);
    }
    const { out } = await one.run('reward', 'milestone', '--player', 'Sasha', '--occasion', 'total 3');
    expect(out).toContain('milestone');
    for (const name of ['Alex', 'Sasha']) {
      expect((await one.run('grants', '--player', name, '--json')).json).toHaveLength(1);
      expect((await one.run('explain', name)).out).toContain('total 3');
    }
    expect((await one.run('players', 'show', 'Alex')).out).not.toContain('total 3');
  });

  test('asks first, and changes nothing without a yes', async () => {
    const one = await alexAndSasha();
    const no = await one.runBy({}, 'players', 'merge', 'Sasha', '--into', 'Alex');
    expect(no).toMatchObject({ exit: 1, err: expect.stringContaining('[not-confirmed]') });
    expect(no.asked).toEqual([naming('Sasha', 'Alex', '`teller players split Sasha`')]);
    expect(await shown(one, 'Sasha')).toMatchObject([{ votes: 2 }]);
  });

  test('is refused for one player already, and for two UUIDs of the same kind', async () => {
    const teller = await alexOnline();
    await joins(teller, 'Sasha', STRANGER);
    expect(await merge(teller)).toMatchObject({ exit: 1, err: expect.stringContaining('[players-differ]') });
    const one = await alexAndSasha();
    await merge(one);
    expect(await merge(one)).toMatchObject({ exit: 1, err: expect.stringContaining('[players-same]') });
  });

  test('is undone by a split, and preview and votes add judge by the joined history until then', async () => {
    const one = await alexAndSasha();
    await merge(one);
    const { out } = await one.run('preview', 'Sasha', '--site', 'Third.net');
    expect(out).toContain('5, and no more to reach');
    await one.vote('Sasha', 'Third.net');
    expect(await shown(one, 'Alex')).toMatchObject([{ votes: 5 }]);
    const { json } = await one.run('players', 'split', 'Sasha', '--yes', '--json');
    expect(json).toMatchObject([{ votes: 3, names: [{ name: 'sasha' }] }]);
    expect(await shown(one, 'Alex')).toMatchObject([{ votes: 2 }]);
    expect((await one.run('players', 'show', 'Alex')).out).not.toContain('total 3');
  });
});

test.each([
  ['show', ['Kim'], 1, 'player-missing'],
  ['forget', ['Kim', '--yes'], 1, 'player-missing'],
  ['split', ['Sasha', '--yes'], 1, 'player-not-joined'],
  ['merge', ['a  b', '--into', 'Alex', '--yes'], 2, 'player-not-allowed'],
])('players %s %j is refused', async (name, words, exit, code) => {
  const one = await alexAndSasha();
  const refused = await one.run('players', name, ...words);
  expect(refused).toMatchObject({ exit, err: expect.stringContaining(`[${code}]`) });
});

describe('teller players forget NAME', () => {
  test('asks by every name, and leaves votes without one', async () => {
    const one = await alexAndSasha();
    await merge(one);
    const { out, exit, asked } = await one.runBy({ answers: [true] }, 'players', 'forget', 'Sasha');
    expect(asked).toEqual([naming('alex', 'sasha', 'cancelled')]);
    expect([exit, out.split('\n')[0]]).toEqual([0, naming('forgotten-1', '4 votes')]);
    expect((await one.run('votes')).out).not.toMatch(/alex|sasha/i);
  });

  test('says that the -wal still names them only while another program reads the ledger', async () => {
    const one = await alexAndSasha();
    const program = new Database(join(one.folder, 'data/teller.db'), { readonly: true });
    program.exec('BEGIN');
    program.prepare('SELECT count(*) FROM votes').get();
    const forget = (name: string) => one.run('players', 'forget', name, '--yes');
    expect(await forget('Alex')).toMatchObject({ exit: 0, err: naming('note', '-wal') });
    program.close();
    expect(await forget('Sasha')).toMatchObject({ exit: 0, err: '' });
  });
});

const DAILY = { name: 'daily', commands: ['give {player} diamond 1'] };
const NOON = /2026-06-01T12:00:\d\d/;

const traces = async ({ run }: Here, name: string) => (await run('explain', name, '--json')).json;
const grantsOf = async ({ run }: Here, ...words: string[]) => (await run('grants', '--json', ...words)).json;

/** A Teller that pays on a game server where nobody is, at noon. */
async function paying(): Promise<{ readonly game: Game; readonly teller: Here }> {
  const game = await rconGame();
  const config = { gameServers: { main: game.entry }, rewards: [DAILY] };
  return { game, teller: await here(config, new FakeClock('2026-06-01T12:00:00Z')) };
}

/** A reward for this player is waiting. */
async function waiting(player = 'BedHead') {
  const { game, teller } = await paying();
  await teller.vote({ player });
  await teller.untilGrants('waiting');
  return { game, teller };
}

describe('a name with spaces in a vote', () => {
  test('is recorded with _ for each space, and the trace shows the name that the site sent', async () => {
    const { teller } = await paying();
    for (const player of ['Bob Jr', '.Bob Jr']) await teller.vote({ player, site: `of ${player}` });
    const [row] = await traces(teller, 'Bob_Jr');
    expect(row).toMatchObject({ player: 'Bob_Jr', recipient: 'bob_jr', sentAs: 'Bob Jr' });
    expect((await teller.run('explain', 'bob jr')).out).toContain('Bob Jr');
    expect(await traces(teller, '.Bob_Jr')).toMatchObject([{ player: '.Bob_Jr', sentAs: '.Bob Jr' }]);
  });

  test('belongs to the same player as the name with _', async () => {
    const { teller } = await paying();
    for (const player of ['Bob_Jr', 'Bob Jr']) {
      await teller.vote({ player });
      await teller.pass(1_000);
    }
    const decisions = (await traces(teller, 'Bob_Jr')).map(({ decision }: { decision: string }) => decision);
    expect(decisions).toEqual(['rewarded', 'cooldown']);
  });

  test('is refused unless single spaces stand between allowed characters', async () => {
    const { teller } = await paying();
    for (const player of ['Bob  Jr', 'Bob\tJr', 'Bob @a', 'Bob Jr]', 'A B C D E F G H I'])
      expect(await teller.vote({ player })).not.toBe('ok');
  });
});

describe('grants pay ID --player', () => {
  test('pays that player instead, whose name is read as in a vote, and every trace shows the original player', async () => {
    const { game, teller } = await waiting();
    const { out, exit } = await teller.run('grants', 'pay', '1', '--player', '.Bed Head');
    expect([exit, out]).toEqual([0, naming(/grant 1\b/i, '.Bed_Head', / BedHead\b/)]);
    const paid = { id: 1, player: '.Bed_Head', insteadOf: 'BedHead' };
    const [row] = await traces(teller, 'BedHead');
    expect(row.grants).toMatchObject([{ ...paid, redirectedAt: expect.stringMatching(NOON) }]);
    expect((await teller.run('explain', 'BedHead')).out.split('\n')).toContainEqual(
      naming('.Bed_Head', / BedHead\b/, NOON),
    );
    expect(await grantsOf(teller, '--player', '.Bed_Head')).toMatchObject([paid]);
    expect((await teller.run('explain', '.Bed_Head')).out).toEqual(naming(/grant 1\b/i, /vote 1\b/i));
    game.show('.Bed_Head');
    await teller.untilGrants('delivered');
    expect(game.ran).toEqual(['give .Bed_Head diamond 1']);
    expect(await teller.run('grants', 'pay', '1', '--player', 'Kim')).toMatchObject({
      ...{ exit: 1, err: naming('[grant-moved-on]') },
    });
  });

  test('refuses what cannot be a player’s name (player-not-allowed)', async () => {
    const { teller } = await waiting();
    for (const name of ['@a', 'Bed"Head', '!Steve', 'A2345678901234567', 'Steve; op Steve'])
      expect(await teller.run('grants', 'pay', '1', '--player', name)).toMatchObject({
        ...{ exit: 2, err: naming('[player-not-allowed]') },
      });
    expect(await grantsOf(teller)).toMatchObject([{ state: 'waiting', player: 'BedHead' }]);
  });
});

describe('a player who voted without their Bedrock prefix', () => {
  const command = 'grants pay 1 --player .BedHead';

  test('is suggested if they were seen online, with the command that pays them', async () => {
    const { game, teller } = await waiting();
    expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: null }]);
    expect((await teller.run('explain', 'BedHead')).out).not.toContain('--player');
    game.show('.BedHead');
    await teller.until(async () => (await grantsOf(teller))[0].likelyPlayer !== null);
    expect((await teller.run('explain', 'BedHead')).out).toContain(command);
    expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: '.BedHead' }]);
    expect((await teller.run('grants')).out).toContain('.BedHead');
  });

  test('is suggested if they have voted with the prefix, also truncated to 16 characters', async () => {
    const { teller } = await waiting();
    await teller.vote({ player: '.BedHead', site: 'Other' });
    expect((await teller.run('explain', 'BedHead')).out).toContain(command);
    await teller.vote({ player: 'Sixteen_Letters_', site: 'List' });
    await teller.vote({ player: '.Sixteen_Letters', site: 'Other' });
    await teller.untilGrants('waiting', 'waiting', 'waiting', 'waiting');
    expect((await traces(teller, 'Sixteen_Letters_'))[0].grants).toMatchObject([
      { likelyPlayer: '.Sixteen_Letters' },
    ]);
  });
});
