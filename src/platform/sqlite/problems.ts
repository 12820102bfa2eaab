import type Database from 'better-sqlite3';
import { Problem, type ProblemCode } from '../../core/problem.ts';
import { isBusy } from './busy.ts';
import { Sqlite } from './driver.ts';
import { isSystemError } from './system-error.ts';

/**
 * The Problem for an error of a database or its disk; any other error is returned as it is.
 *
 * @param name how sentences call the database, after “the”.
 */
export function databaseProblem(error: unknown, name: string): unknown {
  if (isSystemError(error))
    return new Problem('ledger-failed', failedSentence(error, name), { cause: error });
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const [code, sentence] = problemOf(error, name);
  return new Problem(code, sentence, { cause: error });
}

function problemOf(error: InstanceType<typeof Database.SqliteError>, name: string): [ProblemCode, string] {
  if (isBusy(error))
    return [
      'ledger-locked',
      `Another program has locked the ${name}. End that program, or wait until it is done.`,
    ];
  if (error.code === 'SQLITE_FULL') {
    return [
      'ledger-full',
      `The ${name} cannot grow because the disk is full. Free some space; Teller then continues automatically.`,
    ];
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') {
    return ['ledger-corrupt', `The ${name} is damaged (${error.message}). Restore the last backup.`];
  }
  return ['ledger-failed', failedSentence(error, name)];
}

const failedSentence = ({ message }: Error, name: string): string =>
  `The ${name} could not be read or written (${message}). Check its disk, owner and quota; Teller tries again automatically.`;
