import { execSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ensureKeyPair } from '../../src/config/keys.ts';
import { findingCodes } from '../../src/core/finding.ts';
import { acquireLock } from '../../src/platform/sqlite/lock.ts';
import { openMark } from '../../src/platform/sqlite/mark.ts';
import { json, scriptedServer } from '../kit/listing-api.ts';
import { listingService } from '../listing/listing-service.ts';
import { serveApi } from '../listing/served-api.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { TOKEN, writeConfig, writeKeyPair } from '../support/config-folder.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { record, rulesFor } from '../support/ledgers.ts';
import { openToOthersIn } from '../support/modes.ts';
import { naming } from '../support/naming.ts';
import { answer, PASSWORD, practice, scripted } from '../support/rcon.ts';
import { arrival, claimed } from '../support/votes.ts';
import { type Operator, operator, refusal, withTeller } from './operator.ts';

interface FoundRow {
  readonly mark: string;
  readonly code: string;
  readonly sentence: string;
  readonly toDo: string | null;
}

const check = async (one: Operator, ...words: string[]) => {
  const { out, exit } = await one.teller('check', '--json', ...words);
  const found = JSON.parse(out) as FoundRow[];
  return { exit, found, of: (code: string) => found.filter((finding) => finding.code === code) };
};

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];

const rconAt = ({ host, port }: { host: string; port: number }, more: object = {}) => ({
  main: { kind: 'rcon', host, port, password: PASSWORD, commandTimeout: '500ms', ...more },
});

/** A port that another program uses. */
async function heldPort(): Promise<number> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as { port: number }).port;
}

