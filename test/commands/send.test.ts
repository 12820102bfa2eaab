import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { sendCommand } from '../../src/commands/send.ts';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { afterBlock, afterFrame, freePort, scriptedListener } from '../sender/scripted-listener.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';

interface ReceivedVote {
  readonly serviceName: string;
  readonly username: string;
  readonly address: string;
  readonly timestamp: number | string;
}

/** A listener with one token that refuses every name ending in 13 and keeps what it received. */
async function listenerOf(token = 's3cret') {
  const received: ReceivedVote[] = [];
  const { port } = await scriptedListener(
    afterFrame((socket, frame) => {
      const body = JSON.parse(frame.toString('utf8', 4)) as { payload: string; signature: string };
      const vote = JSON.parse(body.payload) as ReceivedVote;
      received.push(vote);
      const isSigned = createHmac('sha256', token).update(body.payload).digest('base64') === body.signature;
      if (!isSigned) socket.end(errorReply('Signature is not valid (invalid token?)'));
      else if (vote.username.endsWith('13')) socket.end(errorReply('Unlucky name'));
      else socket.end('{"status":"ok"}\r\n');
    }),
  );
  return { port: String(port), received };
}

const errorReply = (error: string): string => `${JSON.stringify({ status: 'error', cause: 'X', error })}\r\n`;

async function run(flags: readonly string[], clock: Clock = systemClock) {
  const before = process.exitCode;
  onTestFinished(() => {
    process.exitCode = before;
  });
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { out: out.push.bind(out), err: err.push.bind(err), interactive: false };
  await sendCommand(terminal, clock).parseAsync([...flags], { from: 'user' });
  return { out: out.join('\n'), err: err.join('\n'), exit: process.exitCode };
}

/** A new folder as the working directory during the test. */
function inFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'teller-send-'));
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => {
    spy.mockRestore();
    rmSync(folder, { recursive: true });
  });
  return folder;
}

const fileIn = (folder: string, name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};

const configIn = (folder: string, change: object): string =>
  fileIn(
    folder,
    'config.json',
    JSON.stringify({ gameServers: { main: { kind: 'practice' } }, rewards: [], ...change }),
  );

test('sends one vote with the defaults, prints that it was accepted, and exits 0', async () => {
  const { port, received } = await listenerOf();
  const clock = new FakeClock('2026-06-01T12:00:00.250Z');
  const { out, exit } = await run(['--port', port, '--token', 's3cret'], clock);
  expect(out).toEqual(naming(`127.0.0.1:${port}`, /\[accepted\]$/));
  expect(exit).toBe(0);
  expect(received).toEqual([
    {
      serviceName: 'Teller test',
      username: 'Steve',
      address: '127.0.0.1',
      timestamp: Date.parse('2026-06-01T12:00:00.250Z'),
      challenge: 'c0ffee',
    },
  ]);
});

test('accepts every field as a flag', async () => {
  const { port, received } = await listenerOf();
  const fields = [
    '--service',
    'My-List.com',
    '--player',
    '.Bob',
    '--address',
    '::1',
    '--timestamp',
    'yesterday',
  ];
  await run(['--port', port, '--token', 's3cret', ...fields]);
  const vote = { serviceName: 'My-List.com', username: '.Bob', address: '::1', timestamp: 'yesterday' };
  expect(received).toEqual([{ ...vote, challenge: 'c0ffee' }]);
});

test('summarises many votes by outcome with the throughput; {n} counts from 1', async () => {
  const { port, received } = await listenerOf();
  const flags = ['--port', port, '--token', 's3cret', '--count', '900', '--concurrency', '40'];
  const { out, exit } = await run([...flags, '--player', '{n}-Bot']);
  expect(out).toMatch(/^votes {2}outcome\n900 {2}accepted {2}\S.*\n900 .*\b\d+\.\d s\b.*\b[\d,]+ .*$/);
  expect(exit).toBe(0);
  expect(new Set(received.map(({ username }) => username)).size).toBe(900);
  expect(received.map(({ username }) => username)).toContain('900-Bot');
});

test('prints the listener’s reason for a refused vote, and exits 1', async () => {
  const { port } = await listenerOf();
  const { out, exit } = await run(['--port', port, '--token', 'guess']);
  expect(out).toEqual(naming('Signature is not valid (invalid token?)', /\[wrong-token\]$/));
  expect(exit).toBe(1);
});

test('exits 1 if one of many votes fails', async () => {
  const { port } = await listenerOf();
  const flags = ['--port', port, '--token', 's3cret', '--count', '20', '--player', 'Bot{n}'];
  const { out, exit } = await run(flags);
  expect(out).toMatch(/^19 {2}accepted {2}\S/m);
  expect(out).toMatch(/^1 {2}error-reply {2}.*Unlucky name$/m);
  expect(exit).toBe(1);
});

test('--json prints one array in the order of the votes', async () => {
  const { port } = await listenerOf();
  const refused = await freePort();
  const { out } = await run([
    '--port',
    port,
    '--token',
    's3cret',
    '--count',
    '3',
    '--player',
    'Bot{n}',
    '--json',
  ]);
  const ok = { kind: 'accepted', code: 'accepted', reached: 'yes', detail: null };
  const sentence = naming(`127.0.0.1:${port}`);
  expect(JSON.parse(out)).toEqual([1, 2, 3].map((n) => ({ n, player: `Bot${n}`, ...ok, sentence })));
  const failed = await run(['--port', String(refused), '--token', 't', '--json']);
  expect(JSON.parse(failed.out)).toMatchObject([
    { n: 1, kind: 'failed', code: 'port-refused', reached: 'no', detail: 'ECONNREFUSED' },
  ]);
});

