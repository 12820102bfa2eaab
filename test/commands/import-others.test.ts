import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { here } from '../kit/here.ts';
import { type Desk, desk } from '../kit/place.ts';
import { typed } from '../kit/typed.ts';
import { grantsOf } from '../kit/witness.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { makePipe, temporaryFolder, writeKeyPair } from '../support/folder.ts';
import { refused } from '../support/naming.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../plugins/samples');

/** A Teller's folder with these files, into which a plugin's config is imported. */
function setting(teller: Readonly<Record<string, string>> = {}, hasKeys = true) {
  const into = temporaryFolder(teller);
  if (hasKeys) writeKeyPair(path.join(into, 'data/keys'));
  const file = path.join(into, 'config.json');
  const run = (...words: string[]) =>
    typed(['import', ...words], file, new FakeClock('2026-06-01T12:00:00Z'));
  const results = async (...words: string[]) => {
    const { json, exit } = await run(...words, '--json');
    const all: readonly { what: string; result: string }[] = json;
    const written = all.filter(({ result }) => result !== 'not-imported');
    return { exit, rows: written.map(({ what, result }) => `${result} ${what}`), all };
  };
  return { into, file, run, results, text: () => readFileSync(file, 'utf8') };
}

const VOTING = path.join(SAMPLES, 'votingplugin');

test('import votingplugin creates a config with its sites and rewards, which loads, unless --dry-run is given, and finds everything unchanged the second time', async () => {
  const { run, results, file, into, text } = setting({}, false);
  const dry = await run('votingplugin', VOTING, '--dry-run');
  expect([dry.exit, dry.err]).toEqual([0, expect.stringContaining('without --dry-run')]);
  expect(dry.out).toMatch(/^taken +reward PlanetMinecraft +into rewards$/m);
  expect(dry.out).toContain('"message": "&aThanks for voting on {site}!"');
  expect([existsSync(file), existsSync(path.join(into, 'data'))]).toEqual([false, false]);
  const { exit, rows, all } = await results('votingplugin', VOTING);
  expect(exit).toBe(0);
  expect(rows).toContain('taken site MCList.example');
  expect(rows).toContain('replaced rewards thanks, each-vote, daily');
  const config = await loadConfig(file);
  const sites = ['default', 'PlanetMinecraft.com', 'MCList.example', 'lucky.example'];
  expect([...config.sites.keys()]).toEqual(sites);
  const names = config.rewards.map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['every-site', 'PlanetMinecraft', 'MCList']);
  expect(names).not.toContain('daily');
  expect(all.filter(({ result }) => result === 'not-imported')).toHaveLength(27);
  const before = text();
  const again = await results('votingplugin', VOTING);
  expect(again.rows.filter((row) => !row.startsWith('same '))).toEqual([]);
  expect([again.exit, text()]).toEqual([0, before]);
});

test('import votingplugin adds to entries that exist, such as those with the tokens of the listings, and keeps comments', async () => {
  const config = `{
  // mine
  "sites": { "MCList.example": { "token": "0123456789abcdef" } },
  "rewards": [
    { "name": "own", "commands": ["say own"] } // the first
  ]
}
`;
  const { results, text, file } = setting({ 'config.json': config });
  const { exit, rows } = await results('votingplugin', VOTING);
  expect(exit).toBe(0);
  expect(rows.filter((row) => row.includes('MCList.example'))).toEqual([
    'taken label of site MCList.example',
    'taken cooldown of site MCList.example',
    'taken url of site MCList.example',
  ]);
  expect(text()).toContain('// mine');
  expect(text()).toContain('// the first');
  const loaded = await loadConfig(file);
  expect(loaded.sites.get('MCList.example')?.token?.reveal()).toBe('0123456789abcdef');
  expect(loaded.rewards.map(({ name }) => name).slice(0, 2)).toEqual(['own', 'every-site']);
});

test('import votingplugin replaces the rewards of a first start also where several game servers make them faulty, and pays on the one that a player is on', async () => {
  const gameServers = { lobby: { kind: 'practice' }, survival: { kind: 'practice' } };
  const example = path.resolve(import.meta.dirname, '../../config.example.json');
  const { rewards: first } = JSON.parse(readFileSync(example, 'utf8'));
  for (const config of [{ gameServers, rewards: first }, { gameServers }]) {
    const { run, results, file } = setting({ 'config.json': JSON.stringify(config) });
    expect((await run('votingplugin', VOTING)).err).toContain('[usage]');
    const { exit, rows, all } = await results('votingplugin', VOTING, '--servers', 'where-online');
    expect(exit).toBe(0);
    expect(rows).toContain('replaced rewards thanks, each-vote, daily');
    expect(all).toContainEqual(
      expect.objectContaining({ result: 'not-imported', what: 'when of reward MCList' }),
    );
    const { rewards } = await loadConfig(file);
    expect(rewards.map(({ name }) => name)).not.toContain('thanks');
    const both = ['lobby', 'survival'];
    expect(rewards.map(({ whereOnline, servers, when }) => [whereOnline, servers, when])).toEqual(
      rewards.map(() => [true, both, 'online']),
    );
  }
});

