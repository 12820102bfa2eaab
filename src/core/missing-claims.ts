/**
 * How many commands were ever claimed, according to the ledger (`claims`) and to the mark file beside it (`marked`).
 */
export interface MissingClaims {
  readonly claims: number;
  readonly marked: number;
}

export const behindSentence = (file: string, { claims, marked }: MissingClaims): string =>
  `${file} records ${claims} sent commands, but ${file}.mark records ${marked}: the newest part of the ledger is missing, and its rewards would be paid again. If ${file}-wal was deleted, put it back; if this is an old copy of the ledger, put the newest one back. If you have neither, \`teller restore\` the last backup; without a backup, run \`teller backup DIR\` and then \`teller restore DIR\`. A restore holds every reward that may have been paid.`;
