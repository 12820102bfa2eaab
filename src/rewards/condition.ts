/**
 * One key of a reward's `if`: what a condition is given and what it answers, and the occasions that it gives. `conditions.ts` has them
 * all. A condition is pure: it says which facts it needs, and gets them as values.
 */
import type { z } from 'zod';
import { joined, NO_OCCASION, type Occasion, occasion } from '../core/occasion.ts';
import { type Per, parsePeriod, periodName } from '../core/period.ts';
import type { Facts } from '../core/reason.ts';
import type { Vote } from '../core/vote.ts';
import type { History, Need, RewardHistory } from './history.ts';

/**
 * @typeParam Schema what operators may write.
 * @typeParam Because the facts that `explain` needs. They are stored with the vote as JSON, so never rename one.
 */
export interface Condition<Schema extends z.ZodType, Because extends Facts = Facts> {
  /**
   * The value in the config: its bounds, errors, title and description. The docs are generated from it. It is built
   * from what it is given, so that a thread which only judges votes does not load the validator.
   */
  schema(kit: SchemaKit): Schema;
  /** A value as operators write it. */
  readonly example: z.input<Schema>;
  /**
   * The least that a vote has to be for this condition to be able to hold. It then gives occasions. Absent for a
   * condition that only looks at the vote itself.
   */
  readonly decidedFor?: VoteStanding;
  /** It is looked at last, for each occasion separately, and spends the occasion even if it does not hold. */
  readonly isDrawn?: true;
  /** Its occasions have a threshold: the total or streak that was reached. */
  readonly hasThreshold?: true;
  /**
   * The kind of period that it pays for; null for a value without one. It holds for no vote of a period that ended before
   * the reward started, and that is then the reason, whatever else does not hold.
   */
  period?(value: z.output<Schema>): Per | null;
  /** The facts about earlier votes that it needs. Absent: none. */
  needs?(value: z.output<Schema>, about: VoteKind): readonly Need[];
  /** false: it holds for no vote like this one, whatever came before, so its reward needs no facts. Absent: it may hold. */
  mayHold?(value: z.output<Schema>, about: VoteKind): boolean;
  holds(value: z.output<Schema>, judging: Judging): Verdict<Because>;
  /** The end of a sentence that begins with the reward: "daily: not this site". */
  readonly explain: {
    /** `because` may hold the facts of other conditions only. null, or absent: there is nothing to say. */
    held?(because: Partial<Because>): string | null;
    notHeld(because: Because): string;
  };
  /**
   * What it asks for, in everyday words that follow "Players get it": "on every 25th vote", "on Saturday or Sunday".
   *
   * @param nested the words for an `if` inside the value.
   */
  phrase(value: z.output<Schema>, nested: (written: NestedIf) => string): string;
  /** The entries of `sites` that a value names. The config is refused if one does not exist. */
  sites?(value: z.output<Schema>): readonly string[];
  /** The `if`s inside a value. */
  nested?(value: z.output<Schema>): readonly NestedIf[];
}

/** An `if` inside a condition, after loading. */
export type NestedIf = Readonly<Record<string, unknown>>;

/** What a schema is built from: the validator, and kinds of value that keys of the config share. */
export interface SchemaKit
  extends Pick<
    typeof import('../core/config-values.ts'),
    | ('distinct' | 'duration' | 'errorSentence' | 'list' | 'listedService')
    | ('section' | 'serviceName' | 'wholeNumber')
  > {
  readonly z: Pick<typeof z, 'boolean' | 'enum' | 'int' | 'literal' | 'string' | 'tuple' | 'union'>;
  /** What an `if` inside a condition is made of. */
  nestedIf(): z.ZodType<NestedIf>;
}

/**
 * What a vote is to the player's history. `marked`: it only marks its day. `counted`: it is also counted in totals.
 * `rewarded`: it also took its window.
 */
export type VoteStanding = 'marked' | 'counted' | 'rewarded';

const RANKS: Readonly<Record<VoteStanding, number>> = { marked: 1, counted: 2, rewarded: 3 };

export const isAtLeast = (standing: VoteStanding, least: VoteStanding): boolean =>
  RANKS[standing] >= RANKS[least];

/** What votes have in common that need the same facts. */
export interface VoteKind extends Pick<Vote, 'service' | 'site'> {
  /** The local day of the cast time, as days since 1970-01-01. */
  readonly day: number;
  /** The services of the entries of `sites` that votes of the recipient's kind come from, without `default`. */
  readonly listed: readonly string[];
}

