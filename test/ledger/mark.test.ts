import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Problem } from '../../src/core/problem.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { markFileOf, openMark, readMark } from '../../src/platform/sqlite/mark.ts';
import { type Mode, openDatabase } from '../../src/platform/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { startScript } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';

const CLAIMER = join(import.meta.dirname, '../support/claim-commands.ts');

async function open(file: string, mode: Mode = 'create'): Promise<Ledger> {
  const ledger = await openLedger(file, mode, { clock: systemClock });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function codeOf(start: () => unknown): Promise<string> {
  try {
    await start();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  return 'started';
}

/** A ledger in which a deliverer claimed this many commands before it was killed. */
async function killedAfter(commands: number, times: 'once' | 'twice'): Promise<string> {
  const file = join(temporaryFolder(), 'teller.db');
  const claimer = await startScript(CLAIMER, [file, String(commands), times], temporaryFolder());
  await claimer.kill();
  return file;
}

test('the mark of a removed ledger does not prevent a new ledger, even if creating it takes two tries', async () => {
  const file = join(temporaryFolder(), 'teller.db');
  const mark = openMark(markFileOf(file));
  mark.set(1_000);
  mark.close();
  const broken = { ...ledgerSchema, sql: 'CREATE' };
  expect(await codeOf(() => openDatabase(file, broken, 'create'))).toBe('data-unwritable');
  expect(existsSync(file)).toBe(true);
  expect(await codeOf(() => open(file))).toBe('started');
});

describe('a ledger whose delivering process was killed', () => {
  test('opens if nothing of it is missing', async () => {
    const file = await killedAfter(5, 'twice');
    expect(readMark(`${file}.mark`)).toBe(5);
    expect(await codeOf(() => open(file))).toBe('started');
  });

  test.each(['once', 'twice'] as const)('is refused if its -wal was deleted (%s opened)', async (times) => {
    const file = await killedAfter(5, times);
    rmSync(`${file}-wal`);
    expect(await codeOf(() => open(file))).toBe('ledger-behind');
    expect(await codeOf(() => open(file))).toBe('ledger-behind');
  });

  test('opens when its -wal is back, even if it was refused in between', async () => {
    const file = await killedAfter(5, 'twice');
    copyFileSync(`${file}-wal`, `${file}.kept`);
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`, { force: true });
    expect(await codeOf(() => open(file))).toBe('ledger-behind');
    expect(await codeOf(() => open(file, 'write'))).toBe('ledger-behind');
    copyFileSync(`${file}.kept`, `${file}-wal`);
    const ledger = await open(file);
    expect(await ledger.settleInterrupted(0)).toBe(5);
  });
});

/** A ledger with `claims` commands claimed, closed. */
async function closedAfter(claims: number, file = join(temporaryFolder(), 'teller.db')): Promise<string> {
  const ledger = await open(file);
  const players = Array.from({ length: claims }, (_, number) => arrival({ player: `P${number}` }));
  await record(ledger, players, rulesFor(THANKS));
  for (let id = 1; id <= claims; id++)
    await ledger.claim({ grantId: id, position: 0, player: null, uuid: null, now: 0 });
  await ledger.close();
  return file;
}

describe('an old copy in place of the ledger', () => {
  test('is refused for writing, and the error names the file to put back', async () => {
    const file = await closedAfter(2);
    openMark(`${file}.mark`).set(3);
    for (const mode of ['create', 'write'] as const) {
      expect(await codeOf(() => open(file, mode))).toBe('ledger-behind');
    }
    await expect(open(file)).rejects.toThrow(`${file}-wal`);
  });

  test('can still be read, and `missing` reports it', async () => {
    const file = await closedAfter(2);
    openMark(`${file}.mark`).set(3);
    const ledger = await open(file, 'read');
    expect(await ledger.missing()).toEqual({ claims: 2, marked: 3 });
    expect(await ledger.grantStates()).toEqual({ pending: 2 });
  });
});

describe('the mark', () => {
  test('also counts a command that is claimed together with the outcome of another', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    const ledger = await open(file);
    await record(ledger, [arrival(), arrival({ player: 'Alex' })], rulesFor(THANKS));
    await ledger.claim({ grantId: 1, position: 0, player: null, uuid: null, now: 0 });
    const outcome = { kind: 'delivered', reply: '' } as const;
    const settled = { grantId: 1, position: 0, outcome, state: 'delivered', reason: null } as const;
    const next = { grantId: 2, position: 0, player: null, uuid: null, now: 0 };
    expect(await ledger.settle({ ...settled, dueAt: 0, endedAt: 0 }, next)).toBe(true);
    expect(readMark(`${file}.mark`)).toBe(2);
  });

  test('changes with every successful claim, and with nothing else', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    const ledger = await open(file);
    await record(ledger, [arrival(), arrival({ player: 'Alex' })], rulesFor(THANKS));
    expect(existsSync(`${file}.mark`)).toBe(false);
    expect(await ledger.claim({ grantId: 1, position: 0, player: null, uuid: null, now: 0 })).toBe(true);
    expect(readMark(`${file}.mark`)).toBe(1);
    expect(await ledger.claim({ grantId: 1, position: 0, player: null, uuid: null, now: 0 })).toBe(false);
    expect(readMark(`${file}.mark`)).toBe(1);
    await ledger.claim({ grantId: 2, position: 0, player: null, uuid: null, now: 0 });
    expect(readMark(`${file}.mark`)).toBe(2);
  });

  test('never counts more claims than were committed, and at most one fewer, wherever a write of it was torn', async () => {
    const file = await closedAfter(7);
    const whole = readFileSync(`${file}.mark`);
    const torn = join(temporaryFolder(), 'torn.mark');
    for (let bytes = 0; bytes <= whole.length; bytes++) {
      writeFileSync(torn, whole);
      truncateSync(torn, bytes);
      expect(readMark(torn) ?? 0).toBeLessThanOrEqual(7);
      const half = Buffer.from(whole);
      half.fill('9', whole.length / 2, bytes > whole.length / 2 ? bytes : whole.length / 2);
      writeFileSync(torn, half);
      expect([6, 7]).toContain(readMark(torn));
    }
  });

  test('does not prevent a start or a claim if it cannot be read', async () => {
    const file = await closedAfter(2);
    writeFileSync(`${file}.mark`, 'no mark');
    const ledger = await open(file);
    await record(ledger, [arrival({ player: 'Later' })], rulesFor(THANKS));
    expect(await ledger.claim({ grantId: 3, position: 0, player: null, uuid: null, now: 0 })).toBe(true);
    expect(readMark(`${file}.mark`)).toBe(3);
  });

  test('does not prevent a new ledger after the old one was removed on purpose', async () => {
    const file = await closedAfter(5);
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    await closedAfter(1, file);
    expect(await codeOf(() => open(file))).toBe('started');
    expect(readMark(markFileOf(file))).toBe(1);
  });
});
