import { PERS } from '../core/period.ts';
import { reachedBeforeStart } from './before-start.ts';
import { condition } from './condition.ts';
import { type StreakRule, streakNow, streakOccasion, streaksPassed } from './streak-runs.ts';
import { NOTHING_FORGIVEN } from './voted-periods.ts';

/** Holds if the player has voted in so many periods in a row. */
export const streak = condition({
  schema: ({ z, section, wholeNumber }) => {
    const length = wholeNumber(2, 10_000);
    const forgive = section({
      missed: wholeNumber(1, 30).describe('How many periods may be missed.'),
      in: wholeNumber(2, 366).describe('Among how many consecutive periods.'),
    }).refine((written) => written.missed < written.in, { error: '`missed` must be less than `in`' });
    const detailed = section({
      length: length.describe('How many periods in a row.'),
      per: z.enum(PERS).default('day').describe('The period in which the player has to vote.'),
      votes: wholeNumber(1, 1_000).default(1).describe('How many votes a period needs.'),
      repeat: z.boolean().default(false).describe('true: also for each multiple of the length.'),
      forgive: forgive.optional().describe('Missed periods that do not end the streak. Default: none.'),
    });
    return z
      .union([length, detailed], {
        error: 'must be a number of days, or { "length", "per", "votes", "repeat", "forgive" }',
      })
      .transform(
        (written): StreakRule => ({
          ...{ per: 'day', votes: 1, repeat: false },
          ...(typeof written === 'number' ? { length: written } : written),
          forgive: (typeof written === 'number' ? undefined : written.forgive) ?? NOTHING_FORGIVEN,
        }),
      )
      .meta({ title: 'number or section' })
      .describe('Paid when the player has voted on so many days in a row.');
  },
  example: 7,
  decidedFor: 'marked',
  hasThreshold: true,
  holds: (rule, judging) => {
    const { run, due, reachedBefore } = streakNow(rule, judging);
    const because = { run, length: nextLength(rule, run), per: rule.per };
    if (due.length > 0) return { held: true, because: {} as typeof because, ways: [due.map(streakOccasion)] };
    if (reachedBefore === null) return { held: false, because };
    return {
      held: false,
      because,
      beforeStart: reachedBeforeStart(`${reachedBefore} ${rule.per}s in a row`, judging),
    };
  },
  passed: (rule, joining) => streaksPassed(rule, joining).map(streakOccasion),
  explain: {
    held: () => null,
    notHeld: ({ run, length, per }) =>
      run < length
        ? `${run} of ${length} ${per}s in a row`
        : `${run} ${per}s in a row: ${length} was reached before`,
  },
  phrase: ({ length, per, votes, repeat, forgive }) =>
    [
      `when they have voted ${length} ${per}s in a row`,
      votes === 1 ? '' : ` with at least ${votes} votes each`,
      forgive.missed === 0 ? '' : ` (${forgive.missed} of ${forgive.in} may be missed)`,
      repeat ? `, and again after each further ${length}` : '',
    ].join(''),
});

/** What the run has to reach next. */
const nextLength = ({ length, repeat }: StreakRule, run: number): number =>
  repeat ? (Math.floor(run / length) + 1) * length : length;
