import { createHmac } from 'node:crypto';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { checked, connected, isSettled, until } from '../kit/connected.ts';
import { HTTP_SECRET, type HttpAnswer, httpGame, signed } from '../kit/http-game.ts';
import { serve } from '../kit/serve.ts';
import { naming } from '../support/naming.ts';
import { selfSigned } from '../support/network.ts';

const ENTRY = { kind: 'http', secret: HTTP_SECRET, commandPause: '0ms' };

/** A program that takes commands, and Teller’s connection to it. */
async function pair(settings: object = {}) {
  const game = await httpGame(settings);
  return { game, ...(await connected(game.entry)) };
}

/** A pair whose program answers everything like this. */
async function answering(answer: HttpAnswer, settings: object = {}) {
  const one = await pair(settings);
  one.game.answer(() => answer);
  return one;
}

const TEXT = 'give Bob diamond 1 “ö”';

test('a command is posted as JSON with the name of the game server, signed over its bytes', async () => {
  const { game, run } = await answering({ body: 'Gave 1 [Diamond] to Bob' });
  expect(await run(TEXT)).toEqual({ kind: 'delivered', reply: 'Gave 1 [Diamond] to Bob' });
  const [{ method, path, headers, body, said } = expect.fail()] = game.received;
  expect([method, path, said]).toEqual([
    'POST',
    '/command',
    { id: expect.any(String), command: TEXT, server: 'main' },
  ]);
  expect(headers).toMatchObject({
    host: new URL(game.url).host,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'user-agent': 'Teller',
    'x-webhook-signature': `sha256=${createHmac('sha256', HTTP_SECRET).update(body).digest('hex')}`,
  });
});

const ABOUT = {
  ...{ grant: 7, position: 1, vote: 31, reward: 'daily', occasion: 'day 2026-11-23', site: 'A.example' },
  ...{ player: 'Steve', uuid: null, attempt: 2 },
};

test('a post has a UUID of its own, and says what its command is run for, with an ID that stays the same when it is sent again', async () => {
  const { game, run } = await pair();
  for (const attempt of [2, 3])
    await run('give Steve diamond 1', 'give {player} diamond 1', { ...ABOUT, attempt });
  const ids = game.received.map((each) => String(each.said.id));
  for (const id of ids)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(ids).size).toBe(2);
  const { position: _, ...facts } = ABOUT;
  const said = { ...facts, commandId: '7-1', command: 'give Steve diamond 1', server: 'main' };
  expect(game.received.map((each) => each.said)).toEqual([
    { ...said, id: ids[0] },
    { ...said, id: ids[1], attempt: 3 },
  ]);
});

test('a whole 2xx answer is delivered, even if it is empty', async () => {
  const { game, run } = await pair();
  for (const status of [200, 201, 202, 204, 299]) {
    game.answer(() => ({ status }));
    expect(await run('say hi'), String(status)).toEqual({ kind: 'delivered', reply: '' });
  }
});

test.each([
  ['Unknown command', {}, 'refused'],
  ['No player was found', {}, 'refused'],
  ['{"ok":false,"why":"no such kit"}', { refusedReplies: ['"ok":false'] }, 'refused'],
  ['{"ok":false,"why":"away"}', { refusedReplies: ['false'], offlineReplies: ['"away"'] }, 'refused'],
])(
  'its text is judged like a reply over RCON, but no player is waited for: %s',
  async (body, patterns, kind) => {
    const { run } = await answering({ body }, patterns);
    expect(await run('kit Bob')).toEqual({ kind, reply: body });
  },
);

test('that no player matched is delivered where the command names no player', async () => {
  const { run } = await answering({ body: 'No player was found' });
  expect(await run('tellraw @a "hi"', 'tellraw @a "hi"')).toMatchObject({ kind: 'delivered' });
  expect(await run('give Bob diamond', 'give {player} diamond')).toMatchObject({ kind: 'refused' });
});

