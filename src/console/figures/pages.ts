import { Hono } from 'hono';
import { DAY_MS } from '../../core/duration.ts';
import { paidTimes } from '../../operator/figures/paid-times.ts';
import { RefusalsByDay } from '../../operator/figures/refusals-by-day.ts';
import { RewardShares } from '../../operator/figures/reward-shares.ts';
import { TopVoters } from '../../operator/figures/top-voters.ts';
import { VotesByTime } from '../../operator/figures/votes-by-time.ts';
import { partyStates } from '../../operator/together/party-progress.ts';
import { answerCsv } from '../../web/csv.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import { inBackground } from '../in-background.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { CHARTS, type Counted, numbersOf } from './charts.ts';
import { figuresPage } from './page.ts';
import { rowsOf } from './series.ts';

const PAID_DAYS = 7;
const SHARES_DAYS = 30;
const VOTERS_SHOWN = 10;

/** So many rows of each kind are counted for one page, or with one part in the background: some 10 ms of the ledger's reader. */
const ROWS_AT_ONCE = 5_000;

/** How many votes and rewards, when, and by whom; the numbers of each chart also as a file. */
export function figuresPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, clock } = parts;
  const { ledger } = teller;
  const votesByTime = new VotesByTime(ledger);
  const refusalsByDay = new RefusalsByDay(ledger);
  const rewardShares = new RewardShares(ledger);
  const topVoters = new TopVoters(ledger, VOTERS_SHOWN);
  // One after the other, because each of them reads as much at once as the reader should.
  const countPart = async (): Promise<boolean> => {
    const now = clock.now();
    const { days } = await votesByTime.at(now, ROWS_AT_ONCE);
    const shares = await rewardShares.of(SHARES_DAYS, now, ROWS_AT_ONCE);
    const { month } = await topVoters.at(now);
    return days.every(({ isWhole }) => isWhole) && shares.isWhole && month.isWhole;
  };
  inBackground(countPart, parts);
  const counted = async (now: number): Promise<Counted> => {
    const [votes, refusals] = await Promise.all([votesByTime.at(now, ROWS_AT_ONCE), refusalsByDay.at(now)]);
    return { votes, refusals };
  };
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.figures, async (c) => {
    const now = clock.now();
    const [ofTimes, paid, shares, voters, parties] = await Promise.all([
      counted(now),
      paidTimes(ledger, now - PAID_DAYS * DAY_MS),
      rewardShares.of(SHARES_DAYS, now, ROWS_AT_ONCE),
      topVoters.at(now),
      partyStates(ledger, teller.config, now),
    ]);
    const view = { ...ofTimes, paid, shares, voters, parties };
    const charts = Object.fromEntries(CHARTS.map((name) => [name, numbersOf[name](view)]));
    return showPage(c, { ...figuresPage(view), json: { charts, paid, shares, voters, parties } });
  });
  pages.get(`${paths.figures}/:file`, async (c) => {
    const name = CHARTS.find((each) => `${each}.csv` === c.req.param('file'));
    if (name === undefined) return refuse(c, c.var.site, 'not-found');
    return answerCsv(c, `${name}.csv`, rowsOf(numbersOf[name](await counted(clock.now()))));
  });
  return pages;
}
