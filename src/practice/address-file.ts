import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER_ONLY, writeWhole } from '../platform/write-file.ts';

/** The address and password of a running practice server. */
export interface PracticeAddress {
  readonly host: string;
  readonly port: number;
  readonly password: string;
}

/** `practice-<server>.json` in the ledger's folder, by which `teller practice join` finds the server inside `teller run`. */
export const practiceAddressFile = (folder: string, server: string): string =>
  join(folder, `practice-${encodeURIComponent(server)}.json`);

/**
 * It contains a password, so it is created readable only by its owner (rule 10).
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

/** null if there is no file, which means that no practice server runs there. */
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