test('import of a converted config does not overwrite what the operator has: it writes nothing, or the rest with --keep-existing', async () => {
  const own = JSON.stringify({
    sites: { 'MCList.example': { cooldown: '20h' } },
    rewards: [{ name: 'every-site', commands: ['say mine'] }],
  });
  const { results, text, file } = setting({ 'config.json': own });
  const { exit, rows } = await results('votingplugin', VOTING);
  const kept = ['kept cooldown of site MCList.example', 'kept reward every-site'];
  expect([exit, rows.filter((row) => !/^(blocked|same) /.test(row)), text()]).toEqual([1, kept, own]);
  const rest = await results('votingplugin', VOTING, '--keep-existing');
  expect([rest.exit, rest.rows]).toEqual([1, expect.arrayContaining(kept.slice(0, 1))]);
  const config = await loadConfig(file);
  expect(config.rewards.map(({ name }) => name).slice(0, 2)).toEqual(['every-site', 'PlanetMinecraft']);
  expect([...config.sites.keys()]).toContain('PlanetMinecraft.com');
});

test('the first of many keys are printed, and how many there are, and --json has all', async () => {
  const plugin = temporaryFolder({
    'Config.yml': ['A', 'B', 'C', 'D', 'E'].map((key) => `Unknown${key}: 1\n`).join(''),
    'VoteSites.yml': readFileSync(path.join(VOTING, 'VoteSites.yml'), 'utf8'),
  });
  const { run, results } = setting();
  const { out } = await run('votingplugin', plugin, '--dry-run');
  expect(out).toContain('Config.yml: UnknownA, UnknownB, UnknownC and 2 more  ');
  expect((await results('votingplugin', plugin, '--dry-run')).all).toContainEqual(
    expect.objectContaining({ what: 'Config.yml: UnknownA, UnknownB, UnknownC, UnknownD, UnknownE' }),
  );
});

test('import votingplugin is refused for a folder without it, or with a file that is no YAML mapping, and found in that of the server in any case', async () => {
  const { run } = setting();
  for (const [files, code] of [
    [{}, 'import-nothing'],
    [{ 'VoteSites.yml': 'a: [' }, 'import-unreadable'],
    [{ 'VoteSites.yml': '- a\n' }, 'import-unreadable'],
  ] as const) {
    const { err, exit } = await run('votingplugin', temporaryFolder(files));
    expect([exit, err]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  }
  const server = temporaryFolder({ 'plugins/VotingPlugin/votesites.yml': 'VoteSites: {}\n' });
  expect((await run('votingplugin', server, '--dry-run')).out).toContain(
    path.join(server, 'plugins/VotingPlugin'),
  );
});

const FIFTIES = [{ name: 'fifties', if: { votes: { every: 50 } }, commands: ['give {player} emerald 1'] }];
const NOTCH = '069a79f4-44e9-4726-a5be-fca90e38aaf5';
/** 31 May 2026, 12:00 in UTC. */
const LAST = Date.UTC(2026, 4, 31, 12);

function votingPlugin({ folder }: Desk, total: number, name = 'Notch'): string {
  const dir = path.join(folder, 'VotingPlugin');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'VoteSites.yml'), 'VoteSites:\n  List:\n    ServiceSite: List.net\n');
  const player = {
    ...{ uuid: NOTCH, PlayerName: name, AllTimeTotal: String(total), DayVoteStreak: '12' },
    ...{ BestDayVoteStreak: '40', DayVoteStreakLastUpdate: String(LAST), LastVotes: `List//${LAST}` },
  };
  const database = new Sqlite(path.join(dir, 'Users.db'));
  database.exec(`CREATE TABLE Users (${Object.keys(player).map((column) => `${column} TEXT`)})`);
  database.prepare('INSERT INTO Users VALUES (?, ?, ?, ?, ?, ?, ?)').run(Object.values(player));
  database.close();
  return dir;
}

const importingPlayers = ({ run }: Desk, ...words: readonly string[]) => run('import', 'players', ...words);

