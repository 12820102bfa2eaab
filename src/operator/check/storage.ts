import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { FULL_MIB, freeMib, LOW_MIB } from '../../core/disk-space.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { behindSentence } from '../../core/missing-claims.ts';
import { damagesOf } from '../../ledger/deep-check.ts';
import type { Subject } from './subject.ts';

export async function checkLedger({ ledger, config, deep }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const missing = await ledger.missing();
  if (missing !== null) return [problem('ledger-behind', behindSentence(config.ledger, missing))];
  const damages = deep === null ? [] : await damagesOf(ledger, deep.onPart);
  const toDo = 'stop Teller, keep a copy of the file, then `teller restore` the last backup';
  if (damages.length > 0) {
    return [problem('ledger-corrupt', `${config.ledger} is damaged: ${damages.join('; ')}`, toDo)];
  }
  const depth =
    deep === null ? '; --deep reads all of it' : ', and all of it is intact, including the indexes';
  return [ok('ledger', `${config.ledger} can be read${depth}`)];
}

export async function checkDisk({ config }: Subject): Promise<readonly Finding[]> {
  return [await diskOf(path.dirname(config.ledger))];
}

/** Of the nearest folder that exists: before the first start there is none, and it may be removed at any moment. */
async function diskOf(folder: string): Promise<Finding> {
  try {
    return diskFinding(freeMib(await statfs(folder)), folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return diskOf(parent);
  }
}

export function diskFinding(mib: number, folder: string): Finding {
  const sentence = `${mib.toLocaleString('en')} MiB are free in ${folder}`;
  if (mib < FULL_MIB)
    return problem('ledger-full', sentence, 'free some space, or votes can no longer be stored');
  return mib < LOW_MIB ? warning('disk-low', sentence, 'free some space') : ok('disk', sentence);
}
