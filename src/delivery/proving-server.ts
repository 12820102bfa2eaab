import type { PauseCode } from '../core/game-server-codes.ts';
import type { CommandProof, Proven } from '../core/proof.ts';

export type ProofAnswer =
  | Proven
  /** It may still arrive: ask again after this time. */
  | { readonly kind: 'later'; readonly restMs: number }
  /** The game server did not answer. */
  | { readonly kind: 'unanswered'; readonly reason: PauseCode };

/** What a game server has that can tell later whether a command ran. Methods never reject. */
export interface ProvingServer {
  /** The bucket of the marks that are made now; null before the first one. */
  readonly bucket: string | null;
  /** As `prepare`, if the game server need not be asked anything; else undefined. */
  prepareAtOnce(command: string): CommandProof | null | undefined;
  /** To be called before the command is claimed. null: its outcome cannot be proven, so it is run as it is. */
  prepare(command: string): Promise<CommandProof | null>;
  /** @param claimedAt in ms since the Unix epoch. */
  prove(proof: CommandProof, claimedAt: number): Promise<ProofAnswer>;
  /** Whether the game server keeps marks, which is tried once. */
  canStore(): Promise<boolean>;
  /** Whether this command would leave a mark. The game server reads it, and runs it for nobody. */
  covers(command: string): Promise<boolean>;
  /** Removes all marks of a bucket. @returns whether the game server has answered. */
  remove(bucket: string): Promise<boolean>;
}
