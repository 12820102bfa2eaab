import type { z } from 'zod';
import type { distinct, errorSentence, serviceName } from '../config/values.ts';
import type { Facts } from '../core/reason.ts';
import type { Vote } from '../core/vote.ts';

/**
 * One key of a reward's `if`. Each key has its own file, which exports one Condition; `conditions.ts` lists them
 * all. A condition is pure: everything that it depends on is passed in.
 *
 * @typeParam Schema what operators may write.
 * @typeParam Because the facts that `explain` needs. They are stored with the vote as JSON, so never rename one.
 * @typeParam Asked the kinds of questions that it asks beyond the vote, such as `draw`.
 */
export interface Condition<
  Schema extends z.ZodType,
  Because extends Facts = Facts,
  Asked extends Question['kind'] = never,
> {
  /**
   * The value in the config: its bounds, errors, title and description. The docs are generated from it. It is built
   * from what it is given, so that a thread which only judges votes does not load the validator.
   */
  schema(kit: SchemaKit): Schema;
  /** A value as operators write it. */
  readonly example: z.input<Schema>;
  /** What the condition has to know besides the vote. The answers are passed to `holds`. */
  facts(value: z.output<Schema>): readonly Question<Asked>[];
  holds(value: z.output<Schema>, vote: JudgedVote, answers: Pick<Answers, Asked>): Verdict<Because>;
  /** The end of a sentence that begins with the reward: "daily: not this site". */
  readonly explain: {
    /** `because` may hold the facts of other conditions only. null if there is nothing to say. */
    held(because: Partial<Because>): string | null;
    notHeld(because: Because): string;
  };
  /** The entries of `sites` that a value names. The config is refused if one does not exist. */
  sites?(value: z.output<Schema>): readonly string[];
}

/** What a schema is built from: the validator, and kinds of value that keys of the config share. */
export interface SchemaKit {
  readonly z: typeof z;
  readonly errorSentence: typeof errorSentence;
  readonly distinct: typeof distinct;
  readonly serviceName: typeof serviceName;
}

/** The parts of a vote that a reward depends on. */
export interface JudgedVote extends Pick<Vote, 'service' | 'site' | 'recipient' | 'castAt'> {
  /** The IANA name of the time zone of its local day (`localDay(vote.castAt, vote.zone)`). */
  readonly zone: string;
}

/**
 * What a condition can ask, as plain data that can be sent to another thread. A question about earlier votes belongs
 * here too: the ledger then reads the answer in the vote's transaction.
 */
export interface Question<Kind extends keyof Answers = keyof Answers> {
  readonly kind: Kind;
}

/** The answer to each kind of question. */
export interface Answers {
  /** A random number from 0 (included) to 1 (excluded), drawn once for this vote and reward. */
  readonly draw: number;
}

export interface Verdict<Because extends Facts = Facts> {
  readonly held: boolean;
  /** Empty if `held` says everything. */
  readonly because: Because;
}

/** A condition whose types follow from its schema, its `facts` and what `holds` returns. */
export const condition = <
  Schema extends z.ZodType,
  Because extends Facts,
  Asked extends Question['kind'] = never,
>(
  parts: Condition<Schema, Because, Asked>,
): Condition<Schema, Because, Asked> => parts;
