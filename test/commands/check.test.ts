import { execSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { json, scriptedServer } from '../kit/listing-api.ts';
import { type Desk, desk, type Place, rewrite } from '../kit/place.ts';
import { serve } from '../kit/serve.ts';
import { stuck } from '../kit/stuck.ts';
import { TOKEN } from '../kit/vote.ts';
import { listingService } from '../listing/listing-service.ts';
import { serveApi } from '../listing/served-api.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openToOthersIn } from '../support/modes.ts';
import { naming } from '../support/naming.ts';
import { answer, PASSWORD, practice, scripted } from '../support/rcon.ts';

interface FoundRow {
  readonly mark: string;
  readonly code: string;
  readonly sentence: string;
  readonly toDo: string | null;
}

const check = async (one: Pick<Desk, 'run'>, ...words: string[]) => {
  const { json: rows, exit } = await one.run('check', '--json', ...words);
  const found: readonly FoundRow[] = rows;
  return { exit, found, of: (code: string) => found.filter((finding) => finding.code === code) };
};

/** A Teller that runs, at noon. */
const running = (more: object = {}) => here(more, new FakeClock('2026-06-01T12:00:00Z'));

const ledgerOf = ({ folder }: Place): string => path.join(folder, 'data/teller.db');

const THANKS = [{ name: 'thanks', when: 'always', commands: ['say {player}'] }];

const rconAt = ({ host, port }: { host: string; port: number }, more: object = {}) => ({
  main: { kind: 'rcon', host, port, password: PASSWORD, commandTimeout: '500ms', ...more },
});

/** A port that another program uses. */
const heldPort = (): Promise<number> => serve(createServer());

describe('check', () => {
  test('prints one line per finding: mark, code, sentence and what to do', async () => {
    const one = await running({ sites: { default: { token: TOKEN } } });
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

  test('changes nothing: it creates no ledger, lock or key', async () => {
    const one = desk();
    rmSync(path.join(one.folder, 'data'), { recursive: true });
    const { exit, of } = await check(one);
    expect(exit).toBe(0);
    expect(of('ledger-missing')).toMatchObject([{ mark: 'warning' }]);
    expect(of('keys-not-made')).toMatchObject([{ mark: 'warning', toDo: naming('`teller run`') }]);
    expect(existsSync(path.join(one.folder, 'data'))).toBe(false);
  });

  test('exits 2 for an invalid config, with all of its problems', async () => {
    const one = desk();
    rewrite(one, { listner: {}, ledger: 5, sites: { default: { token: 'YOUR_TOKEN_HERE' } } });
    const { exit, found } = await check(one);
    expect(exit).toBe(2);
    expect(found.map(({ mark, code }) => `${mark} ${code}`).sort()).toEqual([
      'problem config-unknown-key',
      'problem config-value',
      'problem secret-placeholder',
    ]);
  });

  test('exits 2 for a config that does not exist, and says where it looked and how to name another file', async () => {
    const one = desk();
    rmSync(one.config);
    const { exit, found } = await check(one);
    expect(exit).toBe(2);
    const sentence = naming(one.config, '--config');
    expect(found).toMatchObject([{ mark: 'problem', code: 'config-missing', sentence }]);
  });

  test('exits 2 for a missing secret file, like `run`, and checks the rest', async () => {
    const one = desk({
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
    const one = desk({
      gameServers: { main: { kind: 'rcon', password: 'env:TELLER_TEST_UNSET' } },
      rewards: THANKS,
    });
    const { of } = await check(one);
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
    const one = desk({ sites: { default: { token: TOKEN }, 'List.com': { api } } });
    expect((await check(one)).of('api-unknown')).toMatchObject([
      { mark: 'warning', sentence: expect.stringMatching(/List\.com.*TELLER_TEST_UNSET/) },
    ]);
  });

  test.skipIf(process.platform === 'win32')(
    'warns about secrets of every channel and game server that other users can read, also in the config',
    async () => {
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
    },
  );

  test.skipIf(process.platform === 'win32')(
    'warns about a ledger that other users can read or lock, with the command to type',
    async () => {
      const one = await running({ sites: { default: { token: TOKEN } } });
      await one.vote({ player: 'Alex' });
      const [ledger, data] = [ledgerOf(one), path.dirname(ledgerOf(one))];
      const places = [data, ledger, `${ledger}-shm`, `${ledger}-wal`];
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
    const one = desk();
    const keys = path.join(one.folder, 'data/keys');
    rmSync(path.join(keys, 'private.key'));
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('key-missing')).toMatchObject([{ mark: 'problem' }]);
  });

  test('warns about a site that accepts v2 votes but has no token', async () => {
    const one = desk({ sites: { default: {} } });
    expect((await check(one, '--offline')).of('token-none')).toMatchObject([
      { mark: 'warning', toDo: expect.stringContaining('teller keys rotate token default') },
    ]);
    rewrite(one, { sites: { default: { protocols: ['v1'] } } });
    expect((await check(one, '--offline')).of('token-none')).toEqual([]);
  });
});

describe('check, the port', () => {
  const listening = (port: number) => ({ listener: { host: '127.0.0.1', port } });

  test('is a problem if another program uses it', async () => {
    const one = desk(listening(await heldPort()));
    const { exit, of } = await check(one);
    expect(exit).toBe(1);
    expect(of('port-in-use')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is ok if the running Teller uses it, and a warning if it is free while one is running', async () => {
    const one = await running(listening(await freePort()));
    expect((await check(one)).of('port')).toMatchObject([{ mark: 'ok' }]);
    rewrite(one, listening(await freePort()));
    expect((await check(one)).of('port-not-held')).toMatchObject([
      { mark: 'warning', toDo: naming(/restart/i) },
    ]);
    // Also where the ledger has another path.
    symlinkSync(ledgerOf(one), path.join(one.folder, 'linked.db'));
    rewrite(one, { ledger: 'linked.db' });
    expect((await check(one)).of('not-running')).toEqual([]);
  });

  test.each([
    ['::', ['IPv4', 'IPv6']],
    ['0.0.0.0', ['IPv4', 'IPv6']],
    ['127.0.0.1', ['IPv4']],
    ['::1', ['IPv6']],
  ])('at %s is tested over %j', async (host, families) => {
    const one = desk({ listener: { host, port: await freePort() } });
    const found = (await check(one)).of('port');
    expect(found).toMatchObject([{ mark: 'ok' }]);
    expect(found[0]?.sentence.match(/IPv\d/g)).toEqual(families);
  });

  test('is a warning if the running Teller listens only on IPv4, because sites may use IPv6', async () => {
    const port = await freePort();
    const one = await running(listening(port));
    rewrite(one, { listener: { host: '0.0.0.0', port } });
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
    const one = desk({
      ...listening(await freePort()),
      webhook: { port, host: '127.0.0.1' },
      sites,
    });
    const { of, exit } = await check(one);
    expect(exit).toBe(1);
    expect(of('port-in-use')).toMatchObject([{ sentence: expect.stringContaining('webhook.port') }]);
    rewrite(one, { ...listening(await freePort()), webhook: { port, host: '127.0.0.1' } });
    expect((await check(one)).of('port-in-use')).toEqual([]);
  });

  test('is not checked with --offline, nor are game servers', async () => {
    const silent = await scripted(() => {});
    const one = desk({
      ...listening(await heldPort()),
      gameServers: rconAt(silent),
      rewards: THANKS,
    });
    const { found } = await check(one, '--offline');
    expect(found.map(({ code }) => code)).not.toContain('port-in-use');
    expect(silent.connections()).toBe(0);
  });
});

describe('check, the game servers', () => {
  /** Without a Teller that runs, that none runs is the one problem. */
  const checked = async (gameServers: object) => {
    const { found, of } = await check(desk({ gameServers, rewards: THANKS }));
    const codes = found.flatMap(({ mark, code }) => (mark === 'problem' ? [code] : []));
    return { problems: codes.filter((code) => code !== 'not-running'), of };
  };

  test('of kind http are contacted without sending a command', async () => {
    const server = createServer();
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
    const one = desk(at(await serve(server)));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('city', /127\.0\.0\.1:\d+/) },
    ]);
    await closed;
    expect(received).toEqual([]);
    rewrite(one, at(await freePort()));
    expect((await check(one)).of('http-unreachable')).toMatchObject([{ mark: 'problem' }]);
  });

  test('of kind votifier are missed in shadow, where another listener pays and gets no votes from here', async () => {
    const alone = desk({ pay: { mode: 'shadow' } });
    expect((await check(alone, '--offline')).of('shadow-alone')).toMatchObject([{ mark: 'warning' }]);
    const old = { kind: 'votifier', token: 's3cret-token' };
    rewrite(alone, { pay: { mode: 'shadow' }, gameServers: { old }, rewards: [] });
    expect((await check(alone, '--offline')).of('shadow-alone')).toEqual([]);
  });

  test('of kind votifier are greeted without sending a vote, and their version is named', async () => {
    const received: Buffer[] = [];
    const greeting = { text: 'VOTIFIER 2 c0ffee\n' };
    const server = createServer((socket) => {
      socket.on('error', () => {}).on('data', (chunk) => received.push(chunk));
      socket.write(greeting.text);
    });
    const at = (port: number, more: object) => ({
      gameServers: { old: { kind: 'votifier', port, ...more } },
      rewards: [],
    });
    const port = await serve(server);
    const [v2, v1] = [{ token: 's3cret-token' }, { protocol: 'v1', publicKey: 'data/keys/public.key' }];
    const one = desk(at(port, v2));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('old', 'greets as a listener of version 2', 'not repeated') },
    ]);
    greeting.text = 'VOTIFIER 1.9\n';
    expect((await check(one)).of('votifier.other-version')).toMatchObject([{ mark: 'problem' }]);
    rewrite(one, at(port, v1));
    expect((await check(one)).of('game-server')).toMatchObject([
      { mark: 'ok', sentence: naming('version 1 alone', '1.9', 'confirms nothing') },
    ]);
    rewrite(one, at(port, { ...v1, publicKey: 'data/no.key' }));
    expect((await check(one)).of('votifier.key-unusable')).toMatchObject([{ mark: 'problem' }]);
    rewrite(one, at(await freePort(), v2));
    expect((await check(one)).of('votifier.unreachable')).toMatchObject([{ mark: 'problem' }]);
    expect(received).toEqual([]);
  });

  test('are ok if they accept the login and say who is online', async () => {
    const server = await practice();
    server.join('Steve');
    const { problems, of } = await checked(rconAt(server));
    expect(problems).toEqual([]);
    expect(of('game-server')).toMatchObject([
      {
        mark: 'ok',
        sentence: naming('main', `127.0.0.1:${server.port}`, '1 player'),
      },
    ]);
  });

  test('are a problem with a wrong password', async () => {
    const { problems, of } = await checked(rconAt(await practice(), { password: 'guess' }));
    expect(problems).toEqual(['wrong-password']);
    expect(of('wrong-password')).toMatchObject([{ mark: 'problem' }]);
  });

  test('are a problem if they do not answer, with a hint about proxies', async () => {
    const server = await practice();
    const { host, port } = server;
    await server.close();
    const { problems, of } = await checked(rconAt({ host, port }));
    expect(problems).toEqual(['unreachable']);
    expect(of('unreachable')).toMatchObject([{ toDo: naming('Velocity', 'BungeeCord') }]);
  });

  test.each([
    ['does not answer', () => {}],
    ['closes', (socket: Socket) => socket.end()],
    ['answers in words', (socket: Socket) => socket.end('one connection at a time, please\r\n')],
  ])(
    'that %s while the running Teller is connected probably allow only one connection',
    async (_, refuses) => {
      const first = new Set<Socket>();
      const game = await scripted((packet, socket) => {
        if (first.size === 0) first.add(socket);
        if (!first.has(socket)) refuses(socket);
        else if (packet.type === 3) answer(socket, packet.id, '', 2);
        else answer(socket, packet.id, 'There are 0 of a max of 20 players online: ');
      });
      const one = await running({ gameServers: rconAt(game) });
      await one.vote({ player: 'Steve' });
      await one.until(() => game.connections() > 0);
      await one.pass(2_000);
      const { of } = await one.during(check(one));
      expect(of('single-connection')).toMatchObject([{ mark: 'warning' }]);
    },
  );

  test('are a warning if they cannot report who is online, and the warning says what follows from that', async () => {
    const reshaped = await scripted((packet, socket) => {
      if (packet.type === 3) answer(socket, packet.id, '', 2);
      else answer(socket, packet.id, 'Nobody but us chickens');
    });
    const { problems, of } = await checked(rconAt(reshaped));
    expect(problems).toEqual([]);
    expect(of('list-not-understood')).toMatchObject([
      { mark: 'warning', sentence: naming('main', '"when": "online"') },
    ]);
  });

  test('are a warning if they report no UUIDs, but only if a reward uses {uuid}', async () => {
    const server = await practice();
    server.join('Steve');
    server.setFault('no-list-uuids');
    const rewards = [{ name: 'rank', commands: ['lp user {uuid} parent add voter'] }];
    const one = desk({ gameServers: rconAt(server), rewards });
    expect((await check(one)).of('uuid-unknown')).toMatchObject([{ mark: 'warning' }]);
    server.clearFaults();
    expect((await check(one)).of('uuid-unknown')).toEqual([]);
    server.setFault('no-list-uuids');
    expect((await checked(rconAt(server))).of('uuid-unknown')).toEqual([]);
    const party = [{ name: 'feast', every: 5, commands: ['lp user {uuid} parent add voter'] }];
    const other = desk({ gameServers: rconAt(server), party });
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
    const one = desk({ ledger: 'other.db' });
    writeFileSync(path.join(one.folder, 'other.db'), 'this is no database, and long enough to be looked at');
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('ledger-corrupt')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is a problem if its latest writes are missing, and the message names the file to put back', async () => {
    const { teller: one } = await stuck();
    const ledger = ledgerOf(one);
    await one.restart(async () => {
      const placed = `${ledger}.placed`;
      renameSync(ledger, placed);
      copyFileSync(ledgerOf(desk()), ledger);
      const { exit, of } = await check(one, '--offline');
      expect([exit, of('ledger-behind')]).toMatchObject([
        1,
        [{ mark: 'problem', sentence: naming(`${ledger}-wal`) }],
      ]);
      renameSync(placed, ledger);
    });
  });

  test('is read completely with --deep', async () => {
    const one = desk();
    const [shallow] = (await check(one, '--offline')).of('ledger');
    const [deep] = (await check(one, '--offline', '--deep')).of('ledger');
    expect(deep).toMatchObject({ mark: 'ok' });
    expect(deep?.sentence).not.toBe(shallow?.sentence);
  });

  test('has warnings for grants that need a decision', async () => {
    const { teller } = await stuck();
    const { exit, of } = await check(teller, '--offline');
    expect(exit).toBe(0);
    expect(of('grants-stuck')).toMatchObject([
      {
        sentence: naming('main', '1 grant', 'held', 'A command may have run', '[no-frame]'),
        toDo: naming('`teller grants --state held`'),
      },
      {
        sentence: naming('1 grant', 'refused'),
        toDo: naming('`teller grants --state refused`', '`teller grants pay --rerender`'),
      },
    ]);
  });

  test('has a warning for a game server that sends no reply to a command without output, with the key to set', async () => {
    const server = await practice();
    server.setFault('no-empty-frames');
    const one = desk({ gameServers: rconAt(server) });
    const { found, of } = await check(one);
    expect(found.filter(({ code }) => code === 'game-server')).toMatchObject([{ mark: 'ok' }]);
    expect(of('no-frame')).toMatchObject([
      { mark: 'warning', toDo: naming('gameServers.main.noReply', '"delivered"') },
    ]);
    rewrite(one, { gameServers: rconAt(server, { noReply: 'delivered' }) });
    expect((await check(one)).of('no-frame')).toEqual([]);
    server.clearFaults();
    rewrite(one, { gameServers: rconAt(server) });
    expect((await check(one)).of('no-frame')).toEqual([]);
  });

  test('has one warning per kind of reply that looks like a failure, with the config entry that would refuse it', async () => {
    const game = await rconGame();
    const rewards = [{ name: 'bank', when: 'always', commands: ['bank {player}'] }];
    const one = await running({ gameServers: { main: game.entry }, rewards });
    for (const player of ['Steve', 'Alex']) await one.vote({ player });
    await one.untilGrants('delivered', 'delivered');
    const found = (await check(one, '--offline')).of('replies-doubtful');
    expect(found).toMatchObject([{ mark: 'warning' }]);
    const entry = '\\S+ has no account here';
    expect(found[0]?.toDo).toEqual(naming(JSON.stringify(entry), 'gameServers.main.refusedReplies'));
    rewrite(one, { rewards, gameServers: { main: { ...game.entry, refusedReplies: [entry] } } });
    expect((await check(one, '--offline')).of('replies-doubtful')).toEqual([]);
  });

  test('shows each site’s last vote, silent and unlisted sites, and refusals with their likely cause', async () => {
    const one = await running({ sites: { default: { token: TOKEN }, 'My-List.com': {}, Silent: {} } });
    const wrong = 'wrong-token-of-thirty-two-letters';
    await one.vote({ player: 'Steve', site: 'My-List.com', token: wrong });
    await one.pass(1_000);
    for (const site of ['My-List.com', 'Other.net']) await one.vote({ player: 'Steve', site });
    for (const player of ['Steve', 'Alex']) await one.vote({ player, site: 'Other.net', token: wrong });
    await one.restart();
    const { of } = await check(one, '--offline');
    expect(of('site')).toEqual([
      expect.objectContaining({
        mark: 'ok',
        sentence: naming('My-List.com', '2026-06-01T12:00:01.000Z', '1'),
        toDo: null,
      }),
    ]);
    expect(of('site-silent')).toMatchObject([
      { mark: 'warning', sentence: naming('Silent'), toDo: naming('`teller keys`') },
    ]);
    expect(of('site-unlisted')).toMatchObject([
      {
        mark: 'warning',
        sentence: naming('Other.net', '2026-06-01T12:00:01.000Z', '1'),
        toDo: naming('"Other.net": {}', '`teller sites add`'),
      },
    ]);
    const cause = ['127.0.0.1', 'wrong token', 'v2-signature'];
    expect(of('refusals').toSorted((a, b) => a.mark.localeCompare(b.mark))).toMatchObject([
      { mark: 'ok', sentence: naming('My-List.com', '2026-06-01T12:00:00.000Z', ...cause) },
      {
        mark: 'warning',
        sentence: naming('Other.net', '2', '2026-06-01T12:00:01.000Z', ...cause),
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
  const one = desk({ pay });
  const { found } = await check(one, '--offline');
  expect(found).toContainEqual(expect.objectContaining(finding));
});

test('check reports an unusable lock, and continues', async () => {
  const one = desk();
  mkdirSync(`${ledgerOf(one)}.lock`);
  const { of, exit } = await check(one, '--offline');
  expect(exit).toBe(1);
  expect(of('data-unwritable')).toMatchObject([
    { mark: 'problem', sentence: expect.stringContaining('.lock') },
  ]);
  expect(of('ledger')).toMatchObject([{ mark: 'ok' }]);
});

describe('the time zone', () => {
  test('is that of the config', async () => {
    const one = desk({ timeZone: 'Europe/Berlin' });
    expect((await check(one, '--offline')).of('time-zone')).toMatchObject([
      { mark: 'ok', sentence: naming('Europe/Berlin') },
    ]);
  });

  test('is a problem if the running Teller has another one', async () => {
    const one = await running({ timeZone: 'UTC' });
    rewrite(one, { timeZone: 'Europe/Berlin' });
    expect((await check(one, '--offline')).of('time-zone-differs')).toMatchObject([
      { mark: 'problem', sentence: naming('UTC', 'Europe/Berlin') },
    ]);
  });
});

describe('check, the clock', () => {
  test('is a problem if it shows 1970', async () => {
    const one = desk();
    one.clock.jump('1970-01-01T00:05:00Z');
    const { exit, of } = await check(one, '--offline');
    expect(exit).toBe(1);
    expect(of('clock-wrong')).toMatchObject([{ mark: 'problem' }]);
  });

  test('is a problem if it is behind the latest vote, unless all game servers are practice servers', async () => {
    const real = { main: { kind: 'rcon', port: 1, password: PASSWORD } };
    const one = desk({ gameServers: real, rewards: THANKS });
    await one.run('votes', 'add', '--player', 'Steve', '--site', 'A');
    one.clock.jump('2026-05-31T12:00:00Z');
    expect((await check(one, '--offline')).of('clock-wrong')).toMatchObject([{ mark: 'problem' }]);
    rewrite(one, {});
    expect((await check(one, '--offline')).of('clock')).toMatchObject([{ mark: 'ok' }]);
  });

  test('is a warning if most sites disagree with it', async () => {
    const one = await running({ rewards: [] });
    for (const player of ['Steve', 'Alex', 'Zoe'])
      await one.vote({ player, site: 'A', timestamp: '1780308000' });
    expect((await check(one, '--offline')).of('clock-wrong')).toMatchObject([
      { mark: 'warning', sentence: naming('2 h') },
    ]);
  });

  test('is not doubted because of missed votes that an API reported hours later', async () => {
    const clock = new FakeClock('2026-06-01T04:00:00Z');
    const service = listingService({ clock });
    const { listing, token } = await service.owner('minecraft', 'votes:read');
    for (const player of ['Steve', 'Alex', 'Zoe']) await service.cast(listing, player, player);
    const { url: baseUrl } = await serveApi(service);
    const one = await here(
      { rewards: [], sites: { default: { token: TOKEN }, A: { api: { baseUrl, token } } } },
      new FakeClock('2026-06-01T03:00:00Z'),
    );
    await one.restart(async () => {
      clock.advance(8 * 3_600_000);
      one.clock.jump(9 * 3_600_000);
    });
    await one.until(async () => (await one.run('votes', '--json')).json.length === 3);
    const { of } = await check(one, '--offline');
    expect(of('clock-wrong')).toEqual([]);
    expect(of('clock')).toMatchObject([{ mark: 'ok' }]);
  });
});

describe('check, the channels', () => {
  test('warns that v1 votes can be forged, unless each site has `from` or accepts only v2', async () => {
    const one = desk({
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
    rewrite(one, { sites: shut });
    expect((await check(one, '--offline')).of('v1-open')).toEqual([]);
    const v2Only = { host: '127.0.0.1', port: 0, protocols: ['v2'] };
    rewrite(one, {
      listener: v2Only,
      sites: { default: { token: TOKEN, protocols: ['v1', 'v2'] } },
    });
    expect((await check(one, '--offline')).of('v1-open')).toEqual([]);
  });

  test('warns that PROXY headers are accepted from any address, unless the proxies are listed', async () => {
    const open = { host: '127.0.0.1', port: 0, proxyProtocol: 'required' };
    const one = desk({ listener: open });
    expect((await check(one, '--offline')).of('proxies-open')).toMatchObject([
      { mark: 'warning', toDo: naming('listener.trustedProxies') },
    ]);
    rewrite(one, { listener: { ...open, trustedProxies: ['127.0.0.1/32'] } });
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
    const one = desk({
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
    const one = desk({ sites });
    expect((await check(one)).of('api')).toMatchObject([
      {
        mark: 'problem',
        sentence: naming('Odd.com', '0.userId', '(unfit)'),
      },
    ]);
  });

  test('warns about an API without TLS, unless it is on this machine', async () => {
    const api = (baseUrl: string) => ({ api: { baseUrl, token: 'env:NOT_SET' } });
    const one = desk({
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
    const one = desk({ sites, rewards });
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
    const one = desk({ rewards, sites: { default: { token: TOKEN }, List: {} } });
    expect((await check(one, '--offline')).of('total-filtered')).toMatchObject([
      { mark: 'warning', sentence: naming('weekend', '`votes`', '`weekday`'), toDo: naming('votes.sites') },
    ]);
  });

  test('warns about unknown placeholders, and about colour codes that Minecraft shows as text', async () => {
    const commands = ['say &6{player} {rank}', 'say &6{player} {rank}', 'broadcast &6%a_b%'];
    const one = await running({ rewards: [{ name: 'thanks', when: 'always', commands }] });
    const { of, exit } = await check(one, '--offline');
    expect(exit).toBe(0);
    expect(of('placeholder-unknown').map(({ mark, sentence }) => [mark, sentence])).toEqual([
      ['warning', naming('thanks', '{rank}')],
      ['warning', naming('thanks', '%a_b%')],
    ]);
    expect(of('colour-code')).toMatchObject([{ mark: 'warning', sentence: naming('thanks', '&6') }]);
  });

  test('warns about the commands of what players earn together as about those of rewards', async () => {
    const one = desk({
      rewards: [{ name: 'thanks', when: 'always', commands: ['say {partyLeft}'] }],
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
    const one = desk({
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