test('the first KiB of an answer is kept, without half a character, when all of it has come', async () => {
  const { game, server } = await pair();
  let end = (): void => expect.fail();
  game.answer(() => (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n\r\nx${'ö'.repeat(1_000)}${'y'.repeat(100_000)}`);
    end = () => void socket.end();
  });
  const outcome = server.run('say hi');
  await until(() => game.received.length === 1);
  expect(await isSettled(outcome)).toBe(false);
  end();
  expect(await outcome).toEqual({ kind: 'delivered', reply: `x${'ö'.repeat(511)}` });
  expect(game.received).toHaveLength(1);
});

test.each([
  [401, 'http-not-let-in'],
  [408, 'http-busy'],
  [425, 'http-busy'],
  [429, 'http-busy'],
])('with status %i a command did not run, and is posted again after a pause', async (status, reason) => {
  const { game, server, run, clock } = await answering({ status, body: 'no' });
  expect(await run('say hi')).toEqual({ kind: 'not-sent', reason });
  expect(await server.open()).toEqual({ kind: 'resting', reason, restMs: 1_000 });
  clock.advance(999);
  expect(await run('say hi')).toEqual({ kind: 'not-sent', reason });
  expect(game.received).toHaveLength(1);
  clock.advance(1);
  expect(await run('say hi')).toEqual({ kind: 'not-sent', reason });
  expect(game.received).toHaveLength(2);
});

test('with another 4xx status a command is refused, with the answer, and the next one is sent at once', async () => {
  const { game, server, run } = await pair();
  for (const status of [400, 403, 404, 409, 422, 499]) {
    game.answer(() => ({ status, body: 'not here' }));
    expect(await run('say hi')).toEqual({ kind: 'refused', reply: `HTTP ${status}: not here` });
    game.answer(() => ({ status }));
    expect(await run('say hi')).toEqual({ kind: 'refused', reply: `HTTP ${status}` });
    expect(await server.open()).toEqual({ kind: 'open' });
  }
});

test.each([
  [500, 'http-server-fault'],
  [502, 'http-server-fault'],
  [599, 'http-server-fault'],
  [301, 'http-redirect'],
  [307, 'http-redirect'],
])('with status %i a command is unknown, and the log has the answer', async (status, reason) => {
  const { game, run, log } = await answering({ status, body: 'sorry\u001b', headers: { Location: '/else' } });
  expect(await run('say hi')).toEqual({ kind: 'unknown', reason });
  expect(game.received).toHaveLength(1);
  expect(log).toMatchObject([{ level: 'warn', code: reason, fields: { server: 'main', status } }]);
  expect(log[0]?.sentence).toEqual(naming('main', String(status), 'sorry?'));
});

const OK = 'HTTP/1.1 200 OK\r\n';

test.each<readonly [string, string, (socket: Socket) => unknown]>([
  ['a reset', 'closed', (socket) => socket.resetAndDestroy()],
  ['an end without an answer', 'closed', (socket) => socket.end()],
  ['half of the headers', 'closed', (socket) => socket.end(`${OK}X`)],
  ['half a body', 'closed', (socket) => socket.end(`${OK}Content-Length: 9\r\n\r\nok`)],
  [
    'half a 4xx',
    'closed',
    (socket) => socket.end('HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n'),
  ],
  [
    'a reset in the body',
    'closed',
    (socket) => socket.write(`${OK}Content-Length: 9\r\n\r\nok`, () => socket.resetAndDestroy()),
  ],
  ['another protocol', 'http-bad-reply', (socket) => socket.end('SSH-2.0-x\r\n')],
  [
    'a broken body',
    'http-bad-reply',
    (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
  ],
  [
    'an upgrade',
    'http-bad-reply',
    (socket) => socket.write('HTTP/1.1 101 OK\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  ],
  ['headers without end', 'http-bad-reply', (socket) => socket.write(`${OK}X: ${'x'.repeat(20_000)}`)],
])('a command that was sent without a clear answer is unknown: %s', async (_, reason, answer) => {
  const { run } = await answering(answer);
  expect(await run('say hi')).toEqual({ kind: 'unknown', reason });
});

test.each<readonly [string, HttpAnswer]>([
  ['no answer', 'silence'],
  ['an answer that does not end', (socket) => socket.write(`${OK}\r\nx`)],
])('a command is unknown after 10 s: %s', async (_, answer) => {
  const { game, server, clock } = await answering(answer);
  const outcome = server.run('say hi');
  await until(() => game.received.length === 1);
  clock.advance(9_999);
  expect(await isSettled(outcome)).toBe(false);
  clock.advance(1);
  expect(await outcome).toEqual({ kind: 'unknown', reason: 'timeout' });
});

test('a command is not-sent if TLS fails: an untrusted certificate, no TLS there, a hang-up, a timeout', async () => {
  let requests = 0;
  const untrusted = await serve(createTlsServer(selfSigned(), () => requests++));
  const plain = new URL((await httpGame()).url).port;
  const closing = await serve(createServer((socket) => socket.destroy()));
  for (const place of [
    `localhost:${untrusted}`,
    `127.0.0.1:${untrusted}`,
    `127.0.0.1:${plain}`,
    `127.0.0.1:${closing}`,
  ]) {
    const { server } = await connected({ ...ENTRY, url: `https://${place}/` });
    expect(await server.run('say hi'), place).toEqual({ kind: 'not-sent', reason: 'http-tls-failed' });
  }
  expect(requests).toBe(0);

  let hasHello = false;
  const silent = await serve(createServer((socket) => socket.once('data', () => (hasHello = true))));
  const { server, clock } = await connected({ ...ENTRY, url: `https://127.0.0.1:${silent}/` });
  const outcome = server.run('say hi');
  await until(() => hasHello);
  clock.advance(10_000);
  expect(await outcome).toEqual({ kind: 'not-sent', reason: 'http-tls-failed' });
});

test('after an unknown outcome the next commands wait for a second, so that they do not become unknown too', async () => {
  const { game, server, run, clock } = await pair();
  game.answer((_, count) => ({ status: count === 2 ? 200 : 503 }));
  expect(await run('say a')).toMatchObject({ kind: 'unknown' });
  expect(await run('say b')).toEqual({ kind: 'not-sent', reason: 'between-connections' });
  clock.advance(1_000);
  expect(await run('say b')).toMatchObject({ kind: 'delivered' });
  expect(await run('say c')).toMatchObject({ kind: 'unknown' });
  expect(await server.open()).toMatchObject({ kind: 'resting', restMs: 1_000 });
  expect(game.received).toHaveLength(3);
});

test('without "answers" a program cannot report who is online, and is not asked', async () => {
  const { game, presence, run } = await pair();
  expect(await presence('Bob')).toEqual({ kind: 'cannot-tell', reason: 'http-tells-nobody' });
  expect(game.received).toEqual([]);
  game.answer((asked) => signed(asked, { outcome: 'refused' }));
  expect(await run('say hi')).toMatchObject({ kind: 'delivered' });
});

const ANSWERS = { answers: true };

test.each(['delivered', 'refused', 'player-offline'] as const)(
  'a signed answer says that a command ended: %s',
  async (outcome) => {
    const { game, run } = await pair(ANSWERS);
    game.answer((asked) => signed(asked, { outcome, reply: 'said so' }));
    expect(await run('give Steve diamond 1')).toEqual({ kind: outcome, reply: 'said so' });
  },
);

const DELIVERED = '{"outcome":"delivered"}';

test.each<readonly [string, (id: string) => string | null]>([
  ['has no signature', () => null],
  ['is signed without the ID of its request', () => DELIVERED],
  ['is signed for another request', () => `another.${DELIVERED}`],
  ['is not the one that was signed', (id) => `${id}.{"outcome":"refused"}`],
])('an answer is not believed if it %s', async (_, signedText) => {
  const { game, run } = await pair(ANSWERS);
  game.answer((asked) => {
    const of = signedText(String(asked.said.id));
    return of === null ? { body: DELIVERED } : signed(asked, { outcome: 'delivered' }, of);
  });
  expect(await run('give Steve diamond 1')).toEqual({ kind: 'unknown', reason: 'http.answer-unsigned' });
});

const STEVE = { name: 'Steve', uuid: '069A79F4-44E9-4726-A5BE-FCA90E38AAF5' };
const OTHER = 'ec561538-f3fd-461d-aff5-086b22154bce';

test('who is online is asked with a signed request, and known with UUIDs if each player has one', async () => {
  const { game, presence } = await pair(ANSWERS);
  game.answer((asked) => signed(asked, { players: [STEVE] }));
  const uuids = new Map([['steve', '069a79f4-44e9-4726-a5be-fca90e38aaf5']]);
  expect(await presence('Steve')).toEqual({ kind: 'known', names: ['Steve'], uuids });
  expect(game.received[0]?.said).toEqual({ id: expect.any(String), ask: 'players', server: 'main' });
  game.answer((asked) => signed(asked, { players: [STEVE, '.Bedrock_1'] }));
  expect(await presence()).toEqual({ kind: 'known', names: ['Steve', '.Bedrock_1'] });
  game.answer(() => ({ body: '{"players":["Steve"]}' }));
  expect(await presence()).toEqual({ kind: 'cannot-tell', reason: 'http.players-unsigned' });
});

test.each<readonly [string, unknown]>([
  ['no list', {}],
  ['a name with a space', { players: ['Steve op'] }],
  ['a line break in a name', { players: ['Steve\nop'] }],
  ['a UUID that is none', { players: [{ name: 'Steve', uuid: 'x' }] }],
  ['a number', { players: [7] }],
  ['two names that differ in upper and lower case', { players: [STEVE, { name: 'STEVE', uuid: OTHER }] }],
  ['a name with a letter that passes for another one', { players: [{ name: 'Steve\u212a', uuid: OTHER }] }],
  ['a prefix that is a letter', { players: [{ name: '\u212aatrin', uuid: OTHER }] }],
  ['a name of 17 letters', { players: [{ name: 'a'.repeat(17), uuid: OTHER }] }],
  ['a name of 32 letters', { players: [{ name: 'A'.repeat(32), uuid: OTHER }] }],
  ['two players with one UUID', { players: [STEVE, { ...STEVE, name: 'Alex' }] }],
])('who is online is not guessed from %s', async (_, answer) => {
  const { game, presence } = await pair(ANSWERS);
  game.answer((asked) => signed(asked, answer));
  expect(await presence()).toEqual({ kind: 'cannot-tell', reason: 'http.players-unreadable' });
});

test.each<readonly [string, HttpAnswer, string, string]>([
  ['is busy', { status: 429 }, 'http-busy', 'http-busy'],
  ['hangs up', (socket) => socket.destroy(), 'closed', 'between-connections'],
])('a program that %s is asked who is online less and less often', async (_, answer, reason, pause) => {
  const { game, presence, server, clock } = await answering(answer, ANSWERS);
  expect(await presence()).toEqual({ kind: 'unreachable', reason });
  expect(await presence()).toEqual({ kind: 'unreachable', reason: pause });
  expect(game.received).toHaveLength(1);
  clock.advance(1_000);
  await presence();
  expect(await server.open()).toEqual({ kind: 'resting', reason: pause, restMs: 2_000 });
  game.answer((asked) => signed(asked, { players: [] }));
  clock.advance(2_000);
  expect(await presence()).toEqual({ kind: 'known', names: [] });
  expect(await server.open()).toEqual({ kind: 'open' });
});

test('check asks who is online, and warns of a program that does not have the same secret', async () => {
  const game = await httpGame(ANSWERS);
  game.answer((asked) => signed(asked, { players: ['Steve'] }));
  expect(await checked(game.entry)).toEqual(['ok game-server']);
  const another = { ...game.entry, secret: 'another-secret-of-this-test' };
  expect(await checked(another)).toEqual(['warning http.players-unsigned']);
});
