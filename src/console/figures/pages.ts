import { Hono } from 'hono';
import { DAY_MS } from '../../core/duration.ts';
import { paidTimes } from '../../operator/figures/paid-times.ts';
import { RefusalsByDay } from '../../operator/figures/refusals-by-day.ts';
import { TopVoters } from '../../operator/figures/top-voters.ts';
import { VotesByTime } from '../../operator/figures/votes-by-time.ts';
import { partyStates } from '../../operator/together/party-progress.ts';
import { answerCsv } from '../../web/csv.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import { inBackground } from '../in-background.ts';
import { Kept } from '../kept.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { allNumbers, CHARTS, type Counted, numbersOf } from './charts.ts';
import { figuresPage } from './page.ts';
import { rowsOf } from './series.ts';

const PAID_DAYS = 7;
const VOTERS_SHOWN = 10;

/** So many rows of each kind are counted for one page, or with one part in the background: some 10 ms of the ledger's reader. */
const ROWS_AT_ONCE = 5_000;
/** For one page until all older rows are counted in the background. */
const NEW_ROWS = 500;
/** How fast rewards are paid changes slowly and takes some 10 ms to read. */
const KEPT_MS = 5_000;

/** How many votes and rewards, when, and by whom; the numbers of each chart also as a file. */
export function figuresPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, clock } = parts;
  const { ledger } = teller;
  const votesByTime = new VotesByTime(ledger);
  const refusalsByDay = new RefusalsByDay(ledger);
  const topVoters = new TopVoters(ledger, VOTERS_SHOWN);
  // One after the other, because each of them reads as much at once as the reader should.
  const countPart = async (): Promise<boolean> => {
    const now = clock.now();
    const { days } = await votesByTime.at(now, ROWS_AT_ONCE);
    const { month } = await topVoters.at(now);
    return days.every(({ isWhole }) => isWhole) && month.isWhole;
  };
  const progress = inBackground(countPart, parts);
  const rowsOfPage = (): number => (progress() === 'ended' ? ROWS_AT_ONCE : NEW_ROWS);
  const counted = async (now: number): Promise<Counted> => {
    const [votes, refusals] = await Promise.all([votesByTime.at(now, rowsOfPage()), refusalsByDay.at(now)]);
    return { votes, refusals };
  };
  const payments = new Kept(clock, KEPT_MS, () => paidTimes(ledger, clock.now() - PAID_DAYS * DAY_MS));
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.figures, async (c) => {
    const now = clock.now();
    const [ofTimes, paid, voters, parties] = await Promise.all([
      counted(now),
      payments.get(null),
      topVoters.at(now, progress() === 'goes-on' ? 0 : 1),
      partyStates(ledger, teller.config, now),
    ]);
    const json = { charts: allNumbers(ofTimes), paid, voters, parties };
    return showPage(c, { ...figuresPage({ ...ofTimes, ...json }), json });
  });
  pages.get(`${paths.figures}/:file`, async (c) => {
    const name = CHARTS.find((each) => `${each}.csv` === c.req.param('file'));
    if (name === undefined) return refuse(c, c.var.site, 'not-found');
    return answerCsv(c, `${name}.csv`, rowsOf(numbersOf[name](await counted(clock.now()))));
  });
  return pages;
}
