import type { CommandProof } from '../core/proof.ts';
import type { OpenCommand, OpenGrant, QueueKey } from './open-grant.ts';

/** A command that was being sent, of which it can be found out whether it ran. */
export interface UnprovenCommand {
  readonly grant: OpenGrant;
  readonly command: OpenCommand;
  readonly proof: CommandProof;
  /** When it was claimed. */
  readonly claimedAt: number;
  /** As in the claim. */
  readonly player: string | null;
  readonly uuid: string | null;
}

/** What a new deliverer or a changed config leaves as it is: commands that the game server is asked about first. */
export interface Interrupted {
  /** The queues whose game servers can tell later whether a command ran. */
  readonly provable: readonly QueueKey[];
  /** Only commands on these game servers; absent: on all. */
  readonly of?: readonly string[];
}

export interface ProofLedger {
  /** The commands of a queue that are being sent and have left a mark, the first one first. */
  unproven(queue: QueueKey, now: number): Promise<readonly UnprovenCommand[]>;
  /** The buckets of marks on a game server that are not needed any more, except `current`. */
  oldBuckets(server: string, current: string): Promise<readonly string[]>;
  /** The marks of a bucket are removed. */
  forgetBucket(server: string, bucket: string): Promise<void>;
}
