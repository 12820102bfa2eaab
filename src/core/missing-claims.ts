/** The commands that a ledger knows to have been claimed, and those that the mark beside it tells of. */
export interface MissingClaims {
  readonly claims: number;
  readonly marked: number;
}

export const behindSentence = (file: string, { claims, marked }: MissingClaims): string =>
  `${file} knows of ${claims} commands that were sent, and ${file}.mark of ${marked}: the newest part of the ledger is missing, and its rewards would be paid again. Put ${file}-wal back if it was deleted, or the newest copy of the ledger if this is an old one. If neither is left, \`teller restore\` the last backup; without a backup, \`teller backup DIR\` and then \`teller restore DIR\`. A restore holds every reward that may have been paid.`;
