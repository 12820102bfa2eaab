import { generateKeyPairSync } from 'node:crypto';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendCommand } from '../../src/commands/send.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  afterFrame,
  type ScriptedListener,
  scriptedListener,
  V2_GREETING,
} from '../sender/scripted-listener.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runCommand } from './run-command.ts';

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const BARE = (publicKey.export({ type: 'spki', format: 'der' }) as Buffer).toString('base64');

/** Sends one vote and returns its row of --json, or the error. */
async function send(...flags: string[]) {
  const before = process.exitCode;
  onTestFinished(() => {
    process.exitCode = before;
  });
  const terminal = fakeTerminal();
  const ran = await runCommand(sendCommand(terminal, systemClock), terminal, [...flags, '--json']);
  return { ...ran, row: ran.out === '' ? null : JSON.parse(ran.out)[0] };
}

const accepting = (): Promise<ScriptedListener> =>
  scriptedListener(afterFrame((socket) => void socket.end('{"status":"ok"}\r\n')));

describe('--host', () => {
  test('may include the port', async () => {
    const { port } = await accepting();
    const { row } = await send('--host', `127.0.0.1:${port}`, '--token', 't');
    expect(row).toMatchObject({ kind: 'accepted', code: 'accepted' });
  });

  test.each([
    [['--host', '127.0.0.1:8192', '--port', '8193']],
    [['--host', '127.0.0.1:99999']],
    [['--host', 'votes.example.com:http']],
  ])('is refused with an invalid port, or with a different --port: %j', async (flags) => {
    const { exit, err } = await send(...flags, '--token', 't');
    expect([exit, err]).toEqual([2, expect.stringContaining('[usage]')]);
  });
});

describe('--public-key', () => {
  test.each([
    ['a file', (file: string) => file],
    ['file: and a path', (file: string) => `file:${file}`],
    ['a pasted key in PEM', () => PEM],
    ['a pasted key as bare base64', () => BARE],
  ])('is accepted as %s', async (_, keyOf) => {
    const key = keyOf(path.join(temporaryFolder({ 'public.key': PEM }), 'public.key'));
    const { port } = await scriptedListener((socket) => void socket.end(V2_GREETING));
    const { row } = await send('--host', `127.0.0.1:${port}`, '--public-key', key);
    expect(row).toMatchObject({ kind: 'sent' });
  });

  test('is refused if it is neither a file nor a key', async () => {
    const { exit, err } = await send('--public-key', 'no/such.key');
    expect([exit, err]).toEqual([2, expect.stringContaining('[key-missing]')]);
  });
});

describe('send explains the listener’s behaviour', () => {
  test('in JSON: an accepted vote arrived, and a version 1 vote may have arrived', async () => {
    const { port } = await accepting();
    const host = `127.0.0.1:${port}`;
    expect((await send('--host', host, '--token', 't')).row).toMatchObject({ reached: 'yes' });
    const silent = await scriptedListener((socket) => void socket.end(V2_GREETING));
    expect((await send('--host', `127.0.0.1:${silent.port}`, '--public-key', BARE)).row).toMatchObject({
      reached: 'unknown',
    });
  });

  test('by saying that it does not know a version later than 2', async () => {
    const { port } = await scriptedListener((socket) => void socket.write('VOTIFIER 3 abc\n'));
    const { row } = await send('--host', `127.0.0.1:${port}`, '--token', 't');
    expect(row).toMatchObject({ code: 'version-unknown', reached: 'no', detail: '3' });
  });

  test('by suggesting a token if a vote with a key goes to a listener that accepts tokens', async () => {
    const { port } = await scriptedListener((socket) => void socket.end(V2_GREETING));
    const { row } = await send('--host', `127.0.0.1:${port}`, '--public-key', BARE);
    expect(row).toMatchObject({ code: 'sent', sentence: expect.stringContaining('accepts tokens') });
    const old = await scriptedListener((socket) => void socket.end('VOTIFIER 1.9\n'));
    expect((await send('--host', `127.0.0.1:${old.port}`, '--public-key', BARE)).row.sentence).not.toContain(
      'tokens',
    );
  });

  test('by naming the token as a likely cause if the listener closes without an answer', async () => {
    const { port } = await scriptedListener(afterFrame((socket) => void socket.end()));
    const { row } = await send('--host', `127.0.0.1:${port}`, '--token', 't');
    expect(row).toMatchObject({ code: 'closed-without-answer', sentence: expect.stringContaining('token') });
  });
});
