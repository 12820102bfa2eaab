import { symlinkSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { check } from '../kit/check.ts';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { failure, json, listingApi, record, scriptedServer } from '../kit/listing-api.ts';
import { desk, rewrite } from '../kit/place.ts';
import { freePort, serve } from '../kit/serve.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

const NOON = '2026-06-01T12:00:00Z';
/** A Teller that runs, at noon. */
const running = (more: object = {}) => here(more, new FakeClock(NOON));

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];
const DEFAULT = { default: { token: TOKEN } };

const listening = (port: number, host = '127.0.0.1') => ({ listener: { host, port } });
test('a port that another program uses is a problem, also that of the webhook if a site has one', async () => {
  const port = await serve(createServer());
  const one = desk(listening(port));
  const inUse = async (...words: string[]) => (await check(one, ...words)).of('port-in-use');
  expect((await check(one)).exit).toBe(1);
  expect(await inUse()).toMatchObject([{ mark: 'problem' }]);
  expect(await inUse('--offline')).toEqual([]);
  const held = { ...listening(await freePort()), webhook: { port, host: '127.0.0.1' } };
  rewrite(one, held);
  expect(await inUse()).toEqual([]);
  const webhook = { path: '/a', secret: 's3cret', listingId: '1' };
  rewrite(one, { ...held, sites: { ...DEFAULT, 'A.com': { webhook } } });
  expect(await inUse()).toMatchObject([{ mark: 'problem', sentence: naming('webhook.port') }]);
});

test('a port is ok if the running Teller uses it, over IPv4 and IPv6, and a warning if it is free while one is running', async () => {
  const port = await freePort();
  const one = await running(listening(port));
  expect((await check(one)).of('port')).toMatchObject([{ mark: 'ok' }]);
  // Sites may use IPv6, on which it does not listen.
  rewrite(one, listening(port, '0.0.0.0'));
  const { of } = await check(one);
  const notHeld = { mark: 'warning', sentence: naming('IPv6'), toDo: naming(/restart/i) };
  expect([of('port'), of('port-not-held')]).toMatchObject([[], [notHeld]]);
  rewrite(one, listening(await freePort()));
  expect((await check(one)).of('port-not-held')).toMatchObject([
    { mark: 'warning', toDo: naming(/restart/i) },
  ]);
  // Also where the ledger has another path.
  symlinkSync(path.join(one.folder, 'data/teller.db'), path.join(one.folder, 'linked.db'));
  rewrite(one, { ledger: 'linked.db' });
  expect((await check(one)).of('not-running')).toEqual([]);
  for (const [host, families] of [
    ['::', ['IPv4', 'IPv6']],
    ['0.0.0.0', ['IPv4', 'IPv6']],
    ['127.0.0.1', ['IPv4']],
    ['::1', ['IPv6']],
  ] as const) {
    const [found, ...others] = (await check(desk(listening(await freePort(), host)))).of('port');
    expect([found?.mark, found?.sentence.match(/IPv\d/g), others]).toEqual(['ok', families, []]);
  }
});

/** Without a Teller that runs, that none runs is the one problem. */
const checked = async (main: object, more: object = {}) => {
  const { marks, of } = await check(desk({ gameServers: { main }, rewards: THANKS, ...more }));
  const problems = marks(/^(?!not-running)/).filter((row) => row.startsWith('problem'));
  return { problems, of };
};
const LOOSE = { commandTimeout: '500ms' };

test('a game server with RCON is ok if it accepts the login and says who is online, and a problem with a wrong password or if it does not answer', async () => {
  const { entry, ...game } = await rconGame();
  game.show('Steve');
  await check(desk({ gameServers: { main: entry }, rewards: THANKS }), '--offline');
  expect(game.connections()).toBe(0);
  const { problems, of } = await checked(entry);
  const sentence = naming('main', `127.0.0.1:${Reflect.get(entry, 'port')}`, '1 player');
  expect([problems, of('game-server')]).toMatchObject([[], [{ mark: 'ok', sentence }]]);
  expect((await checked({ ...entry, password: 'guess' })).problems).toEqual(['problem wrong-password']);
  const gone = await checked({ ...entry, port: await freePort() });
  expect(gone.problems).toEqual(['problem unreachable']);
  expect(gone.of('unreachable')).toMatchObject([{ toDo: naming('Velocity', 'BungeeCord') }]);
  // Without UUIDs it cannot be paid what uses {uuid}.
  const commands = ['lp user {uuid} parent add voter'];
  const uuids = async (more: object) => (await checked(entry, more)).of('uuid-unknown');
  const rank = { rewards: [{ name: 'rank', commands }] };
  for (const more of [rank, { party: [{ name: 'feast', every: 5, commands }] }])
    expect(await uuids(more)).toMatchObject([{ mark: 'warning' }]);
  expect(await uuids({})).toEqual([]);
  game.show('Steve (8667ba71-b85a-4004-af54-457a9734eed7)');
  expect(await uuids(rank)).toEqual([]);
});

