import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodePlayers } from '../../protocol/management/server.ts';
import { Secret } from '../../src/config/config.ts';
import type { GameServer, PlayerNews } from '../../src/delivery/game-server.ts';
import { ManagementLink, type ManagementParts } from '../../src/delivery/kinds/management/link.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { selfSigned } from '../support/certificate.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loggedLines } from '../support/logged-lines.ts';
import {
  BEDROCK,
  MANAGEMENT_SECRET,
  type ManagementServer,
  managementServer,
  methodUnknown,
  STEVE,
} from '../support/management.ts';
import { client, practice } from '../support/rcon.ts';

/** What a game server reported, and a wait for it. */
function newsOf(gameServer: GameServer) {
  const news: PlayerNews[] = [];
  let waiting: (() => void)[] = [];
  gameServer.watchPlayers?.((each) => {
    news.push(each);
    for (const wake of waiting.splice(0)) wake();
  });
  const until = async (count: number): Promise<readonly PlayerNews[]> => {
    while (news.length < count) await new Promise<void>((resolve) => (waiting = [...waiting, resolve]));
    return news;
  };
  return { news, until };
}

/** A practice server over RCON with Bob on it, beside a management protocol that knows nothing of him. */
async function watched(url: string, change: Partial<ManagementParts> = {}) {
  const rcon = await practice();
  rcon.join('Bob');
  const { log, lines } = loggedLines();
  const managementLink = new ManagementLink({
    ...{ url, secret: new Secret(MANAGEMENT_SECRET), certificate: null, timeoutMs: 5_000 },
    ...{ name: 'main', clock: systemClock, random: systemRandom, log },
    ...change,
  });
  const gameServer = client(rcon, { managementLink });
  const asked = () => rcon.commands().map(({ command }) => command);
  return { gameServer, asked, lines, ...newsOf(gameServer) };
}

const untilReported = (gameServer: GameServer, kind: string) =>
  expect.poll(() => gameServer.joinReports?.kind, { timeout: 10_000 }).toBe(kind);

const names = async (gameServer: GameServer): Promise<readonly string[]> => {
  const presence = await gameServer.presence([]);
  return presence.kind === 'known' ? presence.names : [presence.kind];
};

