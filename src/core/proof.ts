/**
 * Proof by storage: a command is sent so that the game server records, in the same tick, that it ran. The record is a byte
 * in a command storage, and is called its mark.
 */

/** By which it can be found out later whether a command ran. */
export interface CommandProof {
  /** The path of the mark: its bucket, a dot, and its number in the bucket. */
  readonly mark: string;
  /** The game time before the command was claimed; null if the game server does not tell it. */
  readonly seen: SeenGameTime | null;
}

/** How old the world was at an instant, in ticks. */
export interface SeenGameTime {
  readonly ticks: number;
  /** When it was asked for, in ms since the Unix epoch. */
  readonly at: number;
}

/** What is known about a command that may have run. */
export type Proven =
  | { readonly kind: 'ran' }
  /** It ran, and the game says that it failed. */
  | { readonly kind: 'failed' }
  /** It certainly did not run, and never will. */
  | { readonly kind: 'not-run' }
  | { readonly kind: 'not-known'; readonly reason: ProofDoubt };

/** Why a mark does not help. */
export type ProofDoubt = 'no-mark' | 'mark-unclear' | 'mark-unanswered';

const STORAGE = 'teller:paid';

/** Marks are removed a bucket at a time: the compound in the storage that holds them. */
export const bucketOf = ({ mark }: Pick<CommandProof, 'mark'>): string => mark.split('.', 1)[0] as string;

/** What is sent instead of a command, so that it leaves a mark. */
export const markedCommand = (command: string, mark: string): string =>
  `execute store success storage ${STORAGE} ${mark} byte 1 run ${command.replace(/^\//, '')}`;

/** Changes nothing. */
export const markQuestion = (mark: string): string => `data get storage ${STORAGE} ${mark}`;

export const removalOf = (bucket: string): string => `data remove storage ${STORAGE} ${bucket}`;

/** A bucket is a letter and 10 hexadecimal digits; it holds fewer than a thousand marks. */
export const BUCKET_BYTES = 5;
const LONGEST_MARK = `t${'0'.repeat(2 * BUCKET_BYTES)}.999`;

/** By how much a command gets longer. */
export const MARKED_BYTES = markedCommand('', LONGEST_MARK).length;
