/** A Teller that looks for votes it missed, in the API of a listing. */
import { type Here, here } from '../kit/here.ts';
import { type ListingApi, listingApi, type Reported, record } from '../kit/listing-api.ts';
import { TOKEN } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';

export const NOW = Date.parse('2026-06-03T12:00:00Z');
export const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];
export const SITE = 'My-List.com';

export const iso = (at: number): string => new Date(at).toISOString();
/** Votes at these times, each by a different player. */
export const votesAt = (times: readonly number[]): Reported[] =>
  times.map((time, index) => record(index, time));
export const evenly = (count: number, from: number, ms: number): number[] =>
  Array.from({ length: count }, (_, index) => from + index * ms);

interface Recorded extends Readonly<Record<'recipient' | 'decision' | 'channel' | 'castAt', string>> {
  readonly player: string | null;
}

export interface Start {
  /** What the listing knows already. */
  readonly votes?: readonly Reported[];
  /** Keys of `api`, and of the site. */
  readonly settings?: object;
  readonly site?: object;
  readonly clock?: FakeClock;
  readonly api?: ListingApi;
}

/** By default votes of the last 80 days are paid. */
export async function recovering({ votes = [], settings, site, ...given }: Start = {}) {
  const clock = given.clock ?? new FakeClock(NOW);
  const api = given.api ?? (await listingApi(clock));
  api.votes.push(...votes);
  const payFrom = { payFrom: iso(NOW - 80 * DAY), maxAge: '90d' };
  const sites = { default: { token: TOKEN }, [SITE]: api.site(settings ?? payFrom, site) };
  const teller = await here({ sites, rewards: [] }, clock);
  const recorded = async (): Promise<readonly Recorded[]> =>
    (await teller.run('votes', '--limit', '10000', '--json')).json.toReversed();
  const foundIn = ({ log }: Here) =>
    log.reduce((sum, { code, fields }) => sum + (code === 'recovered' ? (fields as Found).found : 0), 0);
  return Object.assign(teller, {
    api,
    /** All votes in the order in which they were recorded. */
    votes: recorded,
    /** The players of them. */
    players: async () => (await recorded()).map(({ player }) => player),
    /** How many there are. */
    count: async (): Promise<number> =>
      (await teller.run('votes', '--limit', '1', '--json')).json[0]?.id ?? 0,
    /** `Steve rewarded`, in that order. */
    said: async () => (await recorded()).map((one) => `${one.player ?? one.recipient} ${one.decision}`),
    /** Time passes until so many missed votes are found, however long it takes to store them. */
    untilFound: async (count: number, stepMs = SECOND) => {
      while (foundIn(teller) < count) await teller.pass(stepMs, stepMs / 4);
    },
    /** The causes why it could not look, as they were logged, and when that was over. */
    faults: () =>
      teller.log.flatMap(({ code, fields }) => {
        if (code === 'recovery-mended') return [code];
        return code === 'recovery-fault' ? [String((fields as { cause: string }).cause)] : [];
      }),
  });
}

interface Found {
  readonly found: number;
}
