import { createHmac, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import {
  afterBlock,
  afterFrame,
  OK,
  type ReceivedFrame,
  readFrame,
  scriptedListener,
  V1_GREETING,
  V2_GREETING,
} from '../kit/listener.ts';
import { freePort } from '../kit/serve.ts';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';

/** A listener with one token that refuses every name ending in 13 and keeps what it received. */
async function listenerOf(token = 's3cret') {
  const received: ReceivedFrame['vote'][] = [];
  const { port } = await scriptedListener(
    afterFrame((socket, frame) => {
      const { payload, signature, vote } = readFrame(frame);
      received.push(vote);
      const isSigned = createHmac('sha256', token).update(payload).digest('base64') === signature;
      if (!isSigned) socket.end(errorReply('Signature is not valid (invalid token?)'));
      else if (String(vote.username).endsWith('13')) socket.end(errorReply('Unlucky name'));
      else socket.end(OK);
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

/** Writes a config into a folder. @returns its file. */
const configIn = (folder: string, change: object): string => {
  const file = path.join(folder, 'config.json');
  const base = { gameServers: { main: { kind: 'practice' } }, rewards: [] };
  writeFileSync(file, JSON.stringify({ ...base, ...change }));
  return file;
};

test('sends one vote with the defaults, or with a flag for every field, and prints whether it was accepted, with the reason of the listener', async () => {
  const { port, received } = await listenerOf();
  const clock = new FakeClock('2026-06-01T12:00:00.250Z');
  const { out, exit } = await run(['--port', port, '--token', 's3cret'], clock);
  expect([exit, out]).toEqual([0, naming(`127.0.0.1:${port}`, /\[accepted\]$/)]);
  const fields = '--service My-List.com --player .Bob --address ::1 --timestamp yesterday'.split(' ');
  await run(['--port', port, '--token', 's3cret', ...fields]);
  const timestamp = Date.parse('2026-06-01T12:00:00.250Z');
  const challenge = 'c0ffee';
  expect(received).toEqual([
    { serviceName: 'Teller test', username: 'Steve', address: '127.0.0.1', timestamp, challenge },
    { serviceName: 'My-List.com', username: '.Bob', address: '::1', timestamp: 'yesterday', challenge },
  ]);
  const refused = await run(['--port', port, '--token', 'guess']);
  const reason = naming('Signature is not valid (invalid token?)', /\[wrong-token\]$/);
  expect([refused.exit, refused.out]).toEqual([1, reason]);
});

test('summarises many votes by outcome with the throughput, and exits 1 if one of them fails; {n} counts from 1', async () => {
  const { port, received } = await listenerOf();
  const many = (flags: string) => run([...`--port ${port} --token s3cret ${flags}`.split(' ')]);
  const { out, exit } = await many('--count 300 --concurrency 40 --player {n}-Bot');
  expect(out).toMatch(/^votes {2}outcome\n300 {2}accepted {2}\S.*\n300 .*\b\d+\.\d s\b.*\b[\d,]+ .*$/);
  expect(exit).toBe(0);
  const names = received.map(({ username }) => username);
  expect([new Set(names).size, names.includes('300-Bot')]).toEqual([300, true]);
  const some = await many('--count 20 --player Bot{n}');
  expect(some.out).toMatch(/^19 {2}accepted {2}\S/m);
  expect(some.out).toMatch(/^1 {2}error-reply {2}.*Unlucky name$/m);
  expect(some.exit).toBe(1);
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

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const BARE = PEM.replaceAll(/-----.*-----|\s/g, '');

test('--public-key sends version 1 with a file or a pasted key, as PEM or bare base64, which may have arrived, and suggests a token if the listener accepts tokens, as it does if the listener closes; it does not know a version later than 2', async () => {
  const folder = temporaryFolder({ pem: PEM, bare: BARE });
  const [pem, bare] = [path.join(folder, 'pem'), path.join(folder, 'bare')];
  const listener = await scriptedListener(afterBlock((socket) => socket.end(), V1_GREETING));
  for (const key of [pem, bare, `file:${pem}`, PEM, BARE]) {
    const row = await rowOf(listener, '--public-key', key);
    expect(row).toMatchObject({ kind: 'sent', code: 'sent', reached: 'unknown' });
    expect(row.sentence).not.toContain('tokens');
  }
  const v2 = await scriptedListener((socket) => void socket.end(V2_GREETING));
  const accepting = { code: 'sent', sentence: expect.stringContaining('accepts tokens') };
  expect(await rowOf(v2, '--public-key', BARE)).toMatchObject(accepting);
  const v3 = await scriptedListener((socket) => void socket.write('VOTIFIER 3 abc\n'));
  const unknown = { code: 'version-unknown', reached: 'no', detail: '3' };
  expect(await rowOf(v3, '--token', 't')).toMatchObject(unknown);
  const closing = await scriptedListener(afterFrame((socket) => void socket.end()));
  expect(await rowOf(closing, '--token', 't')).toMatchObject({ sentence: expect.stringContaining('token') });
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

test('uses the port of the config, and the site’s token, unless a token or a public key is given, also in a file or the environment', async () => {
  const folder = inFolder({ 'site.token': 'for-my-list\n' });
  const { port, received } = await listenerOf('for-my-list');
  const file = configIn(folder, {
    listener: { port: Number(port) },
    sites: { default: { token: 'for-everybody-else' }, 'My-List.com': { token: 'for-my-list' } },
    gameServers: { main: { kind: 'rcon', host: '127.0.0.1', password: 'env:TELLER_TEST_UNSET' } },
  });
  vi.stubEnv('TELLER_TEST_TOKEN', 'for-my-list');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const flags of [
    ['--config', file, '--service', 'My-List.com'],
    ['--token', 'for-my-list'],
    ['--token', 'file:site.token'],
    ['--token', 'env:TELLER_TEST_TOKEN'],
  ])
    expect(await run(flags)).toMatchObject({ exit: 0, err: '', out: naming(/\[accepted\]$/) });
  expect(received).toHaveLength(4);
  const v1 = await scriptedListener(afterBlock((socket) => socket.end(), V1_GREETING));
  configIn(folder, { listener: { port: v1.port } });
  expect((await run(['--public-key', inject('keyPair').publicKey])).out).toEqual(naming(/\[sent\]$/));
  // It reads no config if host, port and token are given.
  writeFileSync(file, 'not a config');
  const { exit, err } = await run(['--host', '127.0.0.1', '--port', port, '--token', 'for-my-list']);
  expect([exit, err]).toEqual([0, '']);
});

test('prints a line every 5 s without a terminal while many votes are sent', async () => {
  const clock = new FakeClock();
  const { port } = await scriptedListener(
    afterFrame((socket, frame) => {
      if (frame.includes('Bot3')) clock.advance(5_000);
      socket.end(OK);
    }),
  );
  const flags = ['--port', String(port), '--token', 't', '--count', '4', '--concurrency', '1'];
  const { err } = await run([...flags, '--player', 'Bot{n}'], clock);
  expect(err).toEqual(naming('2 of 4'));
});
