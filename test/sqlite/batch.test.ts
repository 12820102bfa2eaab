import { readdirSync, readlinkSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BatchRunner } from '../../src/platform/sqlite/batch.ts';
import type { Answer } from '../../src/platform/sqlite/calls.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Words, wordsSchema, wordsWork } from '../support/words-work.ts';

type Asked = readonly [name: keyof Words, ...args: readonly unknown[]];

function runner(change: Partial<ReturnType<typeof wordsWork>> = {}) {
  const file = join(temporaryFolder(), 'words.db');
  const database = openDatabase(file, wordsSchema, 'create');
  onTestFinished(() => void database.close());
  const work = { ...wordsWork(database), ...change };
  const batches = new BatchRunner(work, () => performance.now());
  const runAll = (patienceMs: number, asked: readonly Asked[]) =>
    batches.run(asked.map(([name, ...args]) => ({ name, args, patienceMs })));
  const run = (...asked: readonly Asked[]) => runAll(0, asked);
  const words = () => database.prepare('SELECT word FROM words').pluck().all();
  return { file, database, run, runAll, words };
}

/** What was answered: a value, or the code or message of the error. */
const shown = (answers: readonly Answer[]): unknown[] =>
  answers.map((answer) => {
    if (!('error' in answer)) return answer.value;
    const { code, message } = answer.error as { code?: string; message: string };
    return code ?? message;
  });

/** Of this process. SQLite's temporary files have `etilqs` in their names. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return []; // it was the one of the listing itself
    }
  });

describe('a batch', () => {
  test('runs its calls in order, and each sees what the calls before it wrote', () => {
    const { run } = runner();
    const { answers, news } = run(['add', 'a'], ['look'], ['add', 'b'], ['look']);
    expect(shown(answers)).toEqual([1, ['a'], 2, ['a', 'b']]);
    expect(news).toEqual([2]);
  });

  test('is one transaction, which writes each page once', () => {
    const { run, file } = runner();
    const written = (...asked: readonly Asked[]): number => {
      const before = statSync(`${file}-wal`).size;
      run(...asked);
      return statSync(`${file}-wal`).size - before;
    };
    run(['add', 'a']);
    expect(written(['add', 'b'], ['add', 'c'], ['add', 'd'])).toBe(written(['add', 'e']));
  });

  test('that only reads is no transaction and has no news', () => {
    const { run, file } = runner();
    const other = new Sqlite(file);
    onTestFinished(() => void other.close());
    other.exec('BEGIN IMMEDIATE');
    const { answers, news } = run(['look']);
    expect([shown(answers), news]).toEqual([[[]], []]);
  });

  test('runs what no transaction can undo before its transaction', () => {
    const { run } = runner();
    expect(shown(run(['add', 'a'], ['outside']).answers)).toEqual([1, false]);
  });
});

describe('a call that fails', () => {
  test('leaves nothing behind, and the others are stored', () => {
    const { run, words } = runner();
    const { answers } = run(['add', 'a'], ['addAndFail', 'b'], ['add', 'c']);
    expect(shown(answers)).toEqual([1, 'a bug', 2]);
    expect(words()).toEqual(['a', 'c']);
  });

  test.skipIf(process.platform !== 'linux')('is undone from memory, not from a temporary file', () => {
    const { run, words, database } = runner();
    let openMeanwhile: readonly string[] = [];
    database.function('note_open_files', () => {
      openMeanwhile = openFiles();
      return null;
    });
    database.exec(`
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 50)
      INSERT INTO words SELECT printf('%04000d', n) FROM n;
      CREATE TRIGGER every_page AFTER INSERT ON words
      BEGIN UPDATE words SET word = 'x' || word; SELECT note_open_files(); END`);
    const before = words();
    expect(shown(run(['addAndFail', 'a']).answers)).toEqual(['a bug']);
    expect(words()).toEqual(before);
    expect(openMeanwhile.filter((name) => name.includes('words.db-wal'))).toHaveLength(1);
    expect(openMeanwhile.filter((name) => name.includes('etilqs'))).toEqual([]);
  });
});

describe('a transaction that is lost', () => {
  test('fails all of its calls, does not run the rest of them, and has no news', () => {
    const { run, words } = runner();
    const { answers, news } = run(['add', 'a'], ['look'], ['addAndLose', 'b'], ['add', 'c']);
    expect(shown(answers)).toEqual(Array(4).fill('ledger-failed'));
    expect([words(), news]).toEqual([[], []]);
  });

  test('is followed by one of its settlements alone', () => {
    const { run, words } = runner();
    const { answers, news } = run(['add', 'a'], ['settle', 's'], ['addAndLose', 'b'], ['settle', 't']);
    expect(shown(answers)).toEqual(['ledger-failed', 1, 'ledger-failed', 2]);
    expect([words(), news]).toEqual([['s', 't'], [2]]);
  });

  test('of settlements only is not tried again', () => {
    const { run, words, database } = runner();
    database.exec("CREATE TRIGGER full BEFORE INSERT ON words BEGIN SELECT RAISE(ROLLBACK, 'full'); END");
    expect(shown(run(['settle', 's']).answers)).toEqual(['ledger-failed']);
    expect(words()).toEqual([]);
  });

  test('does not disturb the next batch', () => {
    const { run, words } = runner();
    run(['addAndLose', 'a']);
    expect(shown(run(['add', 'b']).answers)).toEqual([1]);
    expect(words()).toEqual(['b']);
  });
});

describe('a database that was full', () => {
  const PAGE = 4_096;
  const long = 'x'.repeat(3_000);

  test('copies its -wal into the file at once, so that the -wal can be used again from its beginning', () => {
    const { run, file, database } = runner();
    for (let words = 0; words < 50; words++) run(['add', long]);
    const size = () => statSync(`${file}-wal`).size;
    database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`);
    expect(shown(run(['add', long]).answers)).toEqual(['ledger-failed']);
    expect(statSync(file).size).toBeGreaterThan(49 * PAGE);
    const before = size();
    database.pragma('max_page_count = 4000');
    for (let words = 0; words < 20; words++) run(['add', long]);
    expect(size()).toBe(before);
  });

  test('uses its -wal as before once there is room for it', () => {
    const { run, file, database } = runner();
    database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`);
    run(...Array.from({ length: 9 }, () => ['add', long] as const));
    expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(100);
    database.pragma('max_page_count = 4000');
    run(['add', long]);
    const { bavail, bsize } = statfsSync(file);
    expect(database.pragma('wal_autocheckpoint', { simple: true })).toBe(
      bavail * bsize < 64 * 1024 * 1024 ? 100 : 4_000,
    );
  });
});

test('if nothing may be written, every call of the batch fails with the reason', () => {
  const beforeWriting = (): never => {
    throw new Error('the file is gone');
  };
  const { run, words } = runner({ beforeWriting });
  expect(shown(run(['add', 'a'], ['settle', 'b']).answers)).toEqual(Array(2).fill('the file is gone'));
  expect(words()).toEqual([]);
});

test('while another program has the database locked, each call fails when its own patience ends', () => {
  const { runAll, run, file, words } = runner();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(
    shown(
      runAll(50, [
        ['add', 'a'],
        ['settle', 'b'],
      ]).answers,
    ),
  ).toEqual(Array(2).fill('ledger-failed'));
  other.exec('COMMIT');
  expect(shown(run(['add', 'c']).answers)).toEqual([1]);
  expect(words()).toEqual(['c']);
});
