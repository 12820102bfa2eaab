import type { z } from 'zod';
import type { Facts } from '../core/reason.ts';
import { allSites } from './all-sites.ts';
import { any } from './any.ts';
import { between } from './between.ts';
import { chance } from './chance.ts';
import type { Condition } from './condition.ts';
import { firstVote } from './first-vote.ts';
import { hours } from './hours.ts';
import { not } from './not.ts';
import { returning } from './returning.ts';
import { site } from './site.ts';
import { streak } from './streak.ts';
import { votes } from './votes.ts';
import { weekday } from './weekday.ts';

/**
 * Every condition, by its key in `if`. They are checked in this order, and join their occasions in it; the first one that
 * does not hold is the reason why the reward was not granted.
 */
export const conditions = {
  ...{ site, votes, firstVote, streak, allSites },
  ...{ weekday, between, hours, returning, any, not, chance },
};

export type ConditionName = keyof typeof conditions;

/** The `if` of a reward after loading. */
export type If = {
  readonly [Name in ConditionName]?: z.output<ReturnType<(typeof conditions)[Name]['schema']>> | undefined;
};

/** Any condition. */
export type AnyCondition = Condition<z.ZodType, Facts>;

export const conditionEntries = Object.entries(conditions) as unknown as readonly (readonly [
  ConditionName,
  AnyCondition,
])[];

/** The facts of a condition that a vote cannot decide, because it enters no total. */
export const UNDECIDED: Facts = { undecided: true };

/** The end of a sentence: why the condition of this name does not hold. */
export function notHeldText(name: string, facts: Facts): string {
  if (facts.undecided === true) return 'this vote enters no total';
  const [, condition] = conditionEntries.find(([known]) => known === name) ?? [];
  // The name may be that of a removed condition or of a newer Teller.
  return condition?.explain.notHeld(facts) ?? name;
}