describe('check', () => {
  test('prints one line per finding: mark, code, sentence and what to do', async () => {
    const one = await operator();
    withTeller(one);
    await ensureKeyPair(path.join(one.folder, 'data/keys'));
    const { out, err, exit } = await one.teller('check', '--offline');
    expect(exit).toBe(0);
    expect(out.split('\n').slice(0, 4)).toEqual([
      naming(/^ok {2}config {2}/, one.config, '0', '1', '2'),
      naming(/^ok {2}secrets {2}\S/),
      naming(/^ok {2}keys {2}/, path.join(one.folder, 'data/keys')),
      naming(/^ok {2}clock {2}/, '2026-06-01T12:00:00.000Z'),
    ]);
    expect(out.split('\n')).toContainEqual(
      naming(/^warning {2}practice {2}.*main.* → \S/, 'gameServers.main', '"rcon"'),
    );
    expect(err).toEqual(naming('0 problems', '2 warnings', '--offline'));
  });

  test('changes nothing: it creates no ledger, lock or key', async () => {
    const one = await operator();
    rmSync(path.join(one.folder, 'data'), { recursive: true });
    const { exit, of } = await check(one);
    expect(exit).toBe(0);
    expect(of('ledger-missing')).toMatchObject([{ mark: 'warning' }]);
    expect(of('keys-not-made')).toMatchObject([{ mark: 'warning', toDo: naming('`teller run`') }]);
    expect(existsSync(path.join(one.folder, 'data'))).toBe(false);
  });

  test('exits 2 for an invalid config, with all of its problems', async () => {
    const one = await operator();
    writeConfig(one.config, { listner: {}, ledger: 5, sites: { default: { token: 'YOUR_TOKEN_HERE' } } });
    const { exit, found } = await check(one);
    expect(exit).toBe(2);
    expect(found.map(({ mark, code }) => `${mark} ${code}`).sort()).toEqual([
      'problem config-unknown-key',
      'problem config-value',
      'problem secret-placeholder',
    ]);
  });

  test('exits 2 for a config that does not exist, and says where it looked and how to name another file', async () => {
    const one = await operator();
    rmSync(one.config);
    const { exit, found } = await check(one);
    expect(exit).toBe(2);
    const sentence = naming(one.config, '--config');
    expect(found).toMatchObject([{ mark: 'problem', code: 'config-missing', sentence }]);
  });

  test('exits 2 for a missing secret file, like `run`, and checks the rest', async () => {
    const one = await operator({
      gameServers: { main: { kind: 'rcon', password: 'file:no-such-file' } },
      rewards: THANKS,
    });
    const { exit, of } = await check(one);
    expect(exit).toBe(2);
    expect(of('secret-missing')).toMatchObject([{ mark: 'problem' }]);
    expect(of('password-unknown')).toMatchObject([{ mark: 'warning' }]);
    expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
  });

  test('warns about an environment variable that is not set in this shell', async () => {
    const one = await operator({
      gameServers: { main: { kind: 'rcon', password: 'env:TELLER_TEST_UNSET' } },
      rewards: THANKS,
    });
    withTeller(one);
    const { exit, of } = await check(one);
    expect(exit).toBe(0);
    expect(of('secret-missing')).toEqual([]);
    expect(of('secret-not-here')).toMatchObject([
      { mark: 'warning', sentence: naming('gameServers.main.password', 'TELLER_TEST_UNSET') },
    ]);
    expect(of('config')).toMatchObject([{ mark: 'ok' }]);
    expect(of('password-unknown')).toMatchObject([{ mark: 'warning' }]);
    expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
  });

  test('warns that it did not query an API whose token is not set in this shell', async () => {
    const api = { baseUrl: 'https://list.example/api/v1', token: 'env:TELLER_TEST_UNSET' };
    const one = await operator({ sites: { default: { token: TOKEN }, 'List.com': { api } } });
    expect((await check(one)).of('api-unknown')).toMatchObject([
      { mark: 'warning', sentence: expect.stringMatching(/List\.com.*TELLER_TEST_UNSET/) },
    ]);
  });

  test.skipIf(process.platform === 'win32')('warns about secrets that other users can read', async () => {
    const one = await operator({ sites: { default: { token: 'file:site.token' } } });
    const file = path.join(one.folder, 'site.token');
    writeFileSync(file, TOKEN);
    chmodSync(file, 0o644);
    expect((await check(one, '--offline')).of('secrets')).toMatchObject([
      { mark: 'warning', toDo: `\`chmod 600 ${file}\`` },
    ]);
    chmodSync(file, 0o600);
    expect((await check(one, '--offline')).of('secrets')).toMatchObject([{ mark: 'ok' }]);
  });

  test.skipIf(process.platform === 'win32')(
    'checks who can read the secrets of every channel and game server',
    async () => {
      const api = { baseUrl: 'https://my-list.com/api/v1', token: 'file:api.token' };
      const webhook = { path: '/my-list', secret: 'file:webhook.secret', listingId: 'id' };
      const one = await operator({
        sites: { default: { token: 'file:site.token' }, 'My-List.com': { api, webhook } },
        gameServers: { main: { kind: 'rcon', password: 'file:rcon.password' } },
        rewards: THANKS,
      });
      const files = ['site.token', 'api.token', 'webhook.secret', 'rcon.password'].map((name) =>
        path.join(one.folder, name),
      );
      for (const file of files) {
        writeFileSync(file, TOKEN);
        chmodSync(file, 0o644);
      }
      expect((await check(one, '--offline')).of('secrets').map(({ toDo }) => toDo)).toEqual(
        files.map((file) => `\`chmod 600 ${file}\``),
      );
    },
  );

  test.skipIf(process.platform === 'win32')(
    'warns about a config that other users can read if it holds a secret',
    async () => {
      const one = await operator();
      chmodSync(one.config, 0o644);
      expect((await check(one, '--offline')).of('secrets')).toMatchObject([
        { mark: 'warning', toDo: `\`chmod 600 ${one.config}\`` },
      ]);
      writeConfig(one.config, { sites: { default: { token: 'file:site.token' } } });
      expect((await check(one, '--offline')).of('secrets')).toMatchObject([{ mark: 'ok' }]);
    },
  );

  test.skipIf(process.platform === 'win32')(
    'warns about a ledger that other users can read or lock, with the command to type',
    async () => {
      const one = await operator();
      withTeller(one);
      await one.vote('Alex', 'List');
      const data = path.dirname(one.file);
      const places = [data, one.file, `${one.file}-shm`, `${one.file}-wal`];
      chmodSync(data, 0o755);
      for (const file of places.slice(1)) chmodSync(file, 0o644);
      const { exit, of } = await check(one, '--offline');
      expect(exit).toBe(0);
      const [{ toDo } = { toDo: null }, ...others] = of('ledger-open');
      expect([toDo, others]).toEqual([`\`chmod go= ${places.join(' ')}\``, []]);
      execSync(String(toDo).replaceAll('`', ''));
      expect((await check(one, '--offline')).of('ledger-open')).toEqual([]);
      expect(openToOthersIn(data)).toEqual(['keys/public.key']);
    },
  );

  test('reports a problem for a public key without its private key', async () => {
    const one = await operator();
    const keys = path.join(one.folder, 'data/keys');
    await ensureKeyPair(keys);
    rmSync(path.join(keys, 'private.key'));
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('key-missing')).toMatchObject([{ mark: 'problem' }]);
  });

  test('warns about a site that accepts v2 votes but has no token', async () => {
    const one = await operator({ sites: { default: {} } });
    expect((await check(one, '--offline')).of('token-none')).toMatchObject([
      { mark: 'warning', toDo: expect.stringContaining('teller keys rotate token default') },
    ]);
    writeConfig(one.config, { sites: { default: { protocols: ['v1'] } } });
    expect((await check(one, '--offline')).of('token-none')).toEqual([]);
  });
});

