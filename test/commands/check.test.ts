import { execSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { here } from '../kit/here.ts';
import { desk, rewrite } from '../kit/place.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openToOthersIn } from '../support/folder.ts';
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

test('check changes nothing: it creates no ledger, lock or key', async () => {
  const one = desk();
  rmSync(path.join(one.folder, 'data'), { recursive: true });
  const { exit, of } = await check(one);
  expect(exit).toBe(0);
  expect(of('ledger-missing')).toMatchObject([{ mark: 'warning' }]);
  expect(of('keys-not-made')).toMatchObject([{ mark: 'warning', toDo: naming('`teller run`') }]);
  expect(existsSync(path.join(one.folder, 'data'))).toBe(false);
});

test('check exits 2 for an invalid config, with all of its problems, and for one that does not exist', async () => {
  const one = desk();
  rewrite(one, { listner: {}, ledger: 5, sites: { default: { token: 'YOUR_TOKEN_HERE' } } });
  const { exit, marks } = await check(one);
  const faults = ['problem config-unknown-key', 'problem config-value', 'problem secret-placeholder'];
  expect([exit, marks(/./).toSorted()]).toEqual([2, faults]);
  rmSync(one.config);
  const missing = await check(one);
  const sentence = naming(one.config, '--config');
  expect([missing.exit, missing.found]).toMatchObject([
    2,
    [{ mark: 'problem', code: 'config-missing', sentence }],
  ]);
});

test('a missing secret file exits 2, like `run`, a variable that is not set in this shell is a warning, and the rest is checked', async () => {
  const password = (written: string) => ({
    gameServers: { main: { kind: 'rcon', password: written } },
    rewards: THANKS,
  });
  const one = desk(password('file:no-such-file'));
  const missing = await check(one);
  expect([missing.exit, missing.of('secret-missing')]).toMatchObject([2, [{ mark: 'problem' }]]);
  const api = { baseUrl: 'https://list.example/api/v1', token: 'env:TELLER_TEST_UNSET' };
  rewrite(one, { ...password('env:TELLER_TEST_UNSET'), sites: { ...DEFAULT, 'List.com': { api } } });
  const unset = await check(one);
  expect(unset.of('secret-missing')).toEqual([]);
  expect(unset.of('secret-not-here')).toContainEqual(
    expect.objectContaining({
      ...{ mark: 'warning', sentence: naming('gameServers.main.password', 'TELLER_TEST_UNSET') },
    }),
  );
  expect(unset.of('api-unknown')).toMatchObject([
    { mark: 'warning', sentence: expect.stringMatching(/List\.com.*TELLER_TEST_UNSET/) },
  ]);
  expect(unset.of('config')).toMatchObject([{ mark: 'ok' }]);
  for (const { of } of [missing, unset]) {
    expect(of('password-unknown')).toMatchObject([{ mark: 'warning' }]);
    expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
  }
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
    const places = [data, ...['', '-shm', '-wal'].map((end) => path.join(data, `teller.db${end}`))];
    chmodSync(data, 0o755);
    for (const file of places.slice(1)) chmodSync(file, 0o644);
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(0);
    const [{ toDo } = { toDo: null }, ...others] = of('ledger-open');
    expect([toDo, others]).toEqual([`\`chmod go= ${places.join(' ')}\``, []]);
    execSync(String(toDo).replaceAll('`', ''));
    expect((await check(one, '--offline')).of('ledger-open')).toEqual([]);
    expect(openToOthersIn(data)).toEqual(['keys/public.key']);
  });
});

test('a public key without its private key, and an unusable lock, are problems, and the rest is checked', async () => {
  const one = desk();
  rmSync(path.join(one.folder, 'data/keys/private.key'));
  mkdirSync(path.join(one.folder, 'data/teller.db.lock'));
  const { exit, of } = await check(one, '--offline');
  expect(exit).toBe(1);
  expect(of('key-missing')).toMatchObject([{ mark: 'problem' }]);
  expect(of('data-unwritable')).toMatchObject([
    { mark: 'problem', sentence: expect.stringContaining('.lock') },
  ]);
  expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
});

const SOME = expect.stringMatching(/\S/);
const NETWORK = ['203.0.113.0/24'];
const PROXY = { host: '127.0.0.1', port: 0, proxyProtocol: 'required' };
const unset = (baseUrl: string) => ({ api: { baseUrl, token: 'env:NOT_SET' } });

test.each<[found: string, config: object, sentence: unknown, toDo?: unknown]>([
  [
    'warning v1-open',
    {
      sites: {
        ...{ ...DEFAULT, 'A.com': { from: NETWORK }, 'B.com': {} },
        'C.com': { from: ['0.0.0.0/0', '::/0'] },
      },
    },
    naming('default, B.com, C.com'),
  ],
  ['warning proxies-open', { listener: PROXY }, SOME, naming('listener.trustedProxies')],
  ['warning token-none', { sites: { default: {} } }, SOME, naming('teller keys rotate token default')],
  [
    'warning api-plain',
    {
      sites: {
        ...{ ...DEFAULT, 'Plain.com': unset('http://list.example/api/v1') },
        'Safe.com': unset('https://list.example/api/v1'),
        'Here.com': unset('http://127.0.0.1:8000/api/v1'),
      },
    },
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
  expect([`${row?.mark} ${row?.code}`, row?.sentence, row?.toDo ?? '', others]).toEqual([
    ...[mark, sentence, toDo, []],
  ]);
});

test.each([
  [
    'v1-open',
    {
      sites: {
        default: { token: TOKEN, protocols: ['v2'] },
        'A.com': { from: NETWORK, protocols: ['v1'] },
      },
    },
  ],
  [
    'v1-open',
    {
      listener: { host: '127.0.0.1', port: 0, protocols: ['v2'] },
      sites: { default: { token: TOKEN, protocols: ['v1', 'v2'] } },
    },
  ],
  ['proxies-open', { listener: { ...PROXY, trustedProxies: ['127.0.0.1/32'] } }],
  ['token-none', { sites: { default: { protocols: ['v1'] } } }],
  [
    'shadow-alone',
    { pay: { mode: 'shadow' }, gameServers: { old: { kind: 'votifier', token: TOKEN } }, rewards: [] },
  ],
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