test.each([
  ['does not answer', () => {}],
  ['closes', (socket: Socket) => socket.end()],
  ['answers in words', (socket: Socket) => socket.end('one connection at a time, please\r\n')],
])(
  'a game server that %s while the running Teller is connected probably allows only one',
  async (_, refuses) => {
    const game = await rconGame(LOOSE);
    game.script((_packet, socket, connection) => (connection === 1 ? false : void refuses(socket)));
    const one = await running({ gameServers: { main: game.entry } });
    await one.vote({ player: 'Steve' });
    await one.until(() => game.connections() > 0);
    await one.pass(2_000);
    const { of } = await one.during(check(one));
    expect(of('single-connection')).toMatchObject([{ mark: 'warning' }]);
  },
);

test('a game server that cannot report who is online, or sends no reply to a command without output, is a warning, which says what follows', async () => {
  const mute = await rconGame(LOOSE, () => 'Nobody but us chickens');
  const { problems, of } = await checked(mute.entry);
  expect(problems).toEqual([]);
  expect(of('list-not-understood')).toMatchObject([
    { mark: 'warning', sentence: naming('main', '"when": "online"') },
  ]);
  // One that answers for each player is fine.
  const asked = await rconGame(LOOSE, (command) => (command.includes('execute') ? 'Test failed' : 'Hello'));
  expect((await checked(asked.entry)).of('presence-one-by-one')).toMatchObject([{ mark: 'ok' }]);

  const { entry, speak } = await rconGame(LOOSE);
  expect((await checked(entry)).of('no-frame')).toEqual([]);
  speak('no-empty-frames');
  const silent = await checked(entry);
  expect(silent.of('game-server')).toMatchObject([{ mark: 'ok' }]);
  expect(silent.of('no-frame')).toMatchObject([
    { mark: 'warning', toDo: naming('gameServers.main.noReply', '"delivered"') },
  ]);
  expect((await checked({ ...entry, noReply: 'delivered' })).of('no-frame')).toEqual([]);
});

test('a game server of kind http or votifier is contacted without sending anything, and the version of a listener is named', async () => {
  const received: Buffer[] = [];
  let greeting = '';
  const port = await serve(
    createServer((socket) => {
      socket.on('error', () => {}).on('data', (chunk) => received.push(chunk));
      socket.write(greeting);
    }),
  );
  const plugin = (at: number) =>
    checked({ kind: 'http', url: `http://127.0.0.1:${at}/run`, secret: 's3cret' });
  expect((await plugin(port)).of('game-server')).toMatchObject([
    { mark: 'ok', sentence: naming('main', `127.0.0.1:${port}`) },
  ]);
  expect((await plugin(await freePort())).of('http-unreachable')).toMatchObject([{ mark: 'problem' }]);

  const [v2, v1] = [{ token: 's3cret-token' }, { protocol: 'v1', publicKey: 'data/keys/public.key' }];
  const old = async (more: object, code = 'game-server') =>
    (await checked({ kind: 'votifier', port, ...more }, { rewards: [] })).of(code);
  greeting = 'VOTIFIER 2 c0ffee\n';
  expect(await old(v2)).toMatchObject([
    { mark: 'ok', sentence: naming('main', 'greets as a listener of version 2', 'not repeated') },
  ]);
  greeting = 'VOTIFIER 1.9\n';
  expect(await old(v1)).toMatchObject([
    { mark: 'ok', sentence: naming('version 1 alone', '1.9', 'confirms nothing') },
  ]);
  for (const [code, more] of [
    ['votifier.other-version', v2],
    ['votifier.key-unusable', { ...v1, publicKey: 'data/no.key' }],
    ['votifier.unreachable', { ...v2, port: await freePort() }],
  ] as const)
    expect(await old(more, code), code).toMatchObject([{ mark: 'problem' }]);
  expect(received).toEqual([]);
});

