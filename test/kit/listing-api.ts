/** The developer API of a listing, as a test scripts it: it reports votes, or answers with whatever the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Seeded } from '../support/seeded.ts';
import type { Here } from './here.ts';
import { serve } from './serve.ts';

export const API_TOKEN = 'tok_8d2f61c0a94b7e35';

export type Script = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with `scripts` in order, one for each request; the last one answers all further requests. */
export async function scriptedServer(...scripts: readonly Script[]) {
  const requests: { method: string; url: string; authorization: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, authorization: headers.authorization ?? '', body });
    scripts[Math.min(requests.length, scripts.length) - 1]?.(response, request);
  });
  const port = await serve(server);
  return { port, requests, root: `http://127.0.0.1:${port}/api/v1` };
}

export type ListingApi = Awaited<ReturnType<typeof listingApi>>;

type Query = Readonly<Partial<Record<'startDate' | 'endDate' | 'limit', string>>>;

/** @param clock of the Teller that asks. @param aheadMs how far the listing's clock is ahead of it; by default the listing does not say its time. */
export async function listingApi(
  clock: Here['clock'],
  { behaviour = USUAL, aheadMs }: { behaviour?: Behaviour; aheadMs?: () => number } = {},
) {
  /** What it reports, unless a script answers. */
  const votes: Reported[] = [];
  /** When each request came, in milliseconds since the first, and what it asked for. */
  const asked: { at: number; query: Query }[] = [];
  const random = new Seeded(7);
  let scripts: readonly Script[] = [];
  const { root } = await scriptedServer((response, request) => {
    const query: Query = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
    asked.push({ at: clock.monotonic(), query });
    response.sendDate = false;
    if (aheadMs !== undefined) response.setHeader('Date', new Date(clock.now() + aheadMs()).toUTCString());
    const [script] = scripts;
    if (scripts.length > 1) scripts = scripts.slice(1);
    if (script === undefined) json(200, report(votes, query, behaviour, random))(response, request);
    else script(response, request);
  });
  return {
    ...{ root, votes, asked },
    /** An entry of `sites`. */
    site: (api: object = {}, more: object = {}): object => ({
      api: { baseUrl: root, token: API_TOKEN, ...api },
      ...more,
    }),
    /** They answer the next requests, one each; the last one stays if it is alone. */
    answer: (...next: readonly Script[]): void => {
      scripts = next;
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.sendDate = false; // It would be the time of this machine, but the tests have their own clock.
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

const PAGE = '<html><body>502 Bad Gateway</body></html>';
export const html =
  (status: number, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'text/html', ...headers }).end(PAGE);
  };

export const stall: Script = () => {};

/** [API-2] A failure as the specification describes it, built without our service. */
export const failure = (statusCode: number, code: string, more: object = {}) => ({
  ...{ statusCode, error: 'Some Name', code, message: 'Something is not right.' },
  ...{ path: '/api/v1/webhooks/votes', timestamp: '2026-06-01T12:00:00.000Z' },
  ...more,
});

export const limited = (seconds: number): Script =>
  json(429, failure(429, 'RATE_LIMITED', { retryAfterSeconds: seconds }), { 'Retry-After': String(seconds) });
export const broken: Script = json(500, failure(500, 'INTERNAL_ERROR'));

export interface Reported {
  readonly id: string;
  readonly userId: string;
  readonly votedAt: string;
  readonly metadata: { readonly playerName?: string };
}

/** The `index`th vote, by a different player each unless one is given. */
export const record = (index: number, votedAt: number, player = `Player${index}`): Reported => ({
  id: `01970000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  userId: `u${index}`,
  votedAt: new Date(votedAt).toISOString(),
  metadata: { playerName: player },
});

/** Ways a service may interpret the specification. */
export interface Behaviour {
  /** Whether a vote at exactly the start or end is included. */
  readonly start: 'in' | 'out';
  readonly end: 'in' | 'out';
  /** The order within a page, and which votes of one millisecond are on it if there is not room for all. */
  readonly order: 'newest-first' | 'shuffled';
}

const USUAL: Behaviour = { start: 'in', end: 'in', order: 'newest-first' };

export const BEHAVIOURS: readonly Behaviour[] = (['in', 'out'] as const).flatMap((start) =>
  (['in', 'out'] as const).flatMap((end) =>
    (['newest-first', 'shuffled'] as const).map((order) => ({ start, end, order })),
  ),
);

/** What such a service reports: the newest of the requested votes. */
function report(
  votes: readonly Reported[],
  { startDate = '0001-01-01', endDate = '9999-12-31', limit = '50' }: Query,
  { start, end, order }: Behaviour,
  random: Seeded,
): Reported[] {
  const from = Date.parse(startDate) + (start === 'in' ? 0 : 1);
  const until = Date.parse(endDate) - (end === 'in' ? 0 : 1);
  const isShuffled = order === 'shuffled';
  const asked = votes
    .map((vote) => ({ vote, at: Date.parse(vote.votedAt), tie: isShuffled ? random.next() : 0 }))
    .filter(({ at }) => at >= from && at <= until)
    .sort((a, b) => b.at - a.at || b.tie - a.tie || (a.vote.id < b.vote.id ? 1 : -1))
    .slice(0, Number(limit));
  if (isShuffled) asked.sort((a, b) => a.tie - b.tie);
  return asked.map(({ vote }) => vote);
}

/** Reports these votes. */
export const reporting = (votes: readonly Reported[]): Script => {
  const random = new Seeded(7);
  return (response, request) => {
    const query = Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams);
    json(200, report(votes, query, USUAL, random))(response, request);
  };
};

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

/** A request may be seen so much later than it was sent. */
const SEEN_LATE_MS = 1_000;

/** The number of requests in the busiest minute. */
export function busiestMinute(asked: ListingApi['asked']): number {
  let [most, first] = [0, 0];
  asked.forEach(({ at }, index) => {
    while (at - (asked[first]?.at ?? 0) >= 60_000 - SEEN_LATE_MS) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
