import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { FULL_MIB, freeMib, LOW_MIB } from '../../core/disk-space.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { behindSentence } from '../../core/missing-claims.ts';
import { damagesOf } from '../../ledger/deep-check.ts';
import { isThere } from '../../platform/write-file.ts';
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
  const folder = await nearestFolder(path.dirname(config.ledger));
  return [diskFinding(freeMib(await statfs(folder)), folder)];
}

export function diskFinding(mib: number, folder: string): Finding {
  const sentence = `${mib.toLocaleString('en')} MiB are free in ${folder}`;
  if (mib < FULL_MIB)
    return problem('ledger-full', sentence, 'free some space, or votes can no longer be stored');
  return mib < LOW_MIB ? warning('disk-low', sentence, 'free some space') : ok('disk', sentence);
}

/** Before the first start the folder does not exist. */
const nearestFolder = async (folder: string): Promise<string> =>
  (await isThere(folder)) ? folder : nearestFolder(path.dirname(folder));