test('a listing whose votes do not match its game, or whose clock differs, is a warning', async () => {
  const clock = new FakeClock(NOON);
  const aheadMs = () => 5 * 60_000;
  const [mine, five] = [await listingApi(clock, { aheadMs }), await listingApi(clock, { aheadMs })];
  const at = clock.now() - 60_000;
  mine.votes.push(record(11, at, 'Steve'));
  for (let voter = 0; voter < 10; voter++) five.votes.push({ ...record(voter, at), metadata: {} });
  const sites = {
    ...{ ...DEFAULT, 'Right.com': mine.site(), 'Five.com': five.site({}, { game: 'fivem' }) },
    ...{ 'Wrong.com': five.site(), 'Other.com': mine.site({}, { game: 'roblox' }) },
  };
  const one = desk({ sites }, {}, clock);
  const { of } = await check(one);
  expect(of('game-doubtful').map(({ sentence }) => sentence)).toEqual([
    naming('Wrong.com', 'minecraft', '10'),
    naming('Other.com', 'roblox'),
  ]);
  expect(of('clock-wrong')).toHaveLength(4);
  expect(of('clock-wrong')[0]?.sentence).toEqual(naming('Right.com', '2026-06-01T12:05:00.000Z', '5 min'));
  five.votes.pop();
  expect((await check(one)).of('game-doubtful')).toHaveLength(1);
});

test('a listing is asked for votes, and what is wrong is said if that fails, because missed votes are not found then', async () => {
  const failing = async (status: number, code: string) =>
    (await scriptedServer(json(status, failure(status, code)))).root;
  const api = (baseUrl: string) => ({ api: { baseUrl, token: 'tok_x' } });
  const one = desk({
    sites: {
      ...{ ...DEFAULT, 'Right.com': api((await scriptedServer(json(200, []))).root) },
      'Scope.com': api(await failing(401, 'MISSING_SCOPE')),
      'Old.com': api(await failing(401, 'INVALID_TOKEN')),
      'Down.com': api(`http://127.0.0.1:${await freePort()}/api/v1`),
      'Odd.com': api((await scriptedServer(json(200, [{ id: '1', user: 'u1' }]))).root),
    },
  });
  const { of, exit } = await check(one);
  expect(exit).toBe(1);
  expect(of('api').map(({ mark, sentence }) => [mark, sentence])).toEqual([
    ['ok', naming('Right.com')],
    ['problem', naming('Scope.com', '(MISSING_SCOPE)')],
    ['problem', naming('Old.com', '(INVALID_TOKEN)')],
    ['problem', naming('Down.com', '(port-refused)')],
    ['problem', naming('Odd.com', '0.userId', '(unfit)')],
  ]);
  expect((await check(one, '--offline')).of('api')).toEqual([]);
});

test('a listing that reported missed votes hours later is no reason to doubt the clock', async () => {
  const clock = new FakeClock('2026-06-01T03:00:00Z');
  const listing = await listingApi(clock);
  for (const [index, player] of ['Steve', 'Alex', 'Zoe'].entries())
    listing.votes.push(record(index, Date.parse('2026-06-01T04:00:00Z'), player));
  const one = await here({ rewards: [], sites: { ...DEFAULT, A: listing.site() } }, clock);
  await one.restart(() => clock.jump(9 * 3_600_000));
  await one.until(async () => (await one.run('votes', '--json')).json.length === 3);
  const { of } = await check(one, '--offline');
  expect([of('clock-wrong'), of('clock')]).toMatchObject([[], [{ mark: 'ok' }]]);
});

test('each site’s last vote, silent and unlisted sites, and refusals are shown with their likely cause', async () => {
  const one = await running({ sites: { ...DEFAULT, 'My-List.com': {}, Silent: {} } });
  const wrong = 'wrong-token-of-thirty-two-letters';
  await one.vote({ player: 'Steve', site: 'My-List.com', token: wrong });
  await one.pass(1_000);
  for (const site of ['My-List.com', 'Other.net']) await one.vote({ player: 'Steve', site });
  for (const player of ['Steve', 'Alex']) await one.vote({ player, site: 'Other.net', token: wrong });
  await one.restart();
  const { of } = await check(one, '--offline');
  const at = '2026-06-01T12:00:01.000Z';
  expect(of('site')).toMatchObject([{ mark: 'ok', sentence: naming('My-List.com', at, '1'), toDo: null }]);
  expect(of('site-silent')).toMatchObject([
    { mark: 'warning', sentence: naming('Silent'), toDo: naming('`teller keys`') },
  ]);
  expect(of('site-unlisted')).toMatchObject([
    {
      ...{ mark: 'warning', sentence: naming('Other.net', at, '1') },
      toDo: naming('"Other.net": {}', '`teller sites add`'),
    },
  ]);
  const cause = ['127.0.0.1', 'wrong token', 'v2-signature'];
  expect(of('refusals').toSorted((a, b) => a.mark.localeCompare(b.mark))).toMatchObject([
    { mark: 'ok', sentence: naming('My-List.com', '2026-06-01T12:00:00.000Z', ...cause) },
    {
      ...{ mark: 'warning', sentence: naming('Other.net', '2', at, ...cause) },
      toDo: naming('`teller keys`'),
    },
  ]);
});
