import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import type { FilledLedger } from './big-ledger.ts';
import { TWO_REWARDS, writeHome } from './config.ts';
import { type Installed, runScript } from './processes.ts';

/** Grows when other rows are generated, so that kept ledgers are filled again. */
const GENERATION = 4;

export interface Filled extends FilledLedger {
  /** With config and ledger of a Teller. */
  readonly folder: string;
  readonly votes: number;
}

/**
 * Fills ledgers in a folder, each once. Those that are there from an earlier run are used again if this version would
 * fill them in the same way.
 */
export const fillingIn =
  (parent: string, installed: Installed, say: (line: string) => void) =>
  async (votes: number): Promise<Filled> => {
    const folder = join(parent, String(votes));
    const marker = join(folder, 'filled.json');
    const version = `${ledgerSchema.version}.${GENERATION}`;
    const known = existsSync(marker) ? JSON.parse(readFileSync(marker, 'utf8')) : null;
    if (known?.version === version) return { ...known, folder, votes };
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const { ledger } = writeHome(folder, { rewards: TWO_REWARDS });
    const order = { file: ledger, votes, now: Date.now() };
    const filled = await runScript<FilledLedger>(installed, 'fill', order, (line) =>
      say(`ledger of ${votes.toLocaleString('en-US')} votes: ${line}`),
    );
    writeFileSync(marker, JSON.stringify({ version, ...filled }));
    return { ...filled, folder, votes };
  };
