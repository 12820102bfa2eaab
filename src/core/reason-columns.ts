import type { Reason } from './reason.ts';

/** A reason as it is stored in its two columns. */
export interface ReasonColumns {
  readonly reason: string | null;
  /** JSON; null if the code needs no facts. */
  readonly facts: string | null;
}

export const reasonColumns = (reason: Reason | null): ReasonColumns => ({
  reason: reason?.code ?? null,
  facts: reason?.facts === undefined ? null : JSON.stringify(reason.facts),
});

/** @typeParam Stored the reasons of a closed table: only those are ever written, by this version. */
export function reasonOf<Stored extends Reason>({ reason, facts }: ReasonColumns): Stored | null {
  if (reason === null) return null;
  return (facts === null ? { code: reason } : { code: reason, facts: JSON.parse(facts) }) as Stored;
}