describe('a game server with the management protocol', () => {
  test('says who is online with their UUIDs, and is not asked for it over RCON', async () => {
    const server = await managementServer();
    server.players = [STEVE, BEDROCK];
    const { gameServer, asked, until } = await watched(server.url);
    expect(await until(1)).toEqual([{ kind: 'reports-again' }]);
    expect(await gameServer.presence(['Steve'])).toEqual({
      ...{ kind: 'known', isBeside: true, names: ['Steve', '.Bedrock'] },
      uuids: new Map([
        ['steve', STEVE.uuid],
        ['.bedrock', BEDROCK.uuid],
      ]),
    });
    expect(gameServer.joinReports).toEqual({ kind: 'reported' });
    expect(asked()).toEqual([]);
  });

  test.each(['new', 'old'] as const)('reports who joins and leaves, under the %s names', async (naming) => {
    const server = await managementServer();
    server.naming = naming;
    const { until } = await watched(server.url);
    await until(1);
    server.join(STEVE);
    server.leave(STEVE);
    expect((await until(3)).slice(1)).toEqual([
      { kind: 'joined', player: 'Steve' },
      { kind: 'left', player: 'Steve' },
    ]);
  });

  test.each([
    ['cannot be a name', { name: 'x\nop evil', uuid: BEDROCK.uuid }],
    ['is the same name in other letters', { name: 'STEVE', uuid: BEDROCK.uuid }],
    ['has the same UUID', { name: 'Alex', uuid: STEVE.uuid }],
  ])('is not believed where one of its players %s: the list is read over RCON instead', async (_, other) => {
    const server = await managementServer();
    server.players = [STEVE, other];
    const { gameServer, until, asked } = await watched(server.url);
    await until(1);
    expect(await names(gameServer)).toEqual(['Bob']);
    expect(asked()).toEqual(['minecraft:list uuids']);
  });

  test('shows no UUIDs if a player has none', async () => {
    const server = await managementServer();
    const { gameServer, until } = await watched(server.url);
    await until(1);
    const bare = { kind: 'known', isBeside: true };
    server.players = [STEVE, { name: 'Alex', uuid: null }];
    expect(await gameServer.presence([])).toEqual({ ...bare, names: ['Steve', 'Alex'] });
  });

  test('is asked again after it was gone, and what changed meanwhile is seen', async () => {
    const server = await managementServer();
    server.players = [STEVE];
    const { gameServer, until } = await watched(server.url);
    await until(1);
    expect(await names(gameServer)).toEqual(['Steve']);
    server.drop();
    await untilReported(gameServer, 'unreported');
    expect(gameServer.joinReports).toMatchObject({ code: 'management-closed' });
    server.players = [BEDROCK];
    await until(2);
    expect(await names(gameServer)).toEqual(['.Bedrock']);
    expect(gameServer.joinReports).toEqual({ kind: 'reported' });
  });

  test('is left out while it does not answer, and the list is read over RCON instead', async () => {
    const server = await managementServer();
    server.players = [STEVE];
    const { gameServer, until, asked } = await watched(server.url, { timeoutMs: 200 });
    await until(1);
    server.script = () => {};
    expect(await names(gameServer)).toEqual(['Bob']);
    expect(asked()).toEqual(['minecraft:list uuids']);
    await untilReported(gameServer, 'unreported');
    expect(gameServer.joinReports).toMatchObject({ code: 'management-timeout' });
  });

  test('is looked at every 30 seconds, so that a connection that died without a sign is noticed', async () => {
    const server = await managementServer();
    const clock = new FakeClock();
    const { until } = await watched(server.url, { clock });
    await until(1);
    await server.asked(1);
    clock.advance(29_999);
    expect(server.methods).toHaveLength(1);
    clock.advance(1);
    await server.asked(2);
    expect(server.methods).toEqual(['minecraft:players', 'minecraft:players']);
  });

  test('that answers another question first is not misunderstood', async () => {
    const server = await managementServer();
    server.players = [STEVE];
    const { gameServer, until } = await watched(server.url);
    await until(1);
    server.script = ({ id }, socket) => {
      for (const wrong of [id - 1, id + 1, -id]) socket.send(encodePlayers(wrong, [BEDROCK]));
      socket.send('{"jsonrpc":"2.0","id":"x","result":[]}');
      socket.send(Buffer.from(encodePlayers(id, [BEDROCK])), { binary: true });
      socket.send('garbage');
      socket.send(encodePlayers(id, [STEVE]));
    };
    expect(await names(gameServer)).toEqual(['Steve']);
  });

  test('is closed with the game server, also while it connects', async () => {
    const server = await managementServer();
    const { gameServer, until } = await watched(server.url);
    await until(1);
    await gameServer.close();
    const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const connecting = await watched(`ws://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await once(silent, 'connection');
    await connecting.gameServer.close();
    expect(connecting.gameServer.joinReports).toBeNull();
  });
});

/** A port that does with each connection what the test says. */
async function rawPort(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.add(socket);
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

type Fault = () => Promise<Partial<ManagementParts> & { readonly url: string }>;

const scripted =
  (script: NonNullable<ManagementServer['script']>): Fault =>
  async () => {
    const server = await managementServer();
    server.script = script;
    return { url: server.url, timeoutMs: 300 };
  };

const FAULTS: readonly (readonly [string, string, Fault])[] = [
  [
    'nothing listens',
    'management-unreachable',
    async () => {
      const server = await managementServer();
      const { url } = server;
      server.close();
      return { url };
    },
  ],
  [
    'its host name has no address',
    'management-host-unknown',
    async () => ({ url: 'ws://nowhere.invalid:1' }),
  ],
  [
    'the secret is wrong',
    'management-wrong-secret',
    async () => ({ url: (await managementServer()).url, secret: new Secret('another') }),
  ],
  [
    'the secret cannot be sent',
    'management-wrong-secret',
    async () => ({ url: (await managementServer()).url, secret: new Secret('sécret 1') }),
  ],
  [
    'it does not answer the request',
    'management-timeout',
    async () => ({ url: `ws://127.0.0.1:${await rawPort(() => {})}`, timeoutMs: 200 }),
  ],
  ['it does not answer the question', 'management-timeout', scripted(() => {})],
  ['it answers with garbage', 'management-timeout', scripted((_, socket) => socket.send('{"id":1,"resu'))],
  ['it is too old', 'management-too-old', scripted(methodUnknown)],
  [
    'it answers with an error',
    'management-bad-answer',
    scripted(({ id }, socket) => socket.send(`{"id":${id},"error":{"code":-32603}}`)),
  ],
  [
    'it answers with something else',
    'management-bad-answer',
    scripted(({ id }, socket) => socket.send(`{"id":${id},"result":{"players":3}}`)),
  ],
  [
    'it sends a message of more than 1,048,576 bytes',
    'management-closed',
    scripted((_, socket) => socket.send('x'.repeat(1_048_577))),
  ],
  ['it closes instead of answering', 'management-closed', scripted((_, socket) => socket.terminate())],
  [
    'it closes in the middle of an answer',
    'management-closed',
    scripted((_, socket) => {
      socket.send('{"jsonrpc":"2.0","id":1,"result":[', { fin: false }, () => socket.terminate());
    }),
  ],
  [
    'it answers with HTTP that is no WebSocket',
    'management-not-spoken',
    async () => ({
      url: `ws://127.0.0.1:${await rawPort((socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'))}`,
    }),
  ],
  [
    'it answers with a redirect',
    'management-not-spoken',
    async () => ({
      url: `ws://127.0.0.1:${await rawPort((socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: ws://127.0.0.1:1\r\nContent-Length: 0\r\n\r\n'))}`,
    }),
  ],
  [
    'it speaks TLS only',
    'management-not-spoken',
    async () => ({ url: (await managementServer(selfSigned())).url.replace('wss:', 'ws:') }),
  ],
  [
    'it speaks without TLS',
    'management-tls-failed',
    async () => ({ url: (await managementServer()).url.replace('ws:', 'wss:') }),
  ],
  [
    'nobody vouches for its certificate',
    'management-tls-failed',
    async () => ({ url: (await managementServer(selfSigned())).url }),
  ],
  [
    'another certificate is expected',
    'management-tls-failed',
    async () => ({
      url: (await managementServer(selfSigned())).url,
      certificate: join(temporaryFolder({ 'its.pem': selfSigned().cert }), 'its.pem'),
    }),
  ],
  [
    'the file of the certificate does not exist',
    'management-certificate',
    async () => ({ url: 'wss://127.0.0.1:1', certificate: join(temporaryFolder({}), 'none.pem') }),
  ],
  [
    'the file of the certificate holds something else',
    'management-certificate',
    async () => ({
      url: 'wss://127.0.0.1:1',
      certificate: join(temporaryFolder({ 'its.pem': 'no certificate' }), 'its.pem'),
    }),
  ],
];

describe('the list is read over RCON, and the reason is logged once, if', () => {
  test.each(FAULTS)('%s: %s', async (_, code, fault) => {
    const { url, ...change } = await fault();
    const { gameServer, lines, news } = await watched(url, change);
    await untilReported(gameServer, 'unreported');
    expect(gameServer.joinReports).toMatchObject({ code });
    expect(await names(gameServer)).toEqual(['Bob']);
    expect(news).toEqual([]);
    expect(lines.map(({ fields }) => fields)).toEqual([
      { code: 'joins-unreported', reason: code, server: 'main' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(MANAGEMENT_SECRET);
  });
});

test('the certificate that the config names is accepted, under any host name', async () => {
  const tls = selfSigned();
  const server = await managementServer(tls);
  server.players = [STEVE];
  const certificate = join(temporaryFolder({ 'its.pem': tls.cert }), 'its.pem');
  const { gameServer, until } = await watched(server.url, { certificate });
  await until(1);
  expect(await names(gameServer)).toEqual(['Steve']);
});