describe('check, the port', () => {
  const listening = (port: number) => ({ listener: { host: '127.0.0.1', port } });

  test('is a problem if another program uses it', async () => {
    const one = await operator(listening(await heldPort()));
    const { exit, of } = await check(one);
    expect(exit).toBe(1);
    expect(of('port-in-use')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is ok if the running Teller uses it, and a warning if it is free while one is running', async () => {
    const port = await heldPort();
    const one = await operator(listening(port));
    const lock = acquireLock(`${one.file}.lock`);
    onTestFinished(() => lock?.release());
    expect((await check(one)).of('port')).toMatchObject([{ mark: 'ok' }]);
    const free = createServer();
    await new Promise<void>((resolve) => void free.listen(0, '127.0.0.1', resolve));
    const other = (free.address() as { port: number }).port;
    await new Promise((resolve) => free.close(resolve));
    writeConfig(one.config, listening(other));
    expect((await check(one)).of('port-not-held')).toMatchObject([
      { mark: 'warning', toDo: naming(/restart/i) },
    ]);
  });

  test.each([
    ['::', ['IPv4', 'IPv6']],
    ['0.0.0.0', ['IPv4', 'IPv6']],
    ['127.0.0.1', ['IPv4']],
    ['::1', ['IPv6']],
  ])('at %s is tested over %j', async (host, families) => {
    const one = await operator({ listener: { host, port: await freePort() } });
    const found = (await check(one)).of('port');
    expect(found).toMatchObject([{ mark: 'ok' }]);
    expect(found[0]?.sentence.match(/IPv\d/g)).toEqual(families);
  });

  test('is a warning if the running Teller listens only on IPv4, because sites may use IPv6', async () => {
    const ipv4 = createServer().listen(0, '0.0.0.0');
    onTestFinished(() => void ipv4.close());
    await once(ipv4, 'listening');
    const { port } = ipv4.address() as { port: number };
    const one = await operator({ listener: { host: '0.0.0.0', port } });
    const lock = acquireLock(`${one.file}.lock`);
    onTestFinished(() => lock?.release());
    const { of } = await check(one);
    expect(of('port')).toEqual([]);
    expect(of('port-not-held')).toMatchObject([
      { mark: 'warning', sentence: naming('IPv6'), toDo: naming(/restart/i) },
    ]);
  });

  test('is also checked for the webhook, if a site has one', async () => {
    const port = await heldPort();
    const webhook = { path: '/a', secret: 's3cret', listingId: '1' };
    const sites = { default: { token: TOKEN }, 'A.com': { webhook } };
    const one = await operator({
      ...listening(await freePort()),
      webhook: { port, host: '127.0.0.1' },
      sites,
    });
    const { of, exit } = await check(one);
    expect(exit).toBe(1);
    expect(of('port-in-use')).toMatchObject([{ sentence: expect.stringContaining('webhook.port') }]);
    writeConfig(one.config, { ...listening(await freePort()), webhook: { port, host: '127.0.0.1' } });
    expect((await check(one)).of('port-in-use')).toEqual([]);
  });

  test('recognises a running Teller although the ledger has another path here', async () => {
    const port = await heldPort();
    const one = await operator(listening(port));
    const lock = acquireLock(`${one.file}.lock`);
    onTestFinished(() => lock?.release());
    symlinkSync(one.file, path.join(one.folder, 'linked.db'));
    writeConfig(one.config, { ...listening(port), ledger: 'linked.db' });
    expect((await check(one)).of('port')).toMatchObject([{ mark: 'ok' }]);
  });

  test('is not checked with --offline, nor are game servers', async () => {
    const silent = await scripted(() => {});
    const one = await operator({
      ...listening(await heldPort()),
      gameServers: rconAt(silent),
      rewards: THANKS,
    });
    withTeller(one);
    const { exit, found } = await check(one, '--offline');
    expect(exit).toBe(0);
    expect(found.map(({ code }) => code)).not.toContain('port-in-use');
    expect(silent.connections()).toBe(0);
  });
});

describe('check, the game servers', () => {
  const checked = async (gameServers: object) => {
    const one = await operator({ gameServers, rewards: THANKS });
    withTeller(one);
    return await check(one);
  };

  test('of kind http are contacted without sending a command', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const received: Buffer[] = [];
    const closed = new Promise<void>((resolve) => {
      server.once('connection', (socket) =>
        socket.on('data', (chunk) => received.push(chunk)).on('close', resolve),
      );
    });
    const at = (port: number) => ({
      gameServers: { city: { kind: 'http', url: `http://127.0.0.1:${port}/run`, secret: 's3cret' } },
      rewards: [{ name: 'thanks', when: 'always', commands: ['say thanks'] }],
    });
    const one = await operator(at((server.address() as AddressInfo).port));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('city', /127\.0\.0\.1:\d+/) },
    ]);
    await closed;
    expect(received).toEqual([]);
    writeConfig(one.config, at(await freePort()));
    expect((await check(one)).of('http-unreachable')).toMatchObject([{ mark: 'problem' }]);
  });

  test('of kind votifier are missed in shadow, where another listener pays and gets no votes from here', async () => {
    const alone = await operator({ pay: { mode: 'shadow' } });
    expect((await check(alone, '--offline')).of('shadow-alone')).toMatchObject([{ mark: 'warning' }]);
    const old = { kind: 'votifier', token: 's3cret-token' };
    writeConfig(alone.config, { pay: { mode: 'shadow' }, gameServers: { old }, rewards: [] });
    expect((await check(alone, '--offline')).of('shadow-alone')).toEqual([]);
  });

  test('of kind votifier are greeted without sending a vote, and their version is named', async () => {
    const received: Buffer[] = [];
    const greeting = { text: 'VOTIFIER 2 c0ffee\n' };
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (chunk) => received.push(chunk));
      socket.write(greeting.text);
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const at = (port: number, more: object) => ({
      gameServers: { old: { kind: 'votifier', port, ...more } },
      rewards: [],
    });
    const { port } = server.address() as AddressInfo;
    const [v2, v1] = [{ token: 's3cret-token' }, { protocol: 'v1', publicKey: 'data/keys/public.key' }];
    const one = await operator(at(port, v2));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('old', 'greets as a listener of version 2', 'not repeated') },
    ]);
    greeting.text = 'VOTIFIER 1.9\n';
    expect((await check(one)).of('votifier.other-version')).toMatchObject([{ mark: 'problem' }]);
    writeConfig(one.config, at(port, v1));
    writeKeyPair(path.join(one.folder, 'data/keys'));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('version 1 alone', '1.9', 'confirms nothing') },
    ]);
    writeConfig(one.config, at(port, { ...v1, publicKey: 'data/no.key' }));
    expect((await check(one)).of('votifier.key-unusable')).toMatchObject([{ mark: 'problem' }]);
    writeConfig(one.config, at(await freePort(), v2));
    expect((await check(one)).of('votifier.unreachable')).toMatchObject([{ mark: 'problem' }]);
    expect(received).toEqual([]);
  });

  test('are ok if they accept the login and say who is online', async () => {
    const server = await practice();
    server.join('Steve');
    const { exit, of } = await checked(rconAt(server));
    expect(exit).toBe(0);
    expect(of('game-server')).toMatchObject([
      {
        mark: 'ok',
        sentence: naming('main', `127.0.0.1:${server.port}`, '1 player'),
      },
    ]);
  });

  test('are a problem with a wrong password', async () => {
    const { exit, of } = await checked(rconAt(await practice(), { password: 'guess' }));
    expect(exit).toBe(1);
    expect(of('wrong-password')).toMatchObject([{ mark: 'problem' }]);
  });

  test('are a problem if they do not answer, with a hint about proxies', async () => {
    const server = await practice();
    const { host, port } = server;
    await server.close();
    const { exit, of } = await checked(rconAt({ host, port }));
    expect(exit).toBe(1);
    expect(of('unreachable')).toMatchObject([{ toDo: naming('Velocity', 'BungeeCord') }]);
  });

  test.each([
    ['does not answer', () => {}],
    ['closes', (socket: Socket) => socket.end()],
    ['answers in words', (socket: Socket) => socket.end('one connection at a time, please\r\n')],
  ])(
    'that %s while the running Teller is connected probably allow only one connection',
    async (_, refuses) => {
      const one = await operator({
        gameServers: rconAt(await scripted((_packet, socket) => refuses(socket))),
      });
      await one.ledger.storeQueueState('main', null, one.clock.now());
      const lock = acquireLock(`${one.file}.lock`);
      onTestFinished(() => lock?.release());
      const { exit, of } = await check(one);
      expect([exit, of('single-connection')]).toMatchObject([0, [{ mark: 'warning' }]]);
      lock?.release();
      expect((await check(one)).of('single-connection')).toEqual([]);
    },
  );

  test('are a warning if they cannot report who is online, and the warning says what follows from that', async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, 'Nobody but us chickens');
    });
    const { exit, of } = await checked(rconAt(reshaped));
    expect(exit).toBe(0);
    expect(of('list-not-understood')).toMatchObject([
      { mark: 'warning', sentence: naming('main', '"when": "online"') },
    ]);
  });

  test('are a warning if they report no UUIDs, but only if a reward uses {uuid}', async () => {
    const server = await practice();
    server.join('Steve');
    server.setFault('no-list-uuids');
    const rewards = [{ name: 'rank', commands: ['lp user {uuid} parent add voter'] }];
    const one = await operator({ gameServers: rconAt(server), rewards });
    expect((await check(one)).of('uuid-unknown')).toMatchObject([{ mark: 'warning' }]);
    server.clearFaults();
    expect((await check(one)).of('uuid-unknown')).toEqual([]);
    server.setFault('no-list-uuids');
    expect((await checked(rconAt(server))).of('uuid-unknown')).toEqual([]);
    const party = [{ name: 'feast', every: 5, commands: ['lp user {uuid} parent add voter'] }];
    const other = await operator({ gameServers: rconAt(server), party });
    expect((await check(other)).of('uuid-unknown')).toMatchObject([{ mark: 'warning' }]);
  });

  test('are ok if they answer for each player, even if the player list cannot be parsed', async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, packet.body.includes('execute') ? 'Test failed' : 'Hello');
    });
    expect((await checked(rconAt(reshaped))).of('presence-one-by-one')).toMatchObject([{ mark: 'ok' }]);
  });
});

