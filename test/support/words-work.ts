import { Problem } from '../../src/core/problem.ts';
import type { Kinds } from '../../src/platform/sqlite/calls.ts';
import type { Database, Mode, Schema } from '../../src/platform/sqlite/open.ts';
import type { DatabaseWork } from '../../src/platform/sqlite/work.ts';

/** A small database to run calls on. */
export interface Words {
  add(word: string): Promise<number>;
  settle(word: string): Promise<number>;
  /** Adds the word and fails. */
  addAndFail(word: string): Promise<void>;
  /** Adds the word and loses the transaction, as SQLite may after an error of the disk. */
  addAndLose(word: string): Promise<void>;
  look(): Promise<string[]>;
  read(): Promise<string[]>;
  outside(): Promise<boolean>;
  exit(): Promise<void>;
}

export interface WordsPlace {
  readonly file: string;
  readonly mode: Mode;
}

export const wordsKinds: Kinds<Words> = {
  add: 'write',
  settle: 'settle',
  addAndFail: 'write',
  addAndLose: 'write',
  look: 'look',
  read: 'read',
  outside: 'outside',
  exit: 'outside',
};

export const wordsSchema: Schema = {
  applicationId: 0x574f5244,
  version: 1,
  sql: `CREATE TABLE words (word TEXT NOT NULL);
        CREATE TRIGGER lost BEFORE INSERT ON words WHEN NEW.word = 'lost'
        BEGIN SELECT RAISE(ROLLBACK, 'the disk failed'); END`,
};

/** Its news is how many words a transaction has added. */
export function wordsWork(database: Database): DatabaseWork<Words> {
  const insert = database.prepare('INSERT INTO words VALUES (?)');
  const all = (): string[] => database.prepare('SELECT word FROM words').pluck().all() as string[];
  let added = 0;
  const add = (word: string): number => {
    added += insert.run(word).changes;
    return all().length;
  };
  return {
    database,
    kinds: wordsKinds,
    calls: {
      add,
      settle: add,
      addAndFail: (word) => {
        add(word);
        throw new Error('a bug');
      },
      addAndLose: (word) => {
        add(word);
        insert.run('lost');
      },
      look: all,
      read: all,
      outside: () => database.inTransaction,
      exit: () => process.exit(7),
    },
    begin: () => {
      added = 0;
    },
    committed: () => [added],
    asProblem: (error) =>
      error instanceof Error && 'code' in error
        ? new Problem('ledger-failed', error.message, { cause: error })
        : error,
    close: () => void database.close(),
  };
}
