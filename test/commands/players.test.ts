import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { type Clerk, clerk } from '../kit/clerk.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import type { Desk } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming, refused } from '../support/naming.ts';

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
  await teller.until(async () =>
    JSON.stringify(await shown(teller, name)).includes(`"onlineUuid":"${uuid}"`),
  );
}

const shown = async ({ run }: Pick<Desk, 'run'>, name: string) =>
  (await run('players', 'show', name, '--json')).json ?? [];

const merge = ({ run }: Pick<Desk, 'run'>) => run('players', 'merge', 'Sasha', '--into', 'Alex', '--yes');

test('players show shows the names, the UUIDs and who joined them, and nothing that the votes of both have reached', async () => {
  const teller = await alexOnline();
  await merge(teller);
  const { out, exit } = await teller.run('players', 'show', 'sasha');
  const lines = out.split('\n');
  expect([exit, lines[0]]).toEqual([0, naming('alex', '4 votes')]);
  expect(lines).toContainEqual(naming('alex', ALEX));
  expect(lines).toContainEqual(expect.stringMatching(/2026-06-01T12:00:.*\bsasha joined by \S/));
  expect(out).not.toContain('total 3');
});

test('players show --json has every player who has or had the name, the present one first; a merge of two UUIDs is refused', async () => {
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
  const { out } = await teller.run('players', 'show', 'Alex');
  expect(out.split('\n')).toContainEqual(naming('nobody', 'UUID'));
  await joins(teller, 'Sasha', '069a79f4-44e9-4726-a5be-fca90e38aaf5');
  expect(await merge(teller)).toEqual(refused(1, '[players-differ]'));
});

test('players merge asks first, joins the names, after which every command finds the player by either, and is refused for one player already', async () => {
  const one = await alexAndSasha();
  const no = await one.runBy({}, 'players', 'merge', 'Sasha', '--into', 'Alex');
  expect(no).toEqual(refused(1, '[not-confirmed]'));
  expect(no.asked).toEqual([naming('Sasha', 'Alex', '`teller players split Sasha`')]);
  expect(await shown(one, 'Sasha')).toMatchObject([{ votes: 2 }]);
  for (const [words, exit, code] of [
    ['show Kim', 1, 'player-missing'],
    ['forget Kim --yes', 1, 'player-missing'],
    ['split Sasha --yes', 1, 'player-not-joined'],
    ['merge !a --into Alex --yes', 2, 'player-not-allowed'],
  ] as const)
    expect(await one.run('players', ...words.split(' '))).toEqual(refused(exit, `[${code}]`));

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
  expect(await merge(one)).toEqual(refused(1, '[players-same]'));
});

test('players merge is undone by a split, and preview and votes add judge by the joined history until then', async () => {
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

test('players forget asks by every name, leaves votes without one, and says that the -wal still names them while another program reads the ledger', async () => {
  const one = await alexAndSasha();
  await one.vote('Kim', 'First.net');
  await merge(one);
  const program = new Database(join(one.folder, 'data/teller.db'), { readonly: true });
  program.exec('BEGIN');
  program.prepare('SELECT count(*) FROM votes').get();
  const { out, err, exit, asked } = await one.runBy({ answers: [true] }, 'players', 'forget', 'Sasha');
  expect(asked).toEqual([naming('alex', 'sasha', 'cancelled')]);
  expect([exit, out.split('\n')[0]]).toEqual([0, naming('forgotten-1', '4 votes')]);
  expect(err).toEqual(naming('note', '-wal'));
  program.close();
  expect(await one.run('players', 'forget', 'Kim', '--yes')).toMatchObject({ exit: 0, err: '' });
  expect((await one.run('votes')).out).not.toMatch(/alex|sasha|kim/i);
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

test('a name with spaces in a vote is that with _ for each, if single spaces stand between allowed characters, and the trace shows what was sent', async () => {
  const { teller } = await paying();
  for (const player of ['Bob Jr', '.Bob Jr']) await teller.vote({ player, site: `of ${player}` });
  const [row] = await traces(teller, 'Bob_Jr');
  expect(row).toMatchObject({ player: 'Bob_Jr', recipient: 'bob_jr', sentAs: 'Bob Jr' });
  expect((await teller.run('explain', 'bob jr')).out).toContain('Bob Jr');
  expect(await traces(teller, '.Bob_Jr')).toMatchObject([{ player: '.Bob_Jr', sentAs: '.Bob Jr' }]);
  for (const player of ['Eve_Jr', 'Eve Jr']) {
    await teller.vote({ player });
    await teller.pass(1_000);
  }
  expect(await traces(teller, 'Eve_Jr')).toMatchObject([{ decision: 'rewarded' }, { decision: 'cooldown' }]);
  for (const player of ['Bob  Jr', 'Bob\tJr', 'Bob @a', 'Bob Jr]', 'A B C D E F G H I'])
    expect(await teller.vote({ player })).not.toBe('ok');
});

test('grants pay ID --player pays that player instead, whose name is read as in a vote, and every trace shows the original player', async () => {
  const { game, teller } = await waiting();
  const pay = (name: string) => teller.run('grants', 'pay', '1', '--player', name);
  for (const name of ['@a', 'Bed"Head', '!Steve', 'A2345678901234567', 'Steve; op Steve'])
    expect(await pay(name)).toEqual(refused(2, '[player-not-allowed]'));
  expect(await grantsOf(teller)).toMatchObject([{ state: 'waiting', player: 'BedHead' }]);
  const { out, exit } = await pay('.Bed Head');
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
  expect(await pay('Kim')).toEqual(refused(1, '[grant-moved-on]'));
});

test('explain says which player is probably meant by a vote without a Bedrock prefix: one who was seen with it and a UUID or has voted with it, also truncated to 16 characters; nobody is paid because of that', async () => {
  const { game, teller } = await waiting();
  const explained = async (name: string) => (await teller.run('explain', name)).out;
  expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: null }]);
  expect(await explained('BedHead')).not.toContain('--player');
  game.show('*bedhead (00000000-0000-0000-0009-01f000000001)');
  await teller.until(async () => (await explained('BedHead')).includes("grants pay 1 --player '*BedHead'"));
  expect((await traces(teller, 'BedHead'))[0].grants).toMatchObject([{ likelyPlayer: '*BedHead' }]);
  for (const name of ['Kim', 'Sixteen_Letters_']) await teller.vote({ player: name });
  for (const name of ['.Kim', '.Sixteen_Letters']) await teller.vote({ player: name, site: 'Other' });
  await teller.untilGrants('waiting', 'waiting', 'waiting', 'waiting', 'waiting');
  expect(await explained('Kim')).toContain('grants pay 2 --player .Kim');
  expect((await traces(teller, 'Sixteen_Letters_'))[0].grants).toMatchObject([
    { likelyPlayer: '.Sixteen_Letters' },
  ]);
  expect(game.ran).toEqual([]);
});
