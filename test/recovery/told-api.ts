import type { VoteRecord, VotesQuery } from '../../protocol/listing-api/schemas.ts';
import type { OutputOf } from '../../src/listing-client/schema-types.ts';
import { json, type Script } from '../listing-client/scripted-api.ts';
import { Seeded } from '../support/seeded.ts';

export type Told = OutputOf<typeof VoteRecord>;
type Query = OutputOf<typeof VotesQuery>;

/** How a service may read the specification. */
export interface Manners {
  /** Whether a vote at the very millisecond of the end belongs to it. */
  readonly start: 'in' | 'out';
  readonly end: 'in' | 'out';
  /** Of the votes within a page, and of those of one millisecond when not all of them go on it. */
  readonly order: 'newest-first' | 'shuffled';
}

export const MANNERS: readonly Manners[] = (['in', 'out'] as const).flatMap((start) =>
  (['in', 'out'] as const).flatMap((end) =>
    (['newest-first', 'shuffled'] as const).map((order) => ({ start, end, order })),
  ),
);

/** What such a service tells: the newest 100 of what was asked for. */
export function tell(votes: readonly Told[], query: Query, manners: Manners, random: Seeded): Told[] {
  const from = Date.parse(query.startDate ?? '0001-01-01') + (manners.start === 'in' ? 0 : 1);
  const until = Date.parse(query.endDate ?? '9999-12-31') - (manners.end === 'in' ? 0 : 1);
  const asked = votes
    .map((vote) => ({
      vote,
      at: Date.parse(vote.votedAt),
      tie: manners.order === 'shuffled' ? random.next() : 0,
    }))
    .filter(({ at }) => at >= from && at <= until)
    .sort((a, b) => b.at - a.at || b.tie - a.tie || (a.vote.id < b.vote.id ? 1 : -1))
    .slice(0, query.limit ?? 50);
  if (manners.order === 'shuffled') asked.sort((a, b) => a.tie - b.tie);
  return asked.map(({ vote }) => vote);
}

/** The same on a socket. */
export const telling = (
  votes: readonly Told[],
  manners: Manners = { start: 'in', end: 'in', order: 'newest-first' },
): Script => {
  const random = new Seeded(7);
  return (response, request) => {
    const asked = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
    json(200, tell(votes, { ...asked, limit: Number(asked.limit) }, manners, random))(response, request);
  };
};

/** The `index`th vote, by a player of its own unless one is named. */
export const told = (index: number, votedAt: number, player = `Player${index}`): Told => ({
  id: `01970000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  userId: `u${index}`,
  votedAt: new Date(votedAt).toISOString(),
  metadata: { playerName: player },
});

/** Cast times as votes come in life: alone, in crowds, in one instant, over seconds or over months; at most 100 in one millisecond. */
export function scattered(random: Seeded, from: number, until: number, most: number): number[] {
  const times: number[] = [];
  const inMillisecond = new Map<number, number>();
  const add = (at: number): void => {
    const count = inMillisecond.get(at) ?? 0;
    if (at < from || at >= until || count >= 100 || times.length >= most) return;
    inMillisecond.set(at, count + 1);
    times.push(at);
  };
  const crowds = 1 + random.below(6);
  for (let crowd = 0; crowd < crowds; crowd++) {
    const center = from + random.below(until - from);
    const width = random.pick([1, 2, 3, 50, 1_000, 2_500, 60_000, 3_600_000, until - from]);
    const votes = random.pick([1, 20, 99, 100, 101, 199, 200, 350]);
    for (let vote = 0; vote < votes; vote++) add(center + random.below(width));
  }
  return times.sort((a, b) => a - b);
}
