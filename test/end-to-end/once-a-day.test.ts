import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encryptV1Block } from '../../protocol/votifier/v1-encrypt.ts';
import { explainCommand } from '../../src/commands/explain.ts';
import { parsePublicKey } from '../../src/config/keys.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { TOKEN } from '../support/config-folder.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { type RunningApp, runningApp } from '../support/running-app.ts';
import { SettableClock } from '../support/settable-clock.ts';

const SITES = { default: { token: TOKEN }, 'List.example': {} };

const voteAt = (running: RunningApp, instant: string) =>
  sendVote(
    {
      serviceName: 'List.example',
      username: 'Steve',
      address: '192.0.2.1',
      timestamp: String(Date.parse(instant)),
    },
    { ...running.app.listener, auth: { version: 'v2', token: TOKEN } },
    { clock: systemClock },
  );

const decisions = async ({ look }: RunningApp): Promise<string[]> =>
  (await look.votes({ limit: 99 })).map(
    ({ decision, castAt }) => `${new Date(castAt).toISOString()} ${decision}`,
  );

const diamonds = ({ app }: RunningApp): number =>
  app.practiceServers.get('main')?.inventory('Steve').diamond ?? 0;

test('a second vote within 24 h is answered ok and counted but not paid, and explain says when the next one will be paid', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock, { sites: SITES });
  await voteAt(running, '2026-06-01T12:00:00Z');
  await expect.poll(() => diamonds(running)).toBe(1);

  clock.set('2026-06-02T11:59:59.999Z');
  expect(await voteAt(running, '2026-06-02T11:59:59.999Z')).toMatchObject({ kind: 'accepted' });

  expect(await decisions(running)).toEqual([
    '2026-06-02T11:59:59.999Z cooldown',
    '2026-06-01T12:00:00.000Z rewarded',
  ]);
  const terminal = fakeTerminal();
  await explainCommand(terminal, clock).parseAsync(['steve', '--config', running.config], { from: 'user' });
  expect(terminal.outLines.join('\n')).toContain('2026-06-02T12:00:00.000Z');
  expect(diamonds(running)).toBe(1);
});

test('at exactly 24 h the next vote is paid', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock, { sites: SITES });
  await voteAt(running, '2026-06-01T12:00:00Z');
  clock.set('2026-06-02T12:00:00Z');
  await voteAt(running, '2026-06-02T12:00:00Z');

  await expect.poll(() => diamonds(running)).toBe(2);
  expect(await decisions(running)).toEqual([
    '2026-06-02T12:00:00.000Z rewarded',
    '2026-06-01T12:00:00.000Z rewarded',
  ]);
});

test('a late vote that was cast between two rewarded ones is counted but not paid', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock, {
    sites: { default: { token: TOKEN }, 'List.example': { cooldown: '5m' } },
  });
  await voteAt(running, '2026-06-01T11:52:00Z');
  await voteAt(running, '2026-06-01T12:00:00Z');
  expect(await voteAt(running, '2026-06-01T11:56:00Z')).toMatchObject({ kind: 'accepted' });

  await expect.poll(() => diamonds(running)).toBe(2);
  expect(await decisions(running)).toEqual([
    '2026-06-01T11:56:00.000Z cooldown',
    '2026-06-01T12:00:00.000Z rewarded',
    '2026-06-01T11:52:00.000Z rewarded',
  ]);
});

test('a v1 block that is replayed 25 hours later is the same vote', async () => {
  const clock = new SettableClock('2026-06-01T12:00:00Z');
  const running = await runningApp(clock, { sites: SITES });
  const key = parsePublicKey(
    readFileSync(join(running.folder, 'data/keys/public.key'), 'utf8'),
    'public.key',
  );
  const block = encryptV1Block(key, {
    serviceName: 'List.example',
    username: 'Steve',
    address: '192.0.2.1',
    timestamp: 'no readable time, so that only the block identifies the vote',
  });
  await sendBytes(running, block ?? Buffer.alloc(0));
  await expect.poll(() => diamonds(running)).toBe(1);

  clock.set('2026-06-02T13:00:00Z');
  await sendBytes(running, block ?? Buffer.alloc(0));

  expect(await running.look.votes({ limit: 9 })).toMatchObject([{ id: 1, decision: 'rewarded', repeats: 1 }]);
  expect(diamonds(running)).toBe(1);
});

/** Resolves when the listener has closed, which it does once the vote is stored. */
const sendBytes = ({ app }: RunningApp, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(app.listener.port, app.listener.host, () => socket.end(bytes));
    socket.on('error', reject).on('close', () => resolve());
    socket.resume();
  });
