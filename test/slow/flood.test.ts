/** Thousands of connections of another process, while genuine senders vote. All limits are the default ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { expectServed, OK, openPort, refusalCounts, sendBytes } from '../end-to-end/open-port/fixture.ts';
import { v1Block } from '../kit/vote.ts';
import { naming } from '../support/naming.ts';
import { compiled } from '../support/processes.ts';
import { VotifierClient } from '../support/votifier-client.ts';

/** 2,000 silent connections and 500 that send junk. */
const FLOOD = 2_500;
/** Set HOSTILE_CONNECTIONS for a longer run that prints figures. */
const HOSTILE = Number(process.env.HOSTILE_CONNECTIONS ?? 12_000);
const DEADLINE_MS = 5_000;
/** The files that the flooding process needs besides its sockets. */
const SPARE_FILES = 200;

/** Every socket counts as an open file. With a lower limit, the flood is smaller. */
function openFilesAllowed(): number {
  try {
    const line = /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return Number(line?.[1] ?? 4_096);
  } catch {
    return 4_096;
  }
}

interface Over {
  readonly opened: number;
  readonly longestMs: number;
  readonly ms: number;
}

/** @param how `many` or `one`, or a file: see `flooding.ts`. */
function flood(port: number, size: number, how: string): { opened: Promise<unknown>; over: Promise<Over> } {
  const script = compiled(join(import.meta.dirname, 'flooding.ts'));
  const child = spawn(process.execPath, [script, `${port}`, `${size}`, how], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { opened: messageOf(child, 'opened'), over: messageOf(child, 'over') };
}

const messageOf = <Message>(child: ChildProcess, kind: string): Promise<Message> =>
  new Promise((resolve) => {
    child.on('message', (message: { kind: string }) => {
      if (message.kind === kind) resolve(message as Message);
    });
  });

/** Votes as a distant sender does, whose frame arrives 300 ms after the greeting. */
async function voteWithLatency(port: number, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, '127.0.0.2');
  const frame = await client.frame({ username, timestamp: String(Date.now()) });
  await sleep(300);
  client.write(frame);
  return client.untilClosed();
}

test.each([
  ['many addresses', 'many', '127.1.0.1'],
  ['one address', 'one', '127.9.9.9'],
])(
  '2,000 silent and 500 junk connections from %s keep no vote from being accepted, also of distant senders, delay most by less than a second, and are gone after the deadline',
  { timeout: 60_000 },
  async (_, how, among) => {
    const target = await openPort();
    const size = Math.min(FLOOD, openFilesAllowed() - SPARE_FILES);
    const { opened, over } = flood(target.port, size, how);
    // While the connections are opened, and once from each address after that.
    await target.genuine.during(['127.0.0.1', among], opened);
    const distant = ['Distant_1', 'Distant_2'];
    const answers = await Promise.all(distant.map((player) => voteWithLatency(target.port, player)));
    expect(answers).toEqual([OK, OK]);

    const { opened: everOpen, longestMs } = await over;
    expect(everOpen).toBe(size);
    // Time in which Teller did not run is given back, at most once the deadline (rule 13).
    expect(longestMs).toBeLessThan(2 * DEADLINE_MS + 1_500);
    await target.genuine.vote('127.0.0.1');
    await expectServed(target, distant);
    // The log has lines for codes, none for each connection.
    expect(target.notAboutVotes().length).toBeLessThan(40);
    await target.stop();
    const { crowded = 0, deadline = 0, ...junk } = await refusalCounts(target);
    const others = Object.values(junk).reduce((sum, count) => sum + count, 0);
    expect(crowded + deadline + others).toBe(size);
    // By default, 1,024 connections can be open at once.
    expect(crowded).toBeGreaterThanOrEqual(size - 1_024 - others);
  },
);

test('thousands of junk connections per second keep no vote from being accepted, delay most by less than a second, and memory and log stay small', {
  timeout: 120_000,
}, async () => {
  const target = await openPort();
  const block = v1Block('VOTE\nList\nReplayed\n192.0.2.1\nno time\n', target.folder);
  const file = join(target.folder, 'block');
  writeFileSync(file, block);
  await sendBytes(target.port, '127.0.0.1', block);

  // From an address of its own, and from some that also send junk.
  const from = ['127.0.0.1', '127.2.0.1', '127.3.0.2', '127.4.0.3'];
  const { ms } = await target.genuine.during(from, flood(target.port, HOSTILE, file).over);
  // The replayed block is one vote.
  await expectServed(target, ['Replayed']);
  const named = ['http', 'proxy-header', 'ssh', 'tls', 'v1-bad-block', 'v2-signature'];
  const seen = async () =>
    Object.keys(await refusalCounts(target))
      .filter((code) => named.includes(code))
      .sort();
  await expect.poll(seen, { timeout: 15_000 }).toEqual(named);
  const lines = target.notAboutVotes();
  expect(lines.length).toBeLessThan(60);
  const first = (code: string) => lines.find((line) => line.code === code)?.msg;
  expect(first('v1-bad-block')).toEqual(naming(/public key/, '`teller keys`'));
  expect(first('v2-signature')).toEqual(naming(/token/, '`teller keys`'));
  if (process.env.HOSTILE_CONNECTIONS !== undefined)
    process.stdout.write(
      `${HOSTILE} junk connections, ${Math.round(HOSTILE / (ms / 1_000))} a second; memory grew by ${Math.round(target.genuine.growthMiB)} MiB\n`,
    );
});
