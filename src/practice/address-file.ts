import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY, writeWhole } from '../runtime/write-file.ts';

/** Where a running practice server is found, and what lets one in. */
export interface PracticeAddress {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** `practice-<server>.json` in the ledger's folder: how `teller practice join` finds the one inside `teller run`. */
export const practiceAddressFile = (folder: string, server: string): string =>
  join(folder, `practice-${encodeURIComponent(server)}.json`);

/**
 * It holds a password, so it is its owner's alone from its first instant (rule 10).
 * @throws Problem `data-unwritable`
 */
export async function writePracticeAddress(
  folder: string,
  server: string,
  { host, port, password }: PracticeAddress,
): Promise<void> {
  const text = `${JSON.stringify({ host, port, password })}\n`;
  await writeWhole(practiceAddressFile(folder, server), text, OWNER_ONLY);
}

/** null: there is none, so that no practice server runs there. */
export async function readPracticeAddress(folder: string, server: string): Promise<PracticeAddress | null> {
  try {
    return JSON.parse(await readFile(practiceAddressFile(folder, server), 'utf8')) as PracticeAddress;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export const removePracticeAddress = (folder: string, server: string): Promise<void> =>
  rm(practiceAddressFile(folder, server), { force: true });