test('import players stores those of VotingPlugin once, and players show says from where; other values are listed, and the first ones stay', async () => {
  const one = desk({ rewards: FIFTIES });
  const ran = await importingPlayers(one, 'votingplugin', votingPlugin(one, 120));
  expect(ran).toMatchObject({ exit: 0, err: '' });
  expect(ran.out).toContain(': 1, of which imported: 1, the same as before: 0');
  expect(ran.out).toContain('last votes on a site: 1 imported');
  expect(ran.out).not.toContain('reached elsewhere');
  expect(ran.out).not.toContain('not kept');
  const same = await importingPlayers(one, 'votingplugin', votingPlugin(one, 120));
  expect([same.exit, same.out]).toEqual([0, expect.stringContaining('imported: 0, the same as before: 1')]);
  const again = await importingPlayers(one, 'votingplugin', votingPlugin(one, 130));
  expect(again.exit).toBe(0);
  expect(again.out).toContain('other values than in an earlier import: 1; those of the earlier one stay');
  expect(again.out).toContain('  Notch: 120 votes in all before, now 130');
  const { out } = await one.run('players', 'show', 'Notch');
  expect(out).toContain('notch: 120 votes in totals');
  expect(out).toContain('imported from votingplugin for notch, as of ');
  expect(out).toContain(': 120 votes in all, 119 of them not in the ledger as votes');
  expect(out).toContain(': 12 days in a row\n');
  expect(out).toContain(`imported from votingplugin for notch: UUID ${NOTCH}, which joins nothing`);
  expect(out).toMatch(/: notch imported, votingplugin by \S/);
  expect(out).not.toContain('reached elsewhere');
});

test('import players pays nothing that the figures have reached, and the operator can give any of it once', async () => {
  const one = desk({ rewards: FIFTIES });
  await importingPlayers(one, 'votingplugin', votingPlugin(one, 1_020));
  expect(await grantsOf(one)).toEqual([]);
  const give = (count: number) =>
    one.run('reward', 'fifties', '--player', 'Notch', '--occasion', `total ${count}`);
  expect(await give(500)).toMatchObject({ exit: 0 });
  expect((await give(500)).err).toContain('[occasion-spent]');
  expect((await give(550)).exit).toBe(0);
});

test('import players lists what cannot be imported as text that a terminal shows as it is, and refuses a pipe instead of waiting for it', async () => {
  const one = desk({ rewards: FIFTIES });
  const dir = votingPlugin(one, 120, '\u001b[2J\u202e');
  const { exit, out } = await importingPlayers(one, 'votingplugin', dir);
  expect([exit, out.match(/[^\P{C}\n]/u)]).toEqual([1, null]);
  expect(out).toContain('not imported: 1 entry');
  expect(out).toContain('u202e');
  if (process.platform === 'win32') return;
  for (const name of ['players.csv', 'players.db', 'players.tsv']) {
    makePipe(path.join(one.folder, name));
    const pipe = await importingPlayers(one, 'votingplugin', dir, '--data', path.join(one.folder, name));
    expect(pipe).toEqual(refused(2, /\[import-unreadable\]$/));
  }
});

test('import players takes a table of any number of players from any program, in portions, and prints JSON for scripts', async () => {
  const one = desk();
  const rows = [
    ['uuid', 'last_name', 'votes', 'last_vote'],
    [NOTCH, 'Notch', '312', '2026-05-31 12:00:00'],
    [NOTCH, '@a', 'NULL', 'NULL'],
    ...Array.from({ length: 449 }, (_, n) => [
      NOTCH.replace(/.{4}$/, String(1_000 + n)),
      `P${n}`,
      '7',
      'NULL',
    ]),
  ];
  const file = path.join(one.folder, 'players.tsv');
  writeFileSync(file, rows.map((row) => `${row.join('\t')}\n`).join(''));
  expect((await importingPlayers(one, 'table', file, '--json')).json).toMatchObject([
    { source: 'table', players: 450, stored: 450, same: 0, differing: 0, faulty: 1 },
  ]);
  expect((await one.run('players', 'show', 'Notch', '--json')).json).toMatchObject([
    { votes: 312, balances: [{ source: 'table', what: 'total', stated: 312, counted: 312 }] },
  ]);
  expect((await one.run('players', 'show', 'P448', '--json')).json).toMatchObject([{ votes: 7 }]);
});

test('an imported last vote keeps its player from being paid again within the cooldown', async () => {
  const one = desk({ sites: { 'List.net': {} }, rewards: FIFTIES });
  await importingPlayers(one, 'votingplugin', votingPlugin(one, 120));
  const add = (at: string) => ['votes', 'add', '--player', 'Notch', '--site', 'List.net', '--at', at];
  const decided = async (at: string) => (await one.run(...add(at), '--json')).json[0].decision;
  expect(await decided('2026-06-01T11:59:59Z')).toBe('cooldown');
  one.clock.set('2026-06-01T12:00:00.001Z');
  expect(await decided('2026-06-01T12:00:00Z')).toBe('rewarded');
});

