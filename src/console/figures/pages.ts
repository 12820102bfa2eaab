import { Hono } from 'hono';
import { HOUR_MS } from '../../core/duration.ts';
import { TopVoters } from '../../operator/figures/top-voters.ts';
import { VotesByDay, type VotesByDayValue } from '../../operator/figures/votes-by-day.ts';
import { answerCsv } from '../../web/csv.ts';
import { showPage } from '../../web/show.ts';
import { inBackground } from '../in-background.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { figuresPage, rowsOf } from './page.ts';

const VOTERS_SHOWN = 10;

/** So many votes are counted for one page, or with one part in the background: some 10 ms of the ledger's reader. */
const VOTES_AT_ONCE = 5_000;
/** For one page until all older votes are counted in the background. */
const NEW_VOTES = 500;

/** How many votes, when, and by whom; the votes of each day also as a file. */
export function figuresPages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, clock } = parts;
  const { ledger } = teller;
  const votesByDay = new VotesByDay(ledger);
  const topVoters = new TopVoters(ledger, VOTERS_SHOWN);
  // One after the other, because each of them reads as much at once as the reader should.
  const countPart = async (): Promise<boolean> => {
    const now = clock.now();
    const { days } = await votesByDay.at(now, VOTES_AT_ONCE);
    const { month } = await topVoters.at(now);
    return days.every(({ isWhole }) => isWhole) && month.isWhole;
  };
  const progress = inBackground(countPart, parts);
  const votesAt = (now: number): Promise<VotesByDayValue> =>
    votesByDay.at(now, progress() === 'ended' ? VOTES_AT_ONCE : NEW_VOTES);
  /** Refusals are counted by hour, so an hour in which a day begins belongs to the day before. */
  const refusedSince = async (start: number): Promise<number> => {
    const counts = await ledger.refusals(Math.ceil(start / HOUR_MS) * HOUR_MS);
    return counts.reduce((all, { count }) => all + count, 0);
  };
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.figures, async (c) => {
    const now = clock.now();
    const [votes, voters] = await Promise.all([
      votesAt(now),
      topVoters.at(now, progress() === 'goes-on' ? 0 : 1),
    ]);
    const refusedToday = await refusedSince(votes.days.at(-1)?.start ?? now);
    return showPage(c, figuresPage({ votes, refusedToday, voters }));
  });
  pages.get(paths.votesByDay, async (c) =>
    answerCsv(c, 'votes-by-day.csv', rowsOf(await votesAt(clock.now()))),
  );
  return pages;
}
