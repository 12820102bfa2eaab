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
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { CHARTS, type Counted, numbersOf } from './charts.ts';
import { figuresPage } from './page.ts';
import { rowsOf } from './series.ts';

const PAID_DAYS = 7;
const SHARES_DAYS = 30;
const VOTERS_SHOWN = 10;

/** How many votes and rewards, when, and by whom; the numbers of each chart also as a file. */
export function figuresPages({ teller, clock }: ConsoleParts): Hono<ConsoleEnv> {
  const { ledger } = teller;
  const votesByTime = new VotesByTime(ledger);
  const refusalsByDay = new RefusalsByDay(ledger);
  const rewardShares = new RewardShares(ledger);
  const topVoters = new TopVoters(ledger, VOTERS_SHOWN);
  const counted = async (now: number): Promise<Counted> => ({
    votes: await votesByTime.at(now),
    refusals: await refusalsByDay.at(now),
  });
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.figures, async (c) => {
    const now = clock.now();
    const view = {
      ...(await counted(now)),
      paid: await paidTimes(ledger, now - PAID_DAYS * DAY_MS),
      shares: await rewardShares.of(SHARES_DAYS, now),
      voters: await topVoters.at(now),
      parties: await partyStates(ledger, teller.config, now),
    };
    const charts = Object.fromEntries(CHARTS.map((name) => [name, numbersOf[name](view)]));
    const { paid, shares, voters, parties } = view;
    return showPage(c, { ...figuresPage(view), json: { charts, paid, shares, voters, parties } });
  });
  pages.get(`${paths.figures}/:file`, async (c) => {
    const name = CHARTS.find((each) => `${each}.csv` === c.req.param('file'));
    if (name === undefined) return refuse(c, c.var.site, 'not-found');
    return answerCsv(c, `${name}.csv`, rowsOf(numbersOf[name](await counted(clock.now()))));
  });
  return pages;
}
