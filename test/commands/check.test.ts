import { execSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { check } from '../kit/check.ts';
import { freeDisk } from '../kit/disk.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { type Desk, desk, rewrite } from '../kit/place.ts';
import { stuck } from '../kit/stuck.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openToOthersIn, temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

/** A Teller that runs, at noon. */
const running = (more: object = {}) => here(more, new FakeClock('2026-06-01T12:00:00Z'));

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const DEFAULT = { default: { token: TOKEN } };

test('check prints one line per finding: mark, code, sentence and what to do', async () => {
  const one = await running({ sites: DEFAULT });
  const { out, err, exit } = await one.run('check', '--offline');
  expect(exit).toBe(0);
  expect(out.split('\n').slice(0, 4)).toEqual([
    naming(/^ok {2}config {2}/, one.config, '1'),
    naming(/^ok {2}secrets {2}\S/),
    naming(/^ok {2}keys {2}/, path.join(one.folder, 'data/keys')),
    naming(/^ok {2}clock {2}/, '2026-06-01T12:00:00.000Z'),
  ]);
  expect(out.split('\n')).toContainEqual(
    naming(/^warning {2}practice {2}.*main.* → \S/, 'gameServers.main', '"rcon"'),
  );
  expect(err).toEqual(naming('0 problems', '2 warnings', '--offline'));
});

test('check changes nothing: it creates no ledger, lock or key; half a key pair and an unusable lock are problems, and the rest is checked', async () => {
  const one = desk();
  const data = path.join(one.folder, 'data');
  rmSync(path.join(data, 'keys/private.key'));
  mkdirSync(path.join(data, 'teller.db.lock'));
  const faulty = await check(one, '--offline');
  expect(faulty.exit).toBe(1);
  expect(faulty.of('key-missing')).toMatchObject([{ mark: 'problem' }]);
  expect(faulty.of('data-unwritable')).toMatchObject([{ mark: 'problem', sentence: naming(/\.lock/) }]);
  expect(faulty.of('ledger')).toMatchObject([{ mark: 'ok' }]);
  rmSync(data, { recursive: true });
  const { exit, of } = await check(one);
  expect(exit).toBe(0);
  expect(of('ledger-missing')).toMatchObject([{ mark: 'warning' }]);
  expect(of('keys-not-made')).toMatchObject([{ mark: 'warning', toDo: naming('`teller run`') }]);
  expect(existsSync(data)).toBe(false);
});

test('check exits 2 for an invalid config, with all of its problems, and for one that does not exist', async () => {
  const one = desk();
  rewrite(one, { listner: {}, ledger: 5, sites: { default: { token: 'YOUR_TOKEN_HERE' } } });
  const { exit, marks } = await check(one);
  const faults = ['problem config-unknown-key', 'problem config-value', 'problem secret-placeholder'];
  expect([exit, marks(/./).toSorted()]).toEqual([2, faults]);
  rmSync(one.config);
  const missing = await check(one);
  expect([missing.exit, missing.marks(/./)]).toEqual([2, ['problem config-missing']]);
  expect(missing.found[0]?.sentence).toEqual(naming(one.config, '--config'));
});

test('a missing secret file exits 2, like `run`, a variable that is not set in this shell is a warning, and the rest is checked', async () => {
  const password = (written: string) => ({
    gameServers: { main: { kind: 'rcon', password: written } },
    rewards: THANKS,
  });
  const one = desk(password('file:no-such-file'));
  const missing = await check(one);
  expect([missing.exit, missing.marks(/^secret-/)]).toEqual([2, ['problem secret-missing']]);
  const api = { baseUrl: 'https://list.example/api/v1', token: 'env:TELLER_TEST_UNSET' };
  rewrite(one, { ...password('env:TELLER_TEST_UNSET'), sites: { ...DEFAULT, 'List.com': { api } } });
  const unset = await check(one);
  expect(unset.of('secret-missing')).toEqual([]);
  const named = naming('gameServers.main.password', 'TELLER_TEST_UNSET');
  expect(unset.of('secret-not-here')).toContainEqual(
    expect.objectContaining({ mark: 'warning', sentence: named }),
  );
  expect(unset.of('api-unknown')).toMatchObject([
    { mark: 'warning', sentence: expect.stringMatching(/List\.com.*TELLER_TEST_UNSET/) },
  ]);
  expect(unset.marks(/^config$/)).toEqual(['ok config']);
  for (const { marks } of [missing, unset])
    expect(marks(/^(?:password-unknown|ledger)$/).toSorted()).toEqual([
      'ok ledger',
      'warning password-unknown',
    ]);
});

describe.skipIf(process.platform === 'win32')('files that other users can read', () => {
  test('are secrets of every channel and game server, also in the config', async () => {
    const api = { baseUrl: 'https://my-list.com/api/v1', token: 'file:api.token' };
    const webhook = { path: '/my-list', secret: 'file:webhook.secret', listingId: 'id' };
    const one = desk({
      sites: { default: { token: 'file:site.token' }, 'My-List.com': { api, webhook } },
      gameServers: { main: { kind: 'rcon', password: 'file:rcon.password' } },
      rewards: THANKS,
    });
    const found = async () =>
      (await check(one, '--offline')).of('secrets').map(({ mark, toDo }) => [mark, toDo]);
    const files = ['site.token', 'api.token', 'webhook.secret', 'rcon.password'].map((name) =>
      path.join(one.folder, name),
    );
    for (const file of files) writeFileSync(file, TOKEN);
    for (const file of [...files, one.config]) chmodSync(file, 0o644);
    expect(await found()).toEqual(files.map((file) => ['warning', `\`chmod 600 ${file}\``]));
    for (const file of files) chmodSync(file, 0o600);
    expect(await found()).toMatchObject([['ok', null]]);
    rewrite(one, {});
    chmodSync(one.config, 0o644);
    expect(await found()).toEqual([['warning', `\`chmod 600 ${one.config}\``]]);
  });

  test('are those of a ledger, with the command to type', async () => {
    const one = await running({ sites: DEFAULT });
    await one.vote({ player: 'Alex' });
    const data = path.join(one.folder, 'data');
    const files = ['', '-shm', '-wal'].map((end) => path.join(data, `teller.db${end}`));
    for (const places of [[data, ...files], files.slice(0, 1)]) {
      for (const place of places) chmodSync(place, 0o755);
      const { exit, of } = await check(one, '--offline');
      const told = of('ledger-open').map(({ toDo }) => toDo);
      expect([exit, told]).toEqual([0, [`\`chmod go= ${places.join(' ')}\``]]);
      execSync(`chmod go= ${places.join(' ')}`);
      expect((await check(one, '--offline')).of('ledger-open')).toEqual([]);
      expect(openToOthersIn(data)).toEqual(['keys/public.key']);
    }
  });
});

const SOME = expect.stringMatching(/\S/);
const NETWORK = ['203.0.113.0/24'];
const PROXY = { host: '127.0.0.1', port: 0, proxyProtocol: 'required' };
const unset = (baseUrl: string) => ({ api: { baseUrl, token: 'env:NOT_SET' } });

/** For all services without an entry, and these entries. */
const sites = (all: object, more: object = {}) => ({ sites: { default: all, ...more } });
const EVERYWHERE = ['0.0.0.0/0', '::/0'];

test.each<[found: string, config: object, sentence: unknown, toDo?: unknown]>([
  [
    'warning v1-open',
    sites({ token: TOKEN }, { 'A.com': { from: NETWORK }, 'B.com': {}, 'C.com': { from: EVERYWHERE } }),
    naming('default, B.com, C.com'),
  ],
  ['warning proxies-open', { listener: PROXY }, SOME, naming('listener.trustedProxies')],
  ['warning token-none', sites({}), SOME, naming('teller keys rotate token default')],
  [
    'warning api-plain',
    sites(DEFAULT.default, {
      'Plain.com': unset('http://list.example/api/v1'),
      'Safe.com': unset('https://list.example/api/v1'),
      'Here.com': unset('http://127.0.0.1:8000/api/v1'),
    }),
    naming('Plain.com', 'TLS'),
  ],
  [
    'warning rewards-misfit',
    {
      sites: { ...DEFAULT, 'Five.com': { game: 'fivem', ...unset('http://127.0.0.1:1/api/v1') }, Mine: {} },
      rewards: [
        { name: 'daily', commands: ['give {player} diamond'] },
        { name: 'hello', if: { site: 'Five.com' }, commands: ['say hello'] },
      ],
    },
    naming('Five.com', /daily\b.*\{player\}.*hello\b.*"when": "always"/),
    naming('{userId}', '"when": "always"', 'fivem'),
  ],
  [
    'warning total-filtered',
    {
      rewards: [
        { name: 'weekend', if: { votes: { every: 10 }, weekday: ['sat', 'sun'] }, commands: ['say hi'] },
        { name: 'streak', if: { streak: 7, weekday: ['sat', 'sun'] }, commands: ['say hi'] },
        { name: 'tenth', if: { votes: { every: 10, sites: ['List'] } }, commands: ['say hi'] },
      ],
    },
    naming('weekend', '`votes`', '`weekday`'),
    naming('votes.sites'),
  ],
  ['warning shadow', { pay: { mode: 'shadow' } }, SOME],
  ['warning shadow-alone', { pay: { mode: 'shadow' } }, SOME],
  ['warning hand-over', { pay: { from: '2026-06-01T12:01Z' } }, naming('2026-06-01T12:01:00.000Z')],
  ['ok hand-over', { pay: { from: '2026-06-01T12:00Z' } }, naming('2026-06-01T12:00:00.000Z')],
  ['ok time-zone', { timeZone: 'Europe/Berlin' }, naming('Europe/Berlin')],
])('the config alone shows: %s, %j', async (mark, config, sentence, toDo = expect.anything()) => {
  const [row, ...others] = (await check(desk(config))).of(mark.split(' ')[1] ?? '');
  expect([`${row?.mark} ${row?.code}`, others]).toEqual([mark, []]);
  expect([row?.sentence, row?.toDo ?? '']).toEqual([sentence, toDo]);
});

const ONLY_V2 = { host: '127.0.0.1', port: 0, protocols: ['v2'] };
const OLD = { kind: 'votifier', token: TOKEN };
const signed = (...protocols: string[]) => ({ token: TOKEN, protocols });

test.each<[code: string, config: object]>([
  ['v1-open', sites(signed('v2'), { 'A.com': { from: NETWORK, protocols: ['v1'] } })],
  ['v1-open', { listener: ONLY_V2, ...sites(signed('v1', 'v2')) }],
  ['proxies-open', { listener: { ...PROXY, trustedProxies: ['127.0.0.1/32'] } }],
  ['token-none', sites({ protocols: ['v1'] })],
  ['shadow-alone', { pay: { mode: 'shadow' }, gameServers: { old: OLD }, rewards: [] }],
])('%s is not found with %j', async (code, config) => {
  expect((await check(desk(config), '--offline')).of(code)).toEqual([]);
});

test('placeholders that Teller does not fill in, and colour codes that Minecraft shows as text, are named by what runs them', async () => {
  const commands = ['say &6{partyLeft} {rank}', 'say &6{partyLeft} {rank}', 'broadcast &6%a_b%'];
  const one = desk({
    rewards: [{ name: 'thanks', when: 'always', commands }],
    party: [
      { name: 'feast', every: 5, announce: ['say &6{left} left'], commands: ['give {player} {prize}'] },
    ],
    tops: [{ name: 'best', period: 'month', prizes: { 1: ['give {player} %crate%'] } }],
    publish: [{ name: 'board', commands: ['say {top1} {top11}'] }],
    remind: [{ name: 'again', commands: ['tell {player} {sites_left}'] }],
  });
  const { of } = await check(one, '--offline');
  expect(of('placeholder-unknown').map(({ mark, sentence }) => [mark, sentence])).toEqual([
    ['warning', naming('reward thanks', '{partyLeft}')],
    ['warning', naming('reward thanks', '{rank}')],
    ['warning', naming('reward thanks', '%a_b%')],
    ['warning', naming('party feast', '{prize}')],
    ['warning', naming('party feast', '{left}')],
    ['warning', naming('top best', '%crate%')],
    ['warning', naming('publish board', '{top11}')],
    ['warning', naming('remind again', '{sites_left}')],
  ]);
  expect(of('colour-code').map(({ mark, sentence }) => [mark, sentence])).toEqual([
    ['warning', naming('thanks', '&6')],
    ['warning', naming('party feast', '&6')],
  ]);
});

const ledgerOf = ({ folder }: Desk): string => path.join(folder, 'data/teller.db');

test('the ledger is a problem if the file is none, and is read completely with --deep', async () => {
  const one = desk();
  const [shallow] = (await check(one, '--offline')).of('ledger');
  const [deep] = (await check(one, '--offline', '--deep')).of('ledger');
  expect(deep).toMatchObject({ mark: 'ok' });
  expect(deep?.sentence).not.toBe(shallow?.sentence);
  rewrite(one, { ledger: 'other.db' });
  writeFileSync(path.join(one.folder, 'other.db'), 'this is no database, and long enough to be looked at');
  const { exit, of } = await check(one, '--offline');
  expect([exit, of('ledger-corrupt')]).toMatchObject([1, [{ mark: 'problem' }]]);
});

test('the ledger is a problem if its latest writes are missing, with the file to put back, and has warnings for grants that need a decision', async () => {
  const { teller } = await stuck();
  const found = await check(teller, '--offline');
  expect(found.exit).toBe(0);
  expect(found.of('grants-stuck')).toMatchObject([
    {
      sentence: naming('main', '1 grant', 'held', 'A command may have run', '[no-frame]'),
      toDo: naming('`teller grants --state held`'),
    },
    {
      sentence: naming('1 grant', 'refused'),
      toDo: naming('`teller grants --state refused`', '`teller grants pay --rerender`'),
    },
  ]);
  const ledger = ledgerOf(teller);
  await teller.restart(async () => {
    renameSync(ledger, `${ledger}.placed`);
    copyFileSync(ledgerOf(desk()), ledger);
    const { exit, of } = await check(teller, '--offline');
    const sentence = naming(`${ledger}-wal`);
    expect([exit, of('ledger-behind')]).toMatchObject([1, [{ mark: 'problem', sentence }]]);
    renameSync(`${ledger}.placed`, ledger);
  });
});

test('the ledger has one warning per kind of reply that looks like a failure, with the config entry that would refuse it', async () => {
  const game = await rconGame();
  const rewards = [{ name: 'bank', when: 'always', commands: ['bank {player}'] }];
  const one = await running({ gameServers: { main: game.entry }, rewards });
  for (const player of ['Steve', 'Alex']) await one.vote({ player });
  await one.untilGrants('delivered', 'delivered');
  const entry = '\\S+ has no account here';
  expect((await check(one, '--offline')).of('replies-doubtful')).toMatchObject([
    { mark: 'warning', toDo: naming(JSON.stringify(entry), 'gameServers.main.refusedReplies') },
  ]);
  rewrite(one, { rewards, gameServers: { main: { ...game.entry, refusedReplies: [entry] } } });
  expect((await check(one, '--offline')).of('replies-doubtful')).toEqual([]);
});

test('the ledger is on a disk with less than 32 MiB, which is a problem, or less than 1,024 MiB', async () => {
  const one = desk();
  const free = freeDisk();
  const BYTE = 1 / (1024 * 1024);
  for (const [mib, found] of [
    [32 - BYTE, 'problem ledger-full'],
    [32, 'warning disk-low'],
    [1_024 - BYTE, 'warning disk-low'],
    [1_024, 'ok disk'],
  ] as const) {
    free.mib = mib;
    const { marks, of } = await check(one, '--offline');
    expect(marks(/^(?:disk|ledger-full)/)).toEqual([found]);
    expect(of(found.split(' ')[1] ?? '')[0]?.sentence).toContain(path.join(one.folder, 'data'));
  }
});

test('the counts of a deep check are right after votes, imports and voids, and are corrected where they are not; a check that is not deep leaves them alone', async () => {
  const one = desk({ sites: { List: {} } });
  one.clock.set('2026-06-05T12:00:00Z');
  const votes = ['Steve,01', 'Steve,02', 'Steve,03', 'Steve,05', 'Alex,05'];
  for (const [player = '', day] of votes.map((vote) => vote.split(',')))
    await one.run(
      ...['votes', 'add', '--player', player, '--site', 'List', '--at', `2026-06-${day}T11:00:00Z`],
    );
  const database = new Sqlite(ledgerOf(one));
  onTestFinished(() => void database.close());
  const counts = () =>
    [
      'SELECT id, counted, run_from, run_to FROM players',
      'SELECT * FROM voted_runs',
      'SELECT * FROM vote_days',
      'SELECT service, sum(counted) FROM service_days GROUP BY service',
      'SELECT counted, month_counted FROM balances',
    ].map((sql) => database.prepare(sql).all());
  const found = async (...words: string[]) => (await check(one, '--offline', ...words)).marks(/^counts/);
  expect(await found('--deep')).toEqual(['ok counts']);

  // On the fifth, a plugin had counted seven votes of Steve, three of them in June and one on that day.
  const plugin = temporaryFolder({ 'VoteSites.yml': 'VoteSites: {}\n' });
  const users = new Sqlite(path.join(plugin, 'Users.db'));
  users.exec(`CREATE TABLE Users (PlayerName, AllTimeTotal, MonthTotal, WeeklyTotal, DailyTotal);
    INSERT INTO Users VALUES ('Steve', 7, 3, 5, 1)`);
  users.close();
  for (const name of ['Users.db', 'VoteSites.yml'])
    utimesSync(path.join(plugin, name), 0, one.clock.now() / 1000);
  expect((await one.run('import', 'players', 'votingplugin', plugin)).err).toBe('');
  const before = counts();
  for (const damage of [
    'UPDATE players SET counted = 99 WHERE id = 1',
    // A run that is missing, and one that is too long.
    'DELETE FROM voted_runs',
    'UPDATE players SET run_to = run_to + 3 WHERE id = 2',
    // Days and totals of players and services that have too many votes, too few, or are missing.
    'UPDATE vote_days SET votes = votes + 1 WHERE player_id = 1 AND day < 90000',
    'UPDATE vote_days SET counted = 0 WHERE player_id = 2 AND day > 90000',
    "INSERT INTO vote_days VALUES (2, 20000, 'List', 1, 1)",
    'DELETE FROM vote_days',
    "UPDATE service_days SET counted = counted + 1 WHERE service = 'List'",
    "UPDATE service_days SET counted = counted - 1 WHERE service = ''",
    'DELETE FROM service_days',
    // Imported counts.
    'UPDATE balances SET counted = 8',
    'UPDATE balances SET month_counted = 4',
  ]) {
    database.exec(damage);
    expect(counts(), damage).not.toEqual(before);
    expect(await found('--deep'), damage).toEqual(['warning counts-rebuilt']);
    expect(counts(), damage).toEqual(before);
  }
  expect(await found('--deep')).toEqual(['ok counts']);
  await one.run('votes', 'void', '2', '5', '--reason', 'forged', '--yes');
  expect(await found('--deep')).toEqual(['ok counts']);
  database.exec('DELETE FROM voted_runs');
  expect(await found()).toEqual([]);
});
