import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { compiled } from '../support/processes.ts';

/** More than what fits into a pipe and may wait. */
const TOO_MANY = 20_000;

interface Entry {
  readonly code: string;
  readonly lines?: number;
}

function opened(file: string): number {
  const descriptor = openSync(file, 'a');
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

/** A service that has logged this many lines, which nothing has read. */
async function chattyService(lines: number, err: number | 'pipe' = 'pipe'): Promise<ChildProcess> {
  const script = compiled(join(import.meta.dirname, '../support/chatty-service.ts'));
  const child = spawn(process.execPath, [script, String(lines)], { stdio: ['ignore', 'pipe', err] });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout === null) throw new Error('no standard output');
  await once(createInterface({ input: child.stdout }), 'line');
  return child;
}

async function stop(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  return code;
}

/** Starts to read the log: `entries` resolves with all of it. */
function readLog({ stderr }: ChildProcess): { entries: Promise<Entry[]>; bytesRead: () => number } {
  if (stderr === null) throw new Error('no standard error');
  let bytes = 0;
  stderr.on('data', (chunk: Buffer) => (bytes += chunk.length));
  const entries = text(stderr).then((all) =>
    all
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry),
  );
  return { entries, bytesRead: () => bytes };
}

test('a service whose log is not read continues, and stops with its exit code', async () => {
  expect(await stop(await chattyService(TOO_MANY))).toBe(1);
});

test('once its log is read again, a service reports exactly how many lines were lost', async () => {
  const child = await chattyService(TOO_MANY);
  const log = readLog(child);
  // Until then, there may be no room for the service's last line.
  await expect.poll(log.bytesRead).toBeGreaterThan(1_000_000);
  expect(await stop(child)).toBe(1);
  const entries = await log.entries;
  const shown = entries.filter(({ code }) => code === 'chatty').length;
  const reports = entries.filter(({ code }) => code === 'log-lines-lost');
  expect(reports).toHaveLength(1);
  expect(shown + (reports[0]?.lines ?? 0)).toBe(TOO_MANY);
  expect(entries.slice(-2).map(({ code }) => code)).toEqual(['log-lines-lost', 'last']);
});

test('a service whose log is read shows every line, the last one included', async () => {
  const child = await chattyService(100);
  const log = readLog(child);
  expect(await stop(child)).toBe(1);
  expect((await log.entries).map(({ code }) => code)).toEqual([...Array(100).fill('chatty'), 'last']);
});

test('a service logs every line to a file', async () => {
  const file = join(temporaryFolder(), 'teller.log');
  expect(await stop(await chattyService(100, opened(file)))).toBe(1);
  const codes = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).code);
  expect(codes).toEqual([...Array(100).fill('chatty'), 'last']);
});

test.skipIf(!existsSync('/dev/full'))('a service continues while the disk of its log is full', async () => {
  expect(await stop(await chattyService(100, opened('/dev/full')))).toBe(1);
});