describe('check, the ledger', () => {
  test('is a problem if the file is not a ledger', async () => {
    const one = await operator({ ledger: 'other.db' });
    writeFileSync(path.join(one.folder, 'other.db'), 'this is no database, and long enough to be looked at');
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('ledger-corrupt')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is a problem if its latest writes are missing, and the message names the file to put back', async () => {
    const one = await operator();
    await one.vote('Steve', 'List');
    await one.ledger.claim({ grantId: 1, position: 0, player: 'Steve', uuid: null, now: 0 });
    openMark(`${one.file}.mark`).set(30);
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('ledger-behind')).toMatchObject([{ mark: 'problem' }]);
    expect(of('ledger-behind')[0]?.sentence).toEqual(naming(`${one.file}-wal`));
  });

  test('is read completely with --deep', async () => {
    const one = await operator();
    const [shallow] = (await check(one, '--offline')).of('ledger');
    const [deep] = (await check(one, '--offline', '--deep')).of('ledger');
    expect(deep).toMatchObject({ mark: 'ok' });
    expect(deep?.sentence).not.toBe(shallow?.sentence);
  });

  test('has warnings for grants that need a decision', async () => {
    const one = await operator({ rewards: THANKS });
    withTeller(one);
    for (const player of ['Steve', 'Alex', 'Zoe']) await one.vote(player, 'A');
    await one.answer(1, 0, { kind: 'refused', reply: 'Unknown item' });
    await one.answer(2, 0, { kind: 'unknown', reason: 'timeout' });
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(0);
    expect(of('grants-stuck')).toMatchObject([
      { sentence: naming('1 grant', 'held', '[timeout]'), toDo: naming('`teller grants --state held`') },
      {
        sentence: naming('1 grant', 'refused'),
        toDo: naming('`teller grants --state refused`', '`teller grants pay --rerender`'),
      },
    ]);
  });

  test('has a warning for a game server that sends no reply to a command without output, with the key to set', async () => {
    const server = await practice();
    server.setFault('no-empty-frames');
    const one = await operator({ gameServers: rconAt(server) });
    const { found, of } = await check(one);
    expect(found.filter(({ code }) => code === 'game-server')).toMatchObject([{ mark: 'ok' }]);
    expect(of('no-frame')).toMatchObject([
      { mark: 'warning', toDo: naming('gameServers.main.noReply', '"delivered"') },
    ]);
    writeConfig(one.config, { gameServers: rconAt(server, { noReply: 'delivered' }) });
    expect((await check(one)).of('no-frame')).toEqual([]);
    server.clearFaults();
    writeConfig(one.config, { gameServers: rconAt(server) });
    expect((await check(one)).of('no-frame')).toEqual([]);
  });

  test('has one warning per kind of reply that looks like a failure, with the config entry that would refuse it', async () => {
    const one = await operator({ rewards: THANKS });
    for (const player of ['Steve', 'Alex']) await one.vote(player, 'A');
    for (const [at, player] of ['Steve', 'Alex'].entries()) {
      await one.answer(at + 1, 0, {
        kind: 'delivered',
        reply: `Sorry, could not find a shop for ${player} 12`,
      });
    }
    const found = (await check(one, '--offline')).of('replies-doubtful');
    expect(found).toMatchObject([{ mark: 'warning' }]);
    const entry = 'Sorry, could not find a shop for \\S+ \\d+';
    expect(found[0]?.toDo).toEqual(naming(JSON.stringify(entry), 'gameServers.main.refusedReplies'));
    const main = { kind: 'practice', refusedReplies: [entry] };
    writeConfig(one.config, { rewards: THANKS, gameServers: { main } });
    expect((await check(one, '--offline')).of('replies-doubtful')).toEqual([]);
  });

  test('shows each site’s last vote, silent and unlisted sites, and refusals with their likely cause', async () => {
    const one = await operator({ sites: { default: { token: TOKEN }, 'My-List.com': {}, Silent: {} } });
    await one.vote('Steve', 'My-List.com', { at: '2026-06-01T10:00:00Z' });
    await one.vote('Steve', 'Other.net', { at: '2026-06-01T11:00:00Z' });
    await one.ledger.countRefusals([
      refusal('v2-signature', 'My-List.com', '2026-06-01T09:00:00Z'),
      refusal('v2-signature', 'Other.net', '2026-06-01T11:30:00Z', 2),
    ]);
    const { of } = await check(one, '--offline');
    expect(of('site')).toEqual([
      expect.objectContaining({
        mark: 'ok',
        sentence: naming('My-List.com', '2026-06-01T10:00:00.000Z', '1'),
        toDo: null,
      }),
    ]);
    expect(of('site-silent')).toMatchObject([
      { mark: 'warning', sentence: naming('Silent'), toDo: naming('`teller keys`') },
    ]);
    expect(of('site-unlisted')).toMatchObject([
      {
        mark: 'warning',
        sentence: naming('Other.net', '2026-06-01T11:00:00.000Z', '1'),
        toDo: naming('"Other.net": {}', '`teller sites add`'),
      },
    ]);
    const cause = ['192.0.2.66', 'wrong token', 'v2-signature'];
    expect(of('refusals').toSorted((a, b) => a.mark.localeCompare(b.mark))).toMatchObject([
      { mark: 'ok', sentence: naming('My-List.com', '2026-06-01T09:00:00.000Z', ...cause) },
      {
        mark: 'warning',
        sentence: naming('Other.net', '2', '2026-06-01T11:30:00.000Z', ...cause),
        toDo: naming('`teller keys`'),
      },
    ]);
  });
});

