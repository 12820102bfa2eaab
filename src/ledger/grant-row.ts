import type { Choice } from '../core/choice.ts';
import type { FilledIn } from '../core/decide.ts';
import type { CommandReason, GrantReason } from '../core/grant-reason.ts';
import type { OutcomeKind } from '../core/outcome.ts';
import type { GrantState } from '../core/settlement.ts';

/** Grants by state; states without any are absent. */
export type GrantCounts = Readonly<Partial<Record<GrantState, number>>>;

/** What a grant is made for: a vote, a reward that the operator gives, a party that was reached or a place in a top. */
export type GrantCauseKind = 'vote' | 'operator' | 'party' | 'top';

/** What an operator did to a grant. `pay`: the same player; `redirect`: another one; `ran`: a command of it counts as run. */
export type GrantActionKind = 'pay' | 'redirect' | 'ran' | 'mark-paid' | 'cancel';

/** One change of a grant by hand. */
export interface GrantActionRow {
  readonly action: GrantActionKind;
  readonly at: number;
  /** The account on this machine, or how someone signed in to the console. */
  readonly by: string;
}

export interface CommandRow {
  /** With the player filled in. */
  readonly command: string;
  /** The same with `{player}` and `{uuid}` not replaced. */
  readonly text: string;
  readonly outcome: OutcomeKind | null;
  readonly attempts: number;
  /** What the game server answered. */
  readonly reply: string | null;
  /** Why it did not answer, or that the operator said that the command ran. */
  readonly reason: CommandReason | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface GrantRow {
  readonly id: number;
  readonly cause: GrantCauseKind;
  /** null: it was not made for a vote. */
  readonly voteId: number | null;
  /** Set if the operator gave it without a vote: who gave it, and when. */
  readonly given: { readonly by: string; readonly at: number } | null;
  /** The recipient’s key. */
  readonly recipient: string;
  readonly player: string | null;
  readonly reward: string;
  /** What it was granted for, such as `total 25`; empty if the reward depends on no earlier votes. */
  readonly occasion: string;
  /** Which commands of the reward it runs; null: its `commands`. */
  readonly choice: Choice | null;
  /** What its commands were filled in with, besides what the vote says. */
  readonly filled: FilledIn;
  /** The game server that pays it, or a pool of which none has taken it. */
  readonly server: string;
  /** The pool of which one game server pays it; null: its game server was fixed from the start. */
  readonly pool: string | null;
  readonly practice: boolean;
  readonly state: GrantState;
  readonly reason: GrantReason | null;
  /** Of a waiting grant: a player who was online and is probably the player that its vote names. */
  readonly likelyPlayer: string | null;
  /** Set if the operator redirected it to `player` from the player that its vote names. */
  readonly redirected: { readonly insteadOf: string; readonly at: number } | null;
  /** The end of its delay; null if its reward has none. */
  readonly dueFrom: number | null;
  /** null: never. Pauses since the deliverer last looked may make it later. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly commands: readonly CommandRow[];
  /** What operators did to it, the first one first. */
  readonly actions: readonly GrantActionRow[];
}
