import type { Window } from '../../core/cooldown.ts';
import { DEFAULT_SITE } from '../../core/service-name.ts';
import type { Vote } from '../../core/vote.ts';
import type { RewardedVote, StoredWindow } from '../../core/window.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** A vote, as far as it decides which other votes share its windows. */
export interface Sharing extends Pick<Vote, 'service' | 'site'> {
  readonly recipientId: number;
}

/**
 * The windows of rewarded votes. Votes for one service share their windows, under whatever entry they were recorded, and
 * so do all votes under `default`. Windows that are shared do not overlap, and each contains the cast time of its vote,
 * so their order is that of the cast times.
 */
export class Windows {
  private readonly ofService;
  private readonly ofUnlisted;
  private readonly change;

  constructor(database: Database) {
    this.ofService = prepareStatements(database, 'service = @service');
    this.ofUnlisted = prepareStatements(database, `site = '${DEFAULT_SITE}'`);
    this.change = database.prepare('UPDATE votes SET window_start = ?, window_end = ? WHERE id = ?');
  }

  /** The rewarded votes that were cast after an instant, oldest first. */
  rewardedSince(of: Sharing, since: number): RewardedVote[] {
    const { service, recipientId } = of;
    const [own = [], others] = this.sharedWith(of).map(
      (statements) => statements.rewardedSince.all({ service, recipientId, since }) as RewardedVote[],
    );
    return others === undefined ? own : inOrder([...others.map(ofOther), ...own]);
  }

  /** The windows that may overlap with one, oldest first. */
  around(of: Sharing, { start, end }: Window): StoredWindow[] {
    const { service, recipientId } = of;
    const span = { service, recipientId, start, end };
    return inOrder(
      this.sharedWith(of).flatMap(({ lastBefore, between, firstSince }) =>
        [...lastBefore.all(span), ...between.all(span), ...firstSince.all(span)].map(stored),
      ),
    );
  }

  /** When the latest window ends; null if there is none. */
  lastEnd(of: Sharing): number | null {
    const { service, recipientId } = of;
    const ends = this.sharedWith(of).flatMap(
      ({ last }) => (last.get({ service, recipientId }) as WindowRow | undefined)?.end ?? [],
    );
    return ends.length === 0 ? null : Math.max(...ends);
  }

  /** All windows from the last one on whose vote was cast before an instant, for each set of votes that share them. */
  from(of: Sharing, start: number): StoredWindow[][] {
    const { service, recipientId } = of;
    const span = { service, recipientId, start, end: Number.MAX_SAFE_INTEGER };
    return this.sharedWith(of).map(({ lastBefore, between }) =>
      [...lastBefore.all(span), ...between.all(span)].map(stored),
    );
  }

  store(changed: readonly StoredWindow[]): void {
    for (const { id, window } of changed) this.change.run(window.start, window.end, id);
  }

  private sharedWith({ site }: Sharing) {
    return site === DEFAULT_SITE ? [this.ofService, this.ofUnlisted] : [this.ofService];
  }
}

const ofOther = (vote: RewardedVote): RewardedVote => ({ ...vote, isOfOther: true });

/** In order of cast times, each vote once: as it comes last. */
const inOrder = <Each extends RewardedVote>(votes: readonly Each[]): Each[] =>
  [...new Map(votes.map((vote) => [vote.id, vote])).values()].sort(
    (a, b) => a.castAt - b.castAt || a.id - b.id,
  );

interface WindowRow extends RewardedVote, Window {}

function stored(row: unknown): StoredWindow {
  const { id, castAt, start, end } = row as WindowRow;
  return { id, castAt, window: { start, end } };
}

const REWARDED = "FROM votes WHERE decision = 'rewarded' AND recipient_id = @recipientId";
const WINDOW = 'SELECT id, cast_at AS castAt, window_start AS start, window_end AS "end"';

/** Runs for each vote. The index covers it; reading the votes as well took twice as long. */
const rewardedSinceSql = (shared: string): string =>
  `SELECT id, cast_at AS castAt ${REWARDED} AND ${shared} AND cast_at > @since ORDER BY cast_at, id`;

const prepareStatements = (db: Database, shared: string) => ({
  rewardedSince: db.prepare(rewardedSinceSql(shared)),
  lastBefore: db.prepare(
    `${WINDOW} ${REWARDED} AND ${shared} AND cast_at < @start ORDER BY cast_at DESC, id DESC LIMIT 1`,
  ),
  between: db.prepare(
    `${WINDOW} ${REWARDED} AND ${shared} AND cast_at >= @start AND cast_at < @end ORDER BY cast_at, id`,
  ),
  last: db.prepare(`${WINDOW} ${REWARDED} AND ${shared} ORDER BY cast_at DESC, id DESC LIMIT 1`),
  firstSince: db.prepare(
    `${WINDOW} ${REWARDED} AND ${shared} AND cast_at >= @end ORDER BY cast_at, id LIMIT 1`,
  ),
});