/** The parts of a vote that a reward depends on. */
export interface JudgedVote extends Omit<VoteKind, 'listed'>, Pick<Vote, 'recipient' | 'castAt'> {
  readonly standing: VoteStanding;
  /** The IANA name of the time zone of that day. */
  readonly zone: string;
  /** When the player may vote on the site again, in ms since the Unix epoch. */
  readonly nextAt: number;
}

/** What a condition decides by. */
export interface Judging extends Pick<VoteKind, 'listed'> {
  readonly vote: JudgedVote;
  /** The vote is part of it. */
  readonly history: History;
  /** What is known of the reward that has this condition. */
  readonly reward: RewardHistory;
  /** A number from 0 (included) to 1 (excluded), drawn for the vote, the reward and the occasion. */
  draw(): number;
  readonly nested: JudgingNested;
}

/** Judges an `if` inside a condition. */
export interface JudgingNested {
  judge(written: NestedIf, judging: Judging): NestedVerdict;
  /** Whether such a vote decides one of its conditions. */
  isDecided(written: NestedIf, standing: VoteStanding): boolean;
}

type NestedVerdict =
  | { readonly held: true; readonly ways: Ways }
  /** `sentence`: why not, such as "not this site". */
  | { readonly held: false; readonly sentence: string; readonly beforeStart?: Facts };

export interface Verdict<Because extends Facts = Facts> {
  readonly held: boolean;
  /** What `explain` needs. Absent if `held` says everything. */
  readonly because?: Because;
  /** It would hold if the reward had started earlier: what was reached, or ended, before. */
  readonly beforeStart?: Facts | undefined;
  /**
   * The ways in which it holds, the preferred one first, each with the occasions that it gives at once. Absent: one way,
   * without an occasion.
   */
  readonly ways?: Ways;
}

export type Ways = readonly (readonly Occasion[])[];

/** A condition whose types follow from its schema and what `holds` returns. */
export const condition = <Schema extends z.ZodType, Because extends Facts>(
  parts: Condition<Schema, Because>,
): Condition<Schema, Because> => parts;

/** The facts of a reason `before-start`: something, such as `total 25`, was reached before the reward started. */
export const reachedBeforeStart = (reached: string, { reward }: Pick<Judging, 'reward'>): Facts => ({
  reached,
  started: periodName('day', reward.startDay),
});

/** The occasion of a period, such as `day 2026-11-21`. */
export const periodOccasion = (per: Per | 'return', period: number): Occasion =>
  occasion(`${per} ${periodName(per === 'return' ? 'day' : per, period)}`);

const TOTAL =
  /^(?:total|site .{1,128} total|(?<per>day|week|month) (?<period>\S+) total|network) (?<count>[1-9]\d{0,8})$/;
const STREAK = /^streak (?<length>[1-9]\d{0,4}) reached (?<period>\S+)$/;
const PERIOD = /^(?<per>day|week|return) (?<period>\S+)$/;

/**
 * The occasion with a name as conditions give it, such as `total 25` or `streak 7 reached 2026-11-21`, or several that are
 * joined by commas; null for any other text.
 */
export function parseOccasion(text: string): Occasion | null {
  const parts = partsOf(text.split(', '));
  return parts === null ? null : parts.reduce(joined, NO_OCCASION);
}

/** A service's name can contain the comma, too, so what follows one may still belong to it. The shortest names are tried first. */
function partsOf(pieces: readonly string[]): readonly Occasion[] | null {
  if (pieces.length === 0) return [];
  for (let count = 1; count <= pieces.length; count++) {
    const first = parseOne(pieces.slice(0, count).join(', '));
    const rest = first === null ? null : partsOf(pieces.slice(count));
    if (first !== null && rest !== null) return [first, ...rest];
  }
  return null;
}

function parseOne(text: string): Occasion | null {
  const found = TOTAL.exec(text) ?? STREAK.exec(text) ?? PERIOD.exec(text);
  const { per, period = '', count, length } = found?.groups ?? {};
  const named = parsePeriod(period);
  if (per !== undefined && named?.per !== (per === 'return' ? 'day' : per)) return null;
  if (count !== undefined)
    return occasion(text, { threshold: Number(count), isNetworks: text.startsWith('network ') });
  if (length === undefined) return per === undefined ? null : occasion(text);
  if (named === null) return null;
  return occasion(text, { threshold: Number(length), streaks: [{ ...named, length: Number(length) }] });
}
