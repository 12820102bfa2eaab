/** Thousands of connections of another process, while genuine senders vote. All limits are the default ones. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  expectServed,
  notAboutVotes,
  openPort,
  refusalCounts,
  sendBytes,
} from '../end-to-end/open-port/fixture.ts';
import { v1Block } from '../kit/vote.ts';
import { compiled } from '../support/processes.ts';

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

test.each([
  ['many addresses', 'many', '127.1.0.1'],
  ['one address', 'one', '127.9.9.9'],
])(
  '2,000 silent and 500 junk connections from %s keep no vote from being accepted, delay most by less than a second, and are gone after the deadline',
  { timeout: 60_000 },
  async (_, how, among) => {
    const target = await openPort();
    const size = Math.min(FLOOD, openFilesAllowed() - SPARE_FILES);
    const { opened, over } = flood(target.port, size, how);
    // While the connections are opened, and once from each address after that.
    await target.genuine.during(['127.0.0.1', among], opened);

    const { opened: everOpen, longestMs } = await over;
    expect(everOpen).toBe(size);
    // Time in which Teller did not run is given back, at most once the deadline (rule 13).
    expect(longestMs).toBeLessThan(2 * DEADLINE_MS + 1_500);
    await target.genuine.vote('127.0.0.1');
    await expectServed(target);
    // The log has lines for codes, none for each connection.
    expect(notAboutVotes(target.logLines()).length).toBeLessThan(40);
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
  const named = ['http', 'proxy-header', 'ssh', 'tls', 'v1-bad-block'];
  const seen = async () =>
    Object.keys(await refusalCounts(target))
      .filter((code) => named.includes(code))
      .sort();
  await expect.poll(seen, { timeout: 15_000 }).toEqual(named);
  expect(notAboutVotes(target.logLines()).length).toBeLessThan(60);
  if (process.env.HOSTILE_CONNECTIONS !== undefined)
    process.stdout.write(
      `${HOSTILE} junk connections, ${Math.round(HOSTILE / (ms / 1_000))} a second; memory grew by ${Math.round(target.genuine.growthMiB)} MiB\n`,
    );
});
