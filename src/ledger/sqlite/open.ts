import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../core/problem.ts';
import { lockFileOf } from '../../platform/sqlite/lock.ts';
import { type Mode, openDatabase } from '../../platform/sqlite/open.ts';
import type { OpenedWork } from '../../platform/sqlite/serve-thread.ts';
import { makeFolderSync } from '../../platform/write-file.ts';
import { requireWhole } from './missing.ts';
import { asProblem } from './problems.ts';
import { ledgerSchema } from './schema.ts';
import { receivingRules } from './sent-rules.ts';
import { requireTables } from './tables.ts';
import { type LedgerWork, ledgerWork } from './work.ts';

/** What an engine needs to open a ledger; plain values. */
export interface LedgerPlace {
  readonly file: string;
  readonly mode: Mode;
}

export interface OpenedLedger {
  readonly work: LedgerWork;
  /** See `Ledger.replacesLost`. */
  readonly replacesLost: boolean;
}

/** Creates the folder if the mode allows it. Throws a Problem (see `openDatabase`), also `ledger-behind` and `ledger-failed`. */
export function openLedgerFile({ file, mode }: LedgerPlace): OpenedLedger {
  if (mode === 'create') createFolder(dirname(file));
  const replacesLost = !existsSync(file) && existsSync(lockFileOf(file));
  const database = openDatabase(file, ledgerSchema, mode);
  try {
    requireTables(database);
    if (mode !== 'read') requireWhole(database);
    return { work: ledgerWork(database), replacesLost };
  } catch (error) {
    database.close();
    throw asProblem(error);
  }
}

/** Opens it for a thread that serves the calls of another. */
export function openLedgerToServe(place: LedgerPlace): OpenedWork {
  const { work, replacesLost } = openLedgerFile(place);
  return { work: receivingRules(work), facts: replacesLost };
}

function createFolder(folder: string): void {
  try {
    makeFolderSync(folder);
  } catch (error) {
    const sentence = `The folder ${folder} cannot be created (${(error as Error).message}).`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
}
