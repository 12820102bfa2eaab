import { createHmac, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { afterBlock, afterFrame, scriptedListener, V2_GREETING } from '../kit/listener.ts';
import { freePort } from '../kit/serve.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
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

const run = (flags: readonly string[], clock?: Clock) => typed(['send', ...flags], null, clock);

/** Sends one vote to this listener. @returns its row of --json. */
const rowOf = async ({ port }: { port: number }, ...flags: string[]) =>
  (await run(['--host', `127.0.0.1:${port}`, ...flags, '--json'])).json[0];

/** A new folder as the working directory during the test. */
function inFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder(files);
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  onTestFinished(() => spy.mockRestore());
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

test('sends one vote with the defaults, or with a flag for every field, prints that it was accepted, and exits 0', async () => {
  const { port, received } = await listenerOf();
  const clock = new FakeClock('2026-06-01T12:00:00.250Z');
  const { out, exit } = await run(['--port', port, '--token', 's3cret'], clock);
  expect(out).toEqual(naming(`127.0.0.1:${port}`, /\[accepted\]$/));
  expect(exit).toBe(0);
  const fields = '--service My-List.com --player .Bob --address ::1 --timestamp yesterday'.split(' ');
  await run(['--port', port, '--token', 's3cret', ...fields]);
  const vote = { serviceName: 'My-List.com', username: '.Bob', address: '::1', timestamp: 'yesterday' };
  expect(received).toEqual([
    {
      serviceName: 'Teller test',
      username: 'Steve',
      address: '127.0.0.1',
      timestamp: Date.parse('2026-06-01T12:00:00.250Z'),
      challenge: 'c0ffee',
    },
    { ...vote, challenge: 'c0ffee' },
  ]);
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
  const { out } = await run(`--port ${port} --token s3cret --count 3 --player Bot{n} --json`.split(' '));
  const ok = { kind: 'accepted', code: 'accepted', reached: 'yes', detail: null };
  const sentence = naming(`127.0.0.1:${port}`);
  expect(JSON.parse(out)).toEqual([1, 2, 3].map((n) => ({ n, player: `Bot${n}`, ...ok, sentence })));
  const failed = await run(['--port', String(refused), '--token', 't', '--json']);
  expect(JSON.parse(failed.out)).toMatchObject([
    { n: 1, kind: 'failed', code: 'port-refused', reached: 'no', detail: 'ECONNREFUSED' },
  ]);
});

describe('--public-key', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const BARE = PEM.replaceAll(/-----.*-----|\s/g, '');

  test('sends version 1 with a file or a pasted key, as PEM or bare base64, which may have arrived', async () => {
    const folder = temporaryFolder({ pem: PEM, bare: BARE });
    const [pem, bare] = [path.join(folder, 'pem'), path.join(folder, 'bare')];
    const listener = await scriptedListener((socket) => {
      socket.write('VOTIFIER 1.9\n');
      afterBlock((from) => from.end())(socket);
    });
    for (const key of [pem, bare, `file:${pem}`, PEM, BARE]) {
      const row = await rowOf(listener, '--public-key', key);
      expect(row).toMatchObject({ kind: 'sent', code: 'sent', reached: 'unknown' });
      expect(row.sentence).not.toContain('tokens');
    }
  });

  test('suggests a token if the listener accepts tokens', async () => {
    const row = await rowOf(
      await scriptedListener((socket) => void socket.end(V2_GREETING)),
      '--public-key',
      BARE,
    );
    expect(row).toMatchObject({ code: 'sent', sentence: expect.stringContaining('accepts tokens') });
  });
});

test('says that it does not know a version later than 2, and names the token as a likely cause if the listener closes', async () => {
  const listener = await scriptedListener((socket) => void socket.write('VOTIFIER 3 abc\n'));
  expect(await rowOf(listener, '--token', 't')).toMatchObject({
    ...{ code: 'version-unknown', reached: 'no', detail: '3' },
  });
  const row = await rowOf(await scriptedListener(afterFrame((socket) => void socket.end())), '--token', 't');
  expect(row).toMatchObject({ code: 'closed-without-answer', sentence: expect.stringContaining('token') });
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

test.each<[string[], string, string?]>([
  [['--token', 'file:nowhere'], 'secret-missing'],
  [['--token', 'env:TELLER_TEST_UNSET'], 'secret-missing'],
  [['--public-key', 'nowhere.key'], 'key-missing'],
  [['--public-key', import.meta.filename], 'key-invalid'],
  [['--config', 'nowhere.json'], 'config-missing'],
  [['--token', ''], 'usage'],
  [[], 'usage'],
  [['--host', '127.0.0.1:8192', '--port', '8193', '--token', 't'], 'usage'],
  [['--host', '127.0.0.1:99999', '--token', 't'], 'usage'],
  [['--host', 'votes.example.com:http', '--token', 't'], 'usage'],
  [['--config', 'port-0.json'], 'usage', '--port'],
  [['--config', 'no-token.json'], 'usage', '"Teller test"'],
])('%j is a problem with the code %s and exits 2', async (flags, code, fact = '') => {
  const config = (more: object) => JSON.stringify({ rewards: [], ...more });
  inFolder({
    'port-0.json': config({ listener: { port: 0 }, sites: { default: { token: 'for-everybody' } } }),
    'no-token.json': config({ sites: { default: {} } }),
  });
  const { err, out, exit } = await run(flags);
  expect([exit, out, err]).toEqual([2, '', naming(`[${code}]`, fact)]);
});

test('reports everything that is wrong with the flags at once', async () => {
  const flags = '--port 65536 --count 0 --concurrency 1001 --token t --public-key f'.split(' ');
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
