import * as z from 'zod';
import { errorSentence, line, section, serviceName, wholeNumber } from '../../core/config-values.ts';
import { parseDay } from '../../core/period.ts';
import { daily, isWrittenTime, readTime } from '../../core/written-time.ts';
import { oneOrMore } from './one-or-more.ts';

const noTime = errorSentence(
  'must be a date and a time, such as "2026-11-01T18:00", in the config’s `timeZone`, or "2026-11-01T18:00Z"',
);
export const time = z
  .string(noTime)
  .refine(isWrittenTime, noTime)
  .meta({ title: 'time', example: '2026-11-01T18:00' });

const noDay = errorSentence('must be a date such as "2026-11-05"');
const date = z
  .string(noDay)
  .refine((text) => parseDay(text) !== null, noDay)
  .meta({ title: 'date', example: '2026-11-05' })
  .transform((text) => parseDay(text) as number);

const DAYS_MAX = 3660;
const EACH_MAX = 1000;

/** Votes as an example has them: at these times, or once a day from a first time on. */
const voteShape = {
  player: oneOrMore(line(64), EACH_MAX),
  site: oneOrMore(serviceName, EACH_MAX),
  at: oneOrMore(time, EACH_MAX).optional(),
  from: time.optional(),
  days: wholeNumber(1, DAYS_MAX).optional(),
  skip: oneOrMore(date, EACH_MAX).optional(),
};

const votesShape = section(voteShape);

export type WrittenVotes = z.output<typeof votesShape>;

type AddFault = (key: keyof WrittenVotes, message: string) => void;

function timeFaults({ at, from, days, skip }: WrittenVotes, add: AddFault): void {
  if (at === undefined && from === undefined) add('at', 'is missing; say when: `at`, or `from` with `days`');
  if (at !== undefined && from !== undefined) add('at', 'cannot be used with `from`; write two entries');
  if (from !== undefined && days === undefined) add('days', 'is missing; say on how many days, with `from`');
  if (from === undefined && days !== undefined) add('days', 'needs `from`, the first of these times');
  if (from === undefined && skip !== undefined) add('skip', 'needs `from` and `days`');
}

/** An entry of `votes` with these further keys. */
export const votesEntry = <Shape extends z.ZodRawShape>(more: Shape) =>
  section({ ...voteShape, ...more }).superRefine((written, context) => {
    timeFaults(written as WrittenVotes, (key, message) =>
      context.addIssue({ code: 'custom', path: [key], message }),
    );
  });

/** One vote of an entry. */
export interface WrittenVote {
  readonly player: string;
  readonly site: string;
  readonly at: number;
  /** The place of its entry in `votes`. */
  readonly entry: number;
}

/** At most this many votes are simulated for one example. */
export const VOTES_MAX = 100_000;

/** How many votes these entries are, without listing them. */
export const countVotes = (entries: readonly WrittenVotes[]): number =>
  entries.reduce(
    (sum, { player, site, at, days = 0 }) => sum + player.length * site.length * (at?.length ?? days),
    0,
  );

/** Every vote of these entries, in the order of their times; those of one time in the order in which they are written. */
export const votesIn = (entries: readonly WrittenVotes[], zone: string): readonly WrittenVote[] =>
  entries.flatMap((entry, place) => votesOf(entry, place, zone)).sort((a, b) => a.at - b.at);

const votesOf = (written: WrittenVotes, entry: number, zone: string): readonly WrittenVote[] =>
  timesOf(written, zone).flatMap((at) =>
    written.site.flatMap((site) => written.player.map((player) => ({ player, site, at, entry }))),
  );

function timesOf({ at, from, days = 0, skip = [] }: WrittenVotes, zone: string): readonly number[] {
  if (at !== undefined) return at.map((text) => readTime(text, zone));
  const skipped = new Set(skip);
  return daily(from ?? '', days, zone).flatMap((each) => (skipped.has(each.day) ? [] : [each.at]));
}
