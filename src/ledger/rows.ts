/** How values stand in columns: why rewards were granted, what became of commands, reasons in two columns. */
import type { RewardReasons } from '../core/decide.ts';
import type { CommandReason } from '../core/grant-reason.ts';
import type { OutcomeKind } from '../core/outcome.ts';
import type { Fact, Facts, Reason } from '../core/reason.ts';

/** The facts of nearly all reasons, by their code, in the order in which they are stored. Any others are stored with their names. */
const FACTS: Readonly<Record<string, readonly string[]>> = {
  ...{ votes: ['count', 'next', 'of'], firstVote: ['count', 'next', 'of'], streak: ['run', 'length', 'per'] },
  ...{ allSites: ['missing'], weekday: ['day'], between: ['first', 'last', 'day'], hours: ['minute'] },
  ...{ returning: ['awayMs', 'afterMs'], any: ['arms'], chance: ['chance', 'rolled'] },
  ...{ 'recipient-kind': ['misfit'], limit: ['granted', 'count', 'per', 'within'], stop: ['by'] },
  ...{ 'first-of': ['by'], 'no-prize': ['threshold'], party: ['number', 'left'] },
};

/** A reason as it is stored: the ID of the reward's name, the code, and the facts in order or as an object. */
type StoredReason = readonly [name: number, code: string, ...facts: Fact[]];

/**
 * Why each reward was granted or not: `[[4,"site"],[7,"votes",24,25,"total"]]`. With thirteen rewards, the same in full takes 600 to
 * 900 bytes for each vote, and an eighth of the CPU of recording it.
 *
 * @param idOf the name of a reward, party or top.
 * @returns null if no reward was looked at.
 */
export function reasonsColumn(reasons: RewardReasons, idOf: (name: string) => number): string | null {
  if (reasons.size === 0) return null;
  const stored = [...reasons].map(([name, { code, facts }]): StoredReason => {
    if (facts === undefined) return [idOf(name), code];
    const names = FACTS[code];
    return names !== undefined && areNamesOf(facts, names)
      ? [idOf(name), code, ...names.map((each) => facts[each] ?? null)]
      : [idOf(name), code, facts as Fact];
  });
  return JSON.stringify(stored);
}

export function readReasons(column: string | null, nameOf: (id: number) => string): RewardReasons {
  const stored = JSON.parse(column ?? '[]') as readonly StoredReason[];
  return new Map(stored.map(([id, code, ...facts]) => [nameOf(id), reasonOf(code, facts)]));
}

function reasonOf(code: string, facts: readonly Fact[]): Reason {
  const [first] = facts;
  if (first === undefined) return { code };
  if (typeof first === 'object' && first !== null && !Array.isArray(first))
    return { code, facts: first as Facts };
  return {
    code,
    facts: Object.fromEntries((FACTS[code] ?? []).map((name, at) => [name, facts[at] ?? null])),
  };
}

/** Whether the facts have these names, in this order. */
function areNamesOf(facts: Facts, names: readonly string[]): boolean {
  let at = 0;
  for (const name in facts) if (names[at++] !== name) return false;
  return at === names.length;
}

/** What became of a command of a grant. */
export interface Attempted {
  /** null: the operator has ordered another attempt. */
  readonly outcome: OutcomeKind | null;
  readonly attempts: number;
  /** What the game server answered. */
  readonly reply: string | null;
  /** Why it did not answer, or that the operator said that the command ran. */
  readonly reason: CommandReason | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

type StoredAttempt = readonly [
  outcome: OutcomeKind | null,
  attempts: number,
  startedAt: number | null,
  endedAt: number | null,
  reply: string | null,
  reason: CommandReason | null,
];

/** By position; null: it was not tried. */
export const outcomesColumn = (outcomes: readonly (Attempted | null)[]): string =>
  JSON.stringify(
    outcomes.map(
      (each): StoredAttempt | null =>
        each && [each.outcome, each.attempts, each.startedAt, each.endedAt, each.reply, each.reason],
    ),
  );

export const readOutcomes = (column: string): readonly (Attempted | null)[] =>
  (JSON.parse(column) as readonly (StoredAttempt | null)[]).map(
    (each) =>
      each && {
        ...{ outcome: each[0], attempts: each[1], startedAt: each[2] },
        ...{ endedAt: each[3], reply: each[4], reason: each[5] },
      },
  );

export const jsonColumn = (value: object | null): string | null =>
  value === null || Object.keys(value).length === 0 ? null : JSON.stringify(value);
