import type { VoteRecord, VotesQuery } from '../../protocol/listing-api/schemas.ts';
import type { OutputOf } from '../../src/votes/listing-client/schema-types.ts';
import { json, type Script } from '../listing-client/scripted-api.ts';
import { Seeded } from '../support/seeded.ts';

export type Reported = OutputOf<typeof VoteRecord>;
type Query = OutputOf<typeof VotesQuery>;

/** Ways a service may interpret the specification. */
export interface Behaviour {
  /** Whether a vote at exactly the start or end is included. */
  readonly start: 'in' | 'out';
  readonly end: 'in' | 'out';
  /** The order within a page, and which votes of one millisecond are on it if there is not room for all. */
  readonly order: 'newest-first' | 'shuffled';
}

export const BEHAVIOURS: readonly Behaviour[] = (['in', 'out'] as const).flatMap((start) =>
  (['in', 'out'] as const).flatMap((end) =>
    (['newest-first', 'shuffled'] as const).map((order) => ({ start, end, order })),
  ),
);

/** What such a service reports: the newest 100 of the requested votes. */
export function report(
  votes: readonly Reported[],
  query: Query,
  behaviour: Behaviour,
  random: Seeded,
): Reported[] {
  const from = Date.parse(query.startDate ?? '0001-01-01') + (behaviour.start === 'in' ? 0 : 1);
  const until = Date.parse(query.endDate ?? '9999-12-31') - (behaviour.end === 'in' ? 0 : 1);
  const asked = votes
    .map((vote) => ({
      vote,
      at: Date.parse(vote.votedAt),
      tie: behaviour.order === 'shuffled' ? random.next() : 0,
    }))
    .filter(({ at }) => at >= from && at <= until)
    .sort((a, b) => b.at - a.at || b.tie - a.tie || (a.vote.id < b.vote.id ? 1 : -1))
    .slice(0, query.limit ?? 50);
  if (behaviour.order === 'shuffled') asked.sort((a, b) => a.tie - b.tie);
  return asked.map(({ vote }) => vote);
}

/** The same as an HTTP answer. */
export const reporting = (
  votes: readonly Reported[],
  behaviour: Behaviour = { start: 'in', end: 'in', order: 'newest-first' },
): Script => {
  const random = new Seeded(7);
  return (response, request) => {
    const asked = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
    json(200, report(votes, { ...asked, limit: Number(asked.limit) }, behaviour, random))(response, request);
  };
};

/** The `index`th vote, by a different player each unless one is given. */
export const record = (index: number, votedAt: number, player = `Player${index}`): Reported => ({
  id: `01970000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  userId: `u${index}`,
  votedAt: new Date(votedAt).toISOString(),
  metadata: { playerName: player },
});

/** Realistic cast times: single or in clusters of one instant, seconds or months; at most 100 in one millisecond. */
export function clusteredTimes(random: Seeded, from: number, until: number, most: number): number[] {
  const times: number[] = [];
  const inMillisecond = new Map<number, number>();
  const add = (at: number): void => {
    const count = inMillisecond.get(at) ?? 0;
    if (at < from || at >= until || count >= 100 || times.length >= most) return;
    inMillisecond.set(at, count + 1);
    times.push(at);
  };
  const clusters = 1 + random.below(6);
  for (let cluster = 0; cluster < clusters; cluster++) {
    const center = from + random.below(until - from);
    const width = random.pick([1, 2, 3, 50, 1_000, 2_500, 60_000, 3_600_000, until - from]);
    const votes = random.pick([1, 20, 99, 100, 101, 199, 200, 350]);
    for (let vote = 0; vote < votes; vote++) add(center + random.below(width));
  }
  return times.sort((a, b) => a - b);
}
