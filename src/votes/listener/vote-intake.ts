import type { RefusalCode } from '../../../protocol/votifier/refusals.ts';
import type { WireVote } from '../../../protocol/votifier/vote.ts';

/** A vote that the listener has verified by its signature (v2), or that our key could decrypt (v1). */
export interface ReceivedVote {
  readonly channel: 'listener-v1' | 'listener-v2';
  readonly wire: WireVote;
  /** The text that the wire fields were read from. */
  readonly text: string;
  /** The sender's address. */
  readonly address: string;
  /** Wall time, milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** SHA-256 of a v1 block. */
  readonly blockDigest: Buffer | null;
}

/** Accepts the listener's votes. This is all that the listener knows about the rest of Teller. */
export interface VoteIntake {
  /** The token that signs v2 votes of this service, or null if it has none. */
  tokenOf(serviceName: string): string | null;
  /**
   * Resolves to null once the vote is on disk, otherwise to the code of the refusal. Never rejects. A v1 vote that
   * cannot be stored yet is not refused: v1 senders get no answer, and the intake retries.
   */
  accept(vote: ReceivedVote): Promise<RefusalCode | null>;
}

/** Where refusals are counted. */
export interface RefusalCounter {
  /** @param detail printable; logged beside the cause. */
  count(code: RefusalCode, service: string | null, sender: string, detail?: string): void;
}