const DAILY_AND_PAIR = [
  { name: 'daily', commands: ['give {player} diamond 1'] },
  { name: 'pair', if: { votes: { every: 2 } }, commands: ['give {player} emerald 1'] },
];

function importingVotes({ folder, run }: Desk, lines: readonly string[], ...words: readonly string[]) {
  const file = path.join(folder, 'votes.csv');
  writeFileSync(file, `${['player,service,time', ...lines].join('\n')}\n`);
  return run('import', 'votes', file, ...words);
}

const STEVES = ['Steve,List.net,2026-05-10T12:00:00Z', 'Steve,List.net,2026-05-11T12:00:00Z'];

test('import votes stores them once and without paying, unless the operator orders what they reached', async () => {
  const one = desk({ rewards: DAILY_AND_PAIR });
  await one.run('votes', 'add', '--player', 'Ben', '--site', 'List.net');
  const lines = [...STEVES, 'Steve,List.net,2026-05-11T13:00:00Z'];
  const ran = await importingVotes(one, lines);
  expect(ran).toMatchObject({ exit: 0, err: '' });
  expect(ran.out.split('\n')[0]).toBe('votes imported: 3, of which in totals: 2');
  expect((await importingVotes(one, lines, '--json')).json).toEqual([
    { counted: 0, uncounted: 0, same: 3, receivedHere: 0, passed: 0, faulty: 0, faults: [] },
  ]);
  const shown = async () => (await one.run('players', 'show', 'Steve')).out;
  expect(await shown()).toContain('steve: 2 votes in totals');
  expect(await shown()).toContain('reached elsewhere, not paid here: pair for total 2');
  const { json } = await one.run('votes', '--player', 'Steve', '--json');
  const decisions = json.map(({ decision }: { decision: string }) => decision);
  expect(decisions.toSorted()).toEqual(['cooldown', 'rewarded', 'rewarded']);
  for (const { id } of json)
    expect(await one.run('votes', 'reward', String(id), '--yes')).toEqual(refused(1, '[vote-imported]'));
  expect(await grantsOf(one)).toEqual(['Ben daily main: pending']);
  const words = ['pair', '--player', 'Steve', '--occasion', 'total 2'];
  expect(await one.run('reward', ...words)).toMatchObject({ exit: 0 });
  expect(await grantsOf(one)).toEqual(['Ben daily main: pending', 'Steve pair total 2 main: pending']);
  expect(await shown()).not.toContain('reached elsewhere, not paid');
});

test('import votes lists the lines that are no vote, as text that a terminal shows as it is, and imports the others; a pipe is refused', async () => {
  const one = desk({ rewards: DAILY_AND_PAIR });
  const evil = '\u001b[2J\u009b31m\u202e';
  const faulty = [`${evil},List.net,${evil}`, `Steve,List.net,${evil}`, 'Steve,List.net,2030-01-01'];
  const { out } = await importingVotes(one, faulty);
  expect(out.match(/[^\P{C}\n]/u)).toBeNull();
  expect(out).toContain('\\u202e');
  const { json, exit } = await importingVotes(one, [...faulty, ...STEVES], '--json');
  expect([exit, json]).toMatchObject([
    1,
    [
      {
        ...{ counted: 2, faulty: 3 },
        faults: [{ line: 2 }, { line: 3 }, { line: 4, why: 'has a time in the future' }],
      },
    ],
  ]);
  if (process.platform === 'win32') return;
  makePipe(path.join(one.folder, 'pipe.csv'));
  const pipe = await one.run('import', 'votes', path.join(one.folder, 'pipe.csv'));
  expect(pipe).toEqual(refused(2, /\[import-unreadable\]$/));
});

test('import votes leaves out votes that Teller has received itself by then', async () => {
  const one = await here({ rewards: DAILY_AND_PAIR }, new FakeClock('2026-05-11T00:00:00Z'));
  await one.vote({ player: 'Ben', site: 'List.net' });
  one.clock.jump(20 * 86_400_000);
  const ran = await importingVotes(one, STEVES);
  expect(ran.out).toContain('left out: 1, cast when Teller received votes of their service');
});

test('explain says that a vote was imported, and promises no payment in the window that unlisted services share', async () => {
  const one = desk({ rewards: DAILY_AND_PAIR });
  await importingVotes(one, [
    'Steve,First.net,2026-05-10T12:00:00Z',
    'Steve,Second.net,2026-05-10T13:00:00Z',
  ]);
  const { out } = await one.run('explain', 'Steve');
  expect(out).toContain('unlisted, so counted for its day and not rewarded: ');
  expect(out).not.toContain('votes reward');
  expect(out).not.toContain('pays this vote');
  expect(out).toContain('imported, votes by ');
  expect(out).toContain('not paid here: it is of the time before Teller');
});
