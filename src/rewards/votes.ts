import { listText, ordinal } from '../core/list-text.ts';
import { condition, type SchemaKit } from './condition.ts';
import {
  COUNTED_AMONG,
  COUNTED_OF,
  countsPassed,
  countText,
  countVerdict,
  isPeriod,
  type Numbers,
  type WantedCount,
} from './count.ts';

const RANGE = /^(\d{1,9})\.\.(\d{1,9}) step (\d{1,9})$/;
const AT_MOST = 1_000_000_000;
const AT_SENTENCE = 'must be a number such as 25, or a range such as "50..200 step 50"';

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
  hasThreshold: true,
  period: ({ of }) => (isPeriod(of) ? of : null),
  holds: (written, judging) => countVerdict(wanted(written), judging),
  passed: (written, joining) => countsPassed(wanted(written), joining),
  explain: { held: () => null, notHeld: countText },
  phrase: (written) => countPhrase(written),
  sites: ({ sites = [] }) => sites,
});

interface Written extends Pick<WantedCount, 'of' | 'sites'> {
  readonly every?: number | undefined;
  readonly at?: readonly Numbers[] | undefined;
}

const wanted = ({ every, at = [], of, sites }: Written): WantedCount => ({
  of,
  sites,
  numbers: every === undefined ? at : [{ from: every, to: Number.POSITIVE_INFINITY, step: every }],
});

/** So many numbers are listed one by one. */
const LISTED_MAX = 6;

function countPhrase({ every, at = [], of, sites }: Written): string {
  const where = `${COUNTED_AMONG[of]}${sites === undefined ? '' : ` on ${listText(sites, 'or')}`}`;
  if (every !== undefined) return `on every ${every === 1 ? '' : `${ordinal(every)} `}vote${where}`;
  const numbers = at.flatMap((range) => firstOf(range, LISTED_MAX + 1));
  if (numbers.length <= LISTED_MAX) return `on the ${listText(numbers.map(ordinal), 'or')} vote${where}`;
  const singles = at.filter(({ from, to }) => from === to).map(({ from }) => ordinal(from));
  const ranges = at.filter(({ from, to }) => from !== to).map(rangeText);
  const parts = singles.length === 0 ? ranges : [`the ${listText(singles, 'or')}`, ...ranges];
  return `on ${parts.join(', or ')} vote${where}`;
}

const firstOf = ({ from, to, step }: Numbers, most: number): readonly number[] =>
  Array.from({ length: Math.min(most, Math.floor((to - from) / step) + 1) }, (_, at) => from + at * step);

const rangeText = ({ from, to, step }: Numbers): string =>
  step === 1
    ? `each from the ${ordinal(from)} to the ${ordinal(to)}`
    : `each ${ordinal(step)} from the ${ordinal(from)} to the ${ordinal(to)}`;

function atSchema({ z, errorSentence }: SchemaKit) {
  const wrong = errorSentence(AT_SENTENCE);
  return z
    .union([z.int().min(1).max(AT_MOST), z.string().regex(RANGE)], wrong)
    .meta({ title: 'number or range' })
    .transform((written): Numbers => (typeof written === 'number' ? only(written) : rangeOf(written)))
    .refine(({ from, to, step }) => from >= 1 && from <= to && step >= 1, wrong);
}

const only = (number: number): Numbers => ({ from: number, to: number, step: 1 });

function rangeOf(written: string): Numbers {
  const [, from, to, step] = (RANGE.exec(written) ?? []).map(Number);
  return { from: from ?? 0, to: to ?? 0, step: step ?? 0 };
}
