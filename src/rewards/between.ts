import { parseDay, periodName } from '../core/period.ts';
import { condition } from './condition.ts';

const EXPECTED = 'must be two dates such as ["2026-12-24", "2026-12-27"], the first not after the second';

/** Holds for votes that were cast on one of the days from one to another, both included. */
export const between = condition({
  schema: ({ z, errorSentence }) => {
    const wrong = errorSentence(EXPECTED);
    return z
      .tuple([z.string(wrong), z.string(wrong)], wrong)
      .meta({ title: 'two dates' })
      .transform((dates) => dates.map((date) => parseDay(date) ?? Number.NaN) as [number, number])
      .refine(([first, last]) => first <= last, wrong)
      .describe('Only votes that were cast on the days from one date to another, both included.');
  },
  example: ['2026-12-24', '2026-12-27'],
  holds: ([first, last], { vote: { day } }) => ({
    held: day >= first && day <= last,
    because: { first, last, day },
  }),
  explain: {
    held: () => null,
    notHeld: ({ first, last, day }) =>
      day < first ? `begins on ${periodName('day', first)}` : `ended on ${periodName('day', last)}`,
  },
  phrase: ([first, last]) =>
    first === last
      ? `on ${periodName('day', first)}`
      : `from ${periodName('day', first)} to ${periodName('day', last)}`,
});
