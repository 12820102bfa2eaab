import path from 'node:path';
import { controlFolder } from '../../control/place.ts';

/** The files of the console's access, beside the ledger in a folder that only the user who runs Teller can open. */
export const linkFileOf = (ledgerFile: string): string =>
  path.join(controlFolder(ledgerFile), 'console.link');

export const sessionFileOf = (ledgerFile: string): string =>
  path.join(controlFolder(ledgerFile), 'console.sessions');
