import { Hono } from 'hono';
import { pause } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import { Problem } from '../../core/problem.ts';
import { TopVoters } from '../../operator/figures/top-voters.ts';
import { VotesByDay, type VotesByDayValue } from '../../operator/figures/votes-by-day.ts';
import { answerCsv } from '../../web/csv.ts';
import { showPage } from '../../web/show.ts';
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

/** Before the first part: the page that an operator opens first comes before it. */
const FIRST_PAUSE_MS = 600;
/** The least between two parts, so that pages and checks come in between: as long as the last one took. */
const PAUSE_MS = 50;

/** `not-begun` until the first part is done; `ended` when all is done, or when the rest is left to the page. */
type Progress = 'not-begun' | 'goes-on' | 'ended';

type Parts = Pick<ConsoleParts, 'clock' | 'log' | 'onEnd'>;

/**
 * Does in small parts what a page would otherwise do when it is first opened. Stops when the console ends, or if the ledger
 * cannot be read: the page then does the rest itself.
 *
 * @param part does a few milliseconds of work, and says whether all is done.
 * @returns how far it is.
 */
export function inBackground(part: () => Promise<boolean>, { clock, log, onEnd }: Parts): () => Progress {
  const end = new AbortController();
  let progress: Progress = 'not-begun';
  const run = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; ; ) {
      await pause(clock, pauseMs, end.signal);
      if (end.signal.aborted) return;
      const beganAt = clock.monotonic();
      if (await part()) return;
      progress = 'goes-on';
      pauseMs = Math.max(PAUSE_MS, clock.monotonic() - beganAt);
    }
  };
  const failed = (error: unknown): void => {
    const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (!(error instanceof Problem))
      log.error(
        { code: 'page-fault', at: 'background', fault },
        'Work in the background of the console failed',
      );
  };
  const running = run()
    .catch(failed)
    .finally(() => {
      progress = 'ended';
    });
  onEnd(() => {
    end.abort();
    return running;
  });
  return () => progress;
}
