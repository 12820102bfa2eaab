import { condition, type SchemaKit } from './condition.ts';
import { COUNTED_OF, countVerdict } from './count.ts';

const RANGE = /^(\d{1,9})\.\.(\d{1,9}) step (\d{1,9})$/;
const AT_MOST = 1_000_000_000;
const AT_SENTENCE = 'must be a number such as 25, or a range such as "50..200 step 50"';

/** Numbers from one to another, in steps. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** Holds if this vote makes a count a multiple of a number, or one of the listed numbers. */
export const votes = condition({
  schema: (kit) => {
    const { z, section, distinct, listedService, wholeNumber } = kit;
    return section({
      every: wholeNumber(1, AT_MOST).optional().describe('Each multiple of this number.'),
      at: kit
        .list(atSchema(kit), 1, 100)
        .optional()
        .describe('These numbers, such as [5, "50..200 step 50"].'),
      of: z
        .enum(COUNTED_OF)
        .default('total')
        .describe(
          'What is counted: all votes of the player, those on this site, those of the day, week or month, or all votes of the network.',
        ),
      sites: distinct(listedService, 1, 100).optional().describe('Only votes on these sites are counted.'),
    })
      .refine(({ every, at }) => (every === undefined) !== (at === undefined), {
        error: 'must have either `every` or `at`',
      })
      .meta({ title: 'votes' })
      .describe('Paid for the vote with which the count reaches this.');
  },
  example: { every: 25 },
  decidedFor: 'counted',
  holds: ({ every, at = [], of, sites }, judging) => {
    const isWanted = (count: number): boolean =>
      every === undefined ? at.some((range) => isIn(range, count)) : count % every === 0;
    return countVerdict({ of, sites, isWanted }, judging);
  },
  explain: { held: () => null, notHeld: ({ count, of }) => `${of} is ${count}` },
  sites: ({ sites = [] }) => sites,
});

const isIn = ({ from, to, step }: Range, count: number): boolean =>
  count >= from && count <= to && (count - from) % step === 0;

function atSchema({ z, errorSentence }: SchemaKit) {
  const wrong = errorSentence(AT_SENTENCE);
  return z
    .union([z.int().min(1).max(AT_MOST), z.string().regex(RANGE)], wrong)
    .meta({ title: 'number or range' })
    .transform((written): Range => (typeof written === 'number' ? only(written) : rangeOf(written)))
    .refine(({ from, to, step }) => from >= 1 && from <= to && step >= 1, wrong);
}

const only = (number: number): Range => ({ from: number, to: number, step: 1 });

function rangeOf(written: string): Range {
  const [, from, to, step] = (RANGE.exec(written) ?? []).map(Number);
  return { from: from ?? 0, to: to ?? 0, step: step ?? 0 };
}