test.each([
  [{ mode: 'shadow' }, { code: 'shadow', mark: 'warning' }],
  [
    { from: '2026-06-01T12:01Z' },
    { code: 'hand-over', mark: 'warning', sentence: naming('2026-06-01T12:01:00.000Z') },
  ],
  [
    { from: '2026-06-01T12:00Z' },
    { code: 'hand-over', mark: 'ok', sentence: naming('2026-06-01T12:00:00.000Z') },
  ],
])('check says which votes are paid here beside another listener: %j', async (pay, finding) => {
  const one = await operator({ pay });
  const { found } = await check(one, '--offline');
  expect(found).toContainEqual(expect.objectContaining(finding));
});

test('check reports an unusable lock, and continues', async () => {
  const one = await operator();
  mkdirSync(`${one.file}.lock`);
  const { of, exit } = await check(one, '--offline');
  expect(exit).toBe(1);
  expect(of('data-unwritable')).toMatchObject([
    { mark: 'problem', sentence: expect.stringContaining('.lock') },
  ]);
  expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
});

describe('the time zone', () => {
  test('is that of the config', async () => {
    const one = await operator({ timeZone: 'Europe/Berlin' });
    expect((await check(one, '--offline')).of('time-zone')).toMatchObject([
      { mark: 'ok', sentence: naming('Europe/Berlin') },
    ]);
  });

  test('is a problem if the running Teller has another one', async () => {
    const one = await operator({ timeZone: 'Europe/Berlin' });
    const lock = acquireLock(`${one.file}.lock`);
    onTestFinished(() => lock?.release());
    expect((await check(one, '--offline')).of('time-zone-differs')).toMatchObject([
      { mark: 'problem', sentence: naming('UTC', 'Europe/Berlin') },
    ]);
  });
});