test.each(['der', 'pem'] as const)('--public-key sends version 1 (%s)', async (format) => {
  const folder = inFolder();
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const text = format === 'pem' ? key : key.replace(/-----.*-----|\s/g, '');
  const { port } = await scriptedListener((socket) => {
    socket.write('VOTIFIER 1.9\n');
    afterBlock((from) => from.end())(socket);
  });
  const { out, exit } = await run([
    '--port',
    String(port),
    '--public-key',
    fileIn(folder, 'public.key', text),
  ]);
  expect([exit, out]).toEqual([0, naming(/\[sent\]$/)]);
});

test('reads a token from a file or from the environment', async () => {
  const folder = inFolder();
  const { port } = await listenerOf();
  fileIn(folder, 'site.token', 's3cret\n');
  expect((await run(['--port', port, '--token', 'file:site.token'])).exit).toBe(0);
  vi.stubEnv('TELLER_TEST_TOKEN', 's3cret');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  expect((await run(['--port', port, '--token', 'env:TELLER_TEST_TOKEN'])).exit).toBe(0);
});

test.each([
  [['--token', 'file:nowhere'], 'secret-missing'],
  [['--token', 'env:TELLER_TEST_UNSET'], 'secret-missing'],
  [['--public-key', 'nowhere.key'], 'key-missing'],
  [['--public-key', import.meta.filename], 'key-invalid'],
  [['--config', 'nowhere.json'], 'config-missing'],
  [['--token', ''], 'usage'],
  [[], 'usage'],
])('%j is a problem with the code %s and exits 2', async (flags, code) => {
  inFolder();
  const { err, out, exit } = await run(flags);
  expect(err).toContain(`[${code}]`);
  expect(out).toBe('');
  expect(exit).toBe(2);
});

test('reports everything that is wrong with the flags at once', async () => {
  const flags = [
    '--port',
    '65536',
    '--count',
    '0',
    '--concurrency',
    '1001',
    '--token',
    't',
    '--public-key',
    'f',
  ];
  const { err, exit } = await run(flags);
  expect(exit).toBe(2);
  expect(err).toEqual(naming('--port', '65535', '"65536"'));
  expect(err).toEqual(naming('--count', '1000000', '"0"'));
  expect(err).toEqual(naming('--concurrency', '1000', '"1001"'));
  expect(err).toEqual(naming('--token', '--public-key', '[usage]'));
});

test('uses the port and the site’s token of the config', async () => {
  const folder = inFolder();
  const { port, received } = await listenerOf('for-my-list');
  const file = configIn(folder, {
    listener: { port: Number(port) },
    sites: { default: { token: 'for-everybody-else' }, 'My-List.com': { token: 'for-my-list' } },
    gameServers: { main: { kind: 'rcon', host: '127.0.0.1', password: 'env:TELLER_TEST_UNSET' } },
  });
  const { err, exit } = await run(['--config', file, '--service', 'My-List.com']);
  expect(err).toBe('');
  expect(exit).toBe(0);
  expect(received).toHaveLength(1);
});

test('finds a config.json in the working directory', async () => {
  const folder = inFolder();
  const { port } = await listenerOf('for-everybody');
  configIn(folder, { listener: { port: Number(port) }, sites: { default: { token: 'for-everybody' } } });
  expect((await run(['--player', 'Steve'])).exit).toBe(0);
});

test('the port is that of the config with --token and --public-key too', async () => {
  const folder = inFolder();
  const { port } = await listenerOf();
  configIn(folder, { listener: { port: Number(port) } });
  expect((await run(['--token', 's3cret'])).out).toEqual(naming(/\[accepted\]$/));
  const v1 = await scriptedListener((socket) => {
    socket.write('VOTIFIER 1.9\n');
    afterBlock((from) => from.end())(socket);
  });
  configIn(folder, { listener: { port: v1.port } });
  expect((await run(['--public-key', inject('keyPair').publicKey])).out).toEqual(naming(/\[sent\]$/));
});

test('reads no config if host, port and token are given', async () => {
  const folder = inFolder();
  const { port } = await listenerOf();
  fileIn(folder, 'config.json', 'not a config');
  const { exit, err } = await run(['--host', '127.0.0.1', '--port', port, '--token', 's3cret']);
  expect([exit, err]).toEqual([0, '']);
});

test('needs --port if the config has port 0', async () => {
  const folder = inFolder();
  const file = configIn(folder, { listener: { port: 0 }, sites: { default: { token: 'for-everybody' } } });
  const { err, exit } = await run(['--config', file]);
  expect([exit, err]).toEqual([2, naming('--port', '[usage]')]);
});

test('reports that the config has no token for the service', async () => {
  const folder = inFolder();
  const { err, exit } = await run(['--config', configIn(folder, { sites: { default: {} } })]);
  expect([exit, err]).toEqual([2, naming('"Teller test"', '[usage]')]);
});

test('prints a line every 5 s without a terminal while many votes are sent', async () => {
  const clock = new FakeClock();
  const { port } = await scriptedListener(
    afterFrame((socket, frame) => {
      if (frame.includes('Bot3')) clock.advance(5_000);
      socket.end('{"status":"ok"}\r\n');
    }),
  );
  const flags = ['--port', String(port), '--token', 't', '--count', '4', '--concurrency', '1'];
  const { err } = await run([...flags, '--player', 'Bot{n}'], clock);
  expect(err).toEqual(naming('2 of 4'));
});
