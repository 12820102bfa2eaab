import type { EventData } from '../../../../protocol/webhook/events.ts';
import { isoTime } from '../../../core/instant.ts';
import type { EventDescriptor } from '../kind.ts';

type Refused = EventData<'vote.refused'>;

/** The hour as the ledger stores it, in milliseconds since the Unix epoch. */
interface Hour {
  readonly from: number;
  readonly until: number;
}
type Stored = Omit<Refused, keyof Hour> & Hour;

/** So many causes are named in a sentence. */
const NAMED = 3;

export const voteRefused: EventDescriptor<'vote.refused'> = {
  data: async ({ facts }) => {
    const { from, until, ...sums } = facts as unknown as Stored;
    return { from: isoTime(from), until: isoTime(until), ...sums };
  },
  sentence: ({ from, until, total, refusals, others }) => {
    const named = refusals.slice(0, NAMED);
    const rest = others + refusals.slice(NAMED).reduce((sum, { count }) => sum + count, 0);
    const causes = [...named.map(cause), ...(rest === 0 ? [] : [`${rest} for other causes`])];
    const votes = total === 1 ? '1 vote was' : `${total} votes were`;
    return `${votes} refused from ${clock(from)} to ${clock(until)} UTC: ${causes.join(', ')}. \`teller check\` says what to do.`;
  },
};

const cause = ({ code, site, count }: Refused['refusals'][number]): string =>
  `${count} ${code}${site === null || site === '' ? '' : ` of ${site}`}`;

const clock = (instant: string): string => instant.slice(11, 16);