describe('check, the clock', () => {
  test('is a problem if it shows 1970', async () => {
    const one = await operator();
    one.clock.set('1970-01-01T00:05:00Z');
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('clock-wrong')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is a problem if it is behind the latest vote, unless all game servers are practice servers', async () => {
    const real = { main: { kind: 'rcon', port: 1, password: PASSWORD } };
    const one = await operator({ gameServers: real, rewards: THANKS });
    await one.vote('Steve', 'A', { at: '2026-06-02T12:00:00Z' });
    one.clock.set('2026-06-01T12:00:00Z');
    expect((await check(one, '--offline')).of('clock-wrong')).toMatchObject([{ mark: 'problem' }]);
    writeConfig(one.config, {});
    expect((await check(one, '--offline')).of('clock')).toMatchObject([{ mark: 'ok' }]);
  });

  test('is a warning if most sites disagree with it', async () => {
    const one = await operator({ rewards: [] });
    for (const player of ['Steve', 'Alex', 'Zoe']) {
      await one.vote(player, 'A', { at: '2026-06-01T12:00:00Z', timestamp: '1780308000' });
    }
    expect((await check(one, '--offline')).of('clock-wrong')).toMatchObject([
      { mark: 'warning', sentence: naming('2 h') },
    ]);
  });

  test('is not doubted because of missed votes that an API reported hours later', async () => {
    const one = await operator({ rewards: [] });
    const found = ['Steve', 'Alex', 'Zoe'].map((player) => {
      const claim = claimed('2026-06-01T04:00:00Z');
      const facts = {
        castAt: claim.at,
        receivedAt: one.clock.now(),
        channel: 'api',
        eventId: player,
      } as const;
      return arrival({ player, service: 'A', claim, ...facts });
    });
    await record(one.ledger, found, rulesFor());
    const { of } = await check(one, '--offline');
    expect(of('clock-wrong')).toEqual([]);
    expect(of('clock')).toMatchObject([{ mark: 'ok' }]);
  });
});

