import type { RefusalCode } from '../../protocol/votifier/refusals.ts';
import type { WireVote } from '../../protocol/votifier/vote.ts';

/** A vote that proved itself to the listener: by its signature (v2), or by being readable under our key (v1). */
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

/** Where the listener's votes go. It never sees what stands behind. */
export interface VoteIntake {
  /** The token that signs v2 votes of this service, or null where there is none. */
  tokenOf(serviceName: string): string | null;
  /**
   * Resolves to null once the vote is on disk, else to why it is refused. Never rejects. A v1 vote that cannot be
   * stored yet is no refusal either: nobody is answered, and the intake goes on with it.
   */
  accept(vote: ReceivedVote): Promise<RefusalCode | null>;
}

/** Where refusals are counted. */
export interface RefusalCounter {
  count(code: RefusalCode, service: string | null, sender: string): void;
}
