import type { CommandCode, CommandReason, GrantCode, GrantReason } from '../core/grant-reason.ts';
import type { Reason } from '../core/reason.ts';

/** A reason as its two columns hold it. */
export interface ReasonColumns {
  readonly reason: string | null;
  /** JSON; null where the code needs nothing. */
  readonly facts: string | null;
}

export const reasonColumns = (reason: Reason | null): ReasonColumns => ({
  reason: reason?.code ?? null,
  facts: reason?.facts === undefined ? null : JSON.stringify(reason.facts),
});

export const grantReasonOf = (columns: ReasonColumns): GrantReason | null =>
  reasonOf(columns) as GrantReason | null;

export const commandReasonOf = (columns: ReasonColumns): CommandReason | null =>
  reasonOf(columns) as CommandReason | null;

/** Only codes of the closed lists are ever written, by this version or by a migration. */
function reasonOf({ reason, facts }: ReasonColumns): Reason | null {
  if (reason === null) return null;
  return facts === null ? { code: reason } : { code: reason, facts: JSON.parse(facts) };
}

/** Codes as literals in a statement, so that one that does not exist is a type error. */
export const grantCode = (code: GrantCode): string => `'${code}'`;

export const commandCode = (code: CommandCode): string => `'${code}'`;