test('the codes of check differ from problem codes', async () => {
  const { problems } = await import('../../src/core/problems.ts');
  expect(Object.keys(findingCodes).filter((code) => code in problems)).toEqual([]);
});

describe('check, the channels', () => {
  test('warns that v1 votes can be forged, unless each site has `from` or accepts only v2', async () => {
    const one = await operator({
      sites: {
        default: { token: TOKEN },
        'A.com': { from: ['203.0.113.0/24'] },
        'B.com': {},
        'C.com': { from: ['0.0.0.0/0', '::/0'] },
      },
    });
    expect((await check(one, '--offline')).of('v1-open')).toMatchObject([
      { mark: 'warning', sentence: naming('default, B.com, C.com') },
    ]);
    const shut = {
      default: { token: TOKEN, protocols: ['v2'] },
      'A.com': { from: ['203.0.113.0/24'], protocols: ['v1'] },
    };
    writeConfig(one.config, { sites: shut });
    expect((await check(one, '--offline')).of('v1-open')).toEqual([]);
    const v2Only = { host: '127.0.0.1', port: 0, protocols: ['v2'] };
    writeConfig(one.config, {
      listener: v2Only,
      sites: { default: { token: TOKEN, protocols: ['v1', 'v2'] } },
    });
    expect((await check(one, '--offline')).of('v1-open')).toEqual([]);
  });

  test('warns that PROXY headers are accepted from any address, unless the proxies are listed', async () => {
    const open = { host: '127.0.0.1', port: 0, proxyProtocol: 'required' };
    const one = await operator({ listener: open });
    expect((await check(one, '--offline')).of('proxies-open')).toMatchObject([
      { mark: 'warning', toDo: naming('listener.trustedProxies') },
    ]);
    writeConfig(one.config, { listener: { ...open, trustedProxies: ['127.0.0.1/32'] } });
    expect((await check(one, '--offline')).of('proxies-open')).toEqual([]);
  });

  test('warns about a listing whose votes do not match its game, and about one whose clock differs', async () => {
    const clock = new FakeClock('2026-06-01T12:05:00Z');
    const service = listingService({ clock });
    const mine = await service.owner('minecraft', 'votes:read');
    const five = await service.owner('fivem', 'votes:read');
    for (let voter = 0; voter < 10; voter++) await service.cast(five.listing, `${voter}`);
    await service.cast(mine.listing, '11', 'Steve');
    const { url: baseUrl } = await serveApi(service);
    const site = ({ token }: { token: string }, game: string) => ({ game, api: { baseUrl, token } });
    const one = await operator({
      sites: {
        default: { token: TOKEN },
        ...{ 'Right.com': site(mine, 'minecraft'), 'Five.com': site(five, 'fivem') },
        ...{ 'Wrong.com': site(five, 'minecraft'), 'Other.com': site(mine, 'roblox') },
      },
    });
    const { of } = await check(one);
    expect(of('game-doubtful').map(({ sentence }) => sentence)).toEqual([
      naming('Wrong.com', 'minecraft', '10'),
      naming('Other.com', 'roblox'),
    ]);
    expect(of('clock-wrong')).toHaveLength(4);
    expect(of('clock-wrong')[0]?.sentence).toEqual(naming('Right.com', '2026-06-01T12:05:00.000Z', '5 min'));
  });

  test('reports an API whose votes cannot be read, because missed votes cannot be recovered from it', async () => {
    const server = await scriptedServer(json(200, [{ id: '1', user: 'u1' }]));
    const sites = { default: { token: TOKEN }, 'Odd.com': { api: { baseUrl: server.root, token: 'tok_x' } } };
    const one = await operator({ sites });
    expect((await check(one)).of('api')).toMatchObject([
      {
        mark: 'problem',
        sentence: naming('Odd.com', '0.userId', '(unfit)'),
      },
    ]);
  });

  test('warns about an API without TLS, unless it is on this machine', async () => {
    const api = (baseUrl: string) => ({ api: { baseUrl, token: 'env:NOT_SET' } });
    const one = await operator({
      sites: {
        default: { token: TOKEN },
        'Plain.com': api('http://list.example/api/v1'),
        'Safe.com': api('https://list.example/api/v1'),
        'Here.com': api('http://127.0.0.1:8000/api/v1'),
      },
    });
    expect((await check(one)).of('api-plain')).toMatchObject([
      { mark: 'warning', sentence: naming('Plain.com', 'TLS') },
    ]);
  });

  test('names a site whose votes no reward can be paid for, and why', async () => {
    const api = { baseUrl: 'http://127.0.0.1:1/api/v1', token: 'tok' };
    const rewards = [
      { name: 'daily', commands: ['give {player} diamond'] },
      { name: 'hello', if: { site: 'Five.com' }, commands: ['say hello'] },
    ];
    const sites = { default: { token: TOKEN }, 'Five.com': { game: 'fivem', api }, 'Mine.com': {} };
    const one = await operator({ sites, rewards });
    expect((await check(one, '--offline')).of('rewards-misfit')).toMatchObject([
      {
        mark: 'warning',
        sentence: naming('Five.com', /daily\b.*\{player\}.*hello\b.*"when": "always"/),
        toDo: naming('{userId}', '"when": "always"', 'fivem'),
      },
    ]);
  });

  test('warns about a total that is missed unless the vote which reaches it passes a filter', async () => {
    const commands = ['say hi'];
    const rewards = [
      { name: 'weekend', if: { votes: { every: 10 }, weekday: ['sat', 'sun'] }, commands },
      { name: 'streak', if: { streak: 7, weekday: ['sat', 'sun'] }, commands },
      { name: 'tenth', if: { votes: { every: 10, sites: ['List'] } }, commands },
    ];
    const one = await operator({ rewards, sites: { default: { token: TOKEN }, List: {} } });
    expect((await check(one, '--offline')).of('total-filtered')).toMatchObject([
      { mark: 'warning', sentence: naming('weekend', '`votes`', '`weekday`'), toDo: naming('votes.sites') },
    ]);
  });

  test('warns about unknown placeholders, and about colour codes that Minecraft shows as text', async () => {
    const commands = ['say &6{player} {rank}', 'say &6{player} {rank}', 'broadcast &6%a_b%'];
    const one = await operator({ rewards: [{ name: 'thanks', when: 'always', commands }] });
    withTeller(one);
    const { of, exit } = await check(one, '--offline');
    expect(exit).toBe(0);
    expect(of('placeholder-unknown').map(({ mark, sentence }) => [mark, sentence])).toEqual([
      ['warning', naming('thanks', '{rank}')],
      ['warning', naming('thanks', '%a_b%')],
    ]);
    expect(of('colour-code')).toMatchObject([{ mark: 'warning', sentence: naming('thanks', '&6') }]);
  });

  test('warns about the commands of what players earn together as about those of rewards', async () => {
    const one = await operator({
      rewards: [{ name: 'thanks', when: 'always', commands: ['say {partyLeft}'] }],
      party: [
        { name: 'feast', every: 5, announce: ['say &6{left} left'], commands: ['give {player} {prize}'] },
      ],
      tops: [{ name: 'best', period: 'month', prizes: { 1: ['give {player} %crate%'] } }],
      publish: [{ name: 'board', commands: ['say {top1} {top11}'] }],
      remind: [{ name: 'again', commands: ['tell {player} {sites_left}'] }],
    });
    withTeller(one);
    const { of, exit } = await check(one, '--offline');
    expect(exit).toBe(0);
    expect(of('placeholder-unknown').map(({ mark, sentence }) => [mark, sentence])).toEqual([
      ['warning', naming('reward thanks', '{partyLeft}')],
      ['warning', naming('party feast', '{prize}')],
      ['warning', naming('party feast', '{left}')],
      ['warning', naming('top best', '%crate%')],
      ['warning', naming('publish board', '{top11}')],
      ['warning', naming('remind again', '{sites_left}')],
    ]);
    expect(of('colour-code')).toMatchObject([{ mark: 'warning', sentence: naming('party feast', '&6') }]);
  });

  test('queries each listing’s API for votes, and says what is wrong if that fails', async () => {
    const service = listingService();
    const { token } = await service.owner('minecraft', 'votes:read');
    const { token: writing } = await service.owner('minecraft', 'webhooks:write');
    const { url } = await serveApi(service);
    const site = (apiToken: string, baseUrl = url) => ({ api: { baseUrl, token: apiToken } });
    const one = await operator({
      sites: {
        default: { token: TOKEN },
        ...{ 'Right.com': site(token), 'Scope.com': site(writing), 'Old.com': site('vl_old') },
        'Down.com': site(token, `http://127.0.0.1:${await freePort()}/api/v1`),
      },
    });
    const { of, exit } = await check(one);
    expect(exit).toBe(1);
    expect(
      of('api').map(({ mark, sentence }) => `${mark} ${/\((\w[\w-]*)\)$/.exec(sentence)?.[1] ?? ''}`),
    ).toEqual([...['ok ', 'problem MISSING_SCOPE', 'problem INVALID_TOKEN', 'problem port-refused']]);
    expect((await check(one, '--offline')).of('api')).toEqual([]);
  });
});
