import { describe, expect, test } from 'vitest';
import {
  broken,
  clientOf,
  failure,
  html,
  json,
  limited,
  noVotes,
  scriptedApi,
  scriptedServer,
  stall,
} from './scripted-api.ts';

const OK = { kind: 'ok', value: { votes: [], unread: [] }, serviceTime: null };

describe('a 429', () => {
  test('is waited out each time it comes, for as long as it says', async () => {
    const { client, clock, server } = await scriptedApi(limited(7), limited(30), limited(1), noVotes);
    const result = client.votes();
    await clock.sitOut(7_000, 30_000, 1_000);
    expect(await result).toEqual(OK);
    expect([clock.waits, server.requests.length, clock.pending]).toEqual([[7_000, 30_000, 1_000], 4, 0]);
  });

  test.each([
    [
      'of the header, where the body says something else',
      { retryAfterSeconds: 50 },
      { 'Retry-After': '3' },
      3,
    ],
    ['of the body, where there is no header', { retryAfterSeconds: 5 }, {}, 5],
    [
      'until the date of the header, by the clock of the answer',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'Mon, 01 Jun 2026 12:00:09 GMT', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      9,
    ],
    [
      'of the body, where the date of the header is past',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'Mon, 01 Jun 2026 11:59:59 GMT', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      5,
    ],
    [
      'of the body, where the header is no time',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'soon', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      5,
    ],
    ['of the body, where the header says 0', { retryAfterSeconds: 5 }, { 'Retry-After': '0' }, 5],
    ['of one minute, where neither says', {}, {}, 60],
  ])('is waited out for the seconds %s', async (_where, more, headers, seconds) => {
    const { client, clock } = await scriptedApi(
      json(429, failure(429, 'RATE_LIMITED', more), headers),
      noVotes,
    );
    const result = client.votes();
    await clock.sitOut(seconds * 1000);
    expect(await result).toEqual(OK);
    expect(clock.waits).toEqual([seconds * 1000]);
  });

  test('is returned when waiting would take the call past its two minutes', async () => {
    const { client, clock, server } = await scriptedApi(limited(60), limited(60), limited(1));
    const result = client.votes();
    await clock.sitOut(60_000, 60_000);
    expect(await result).toMatchObject({ kind: 'refused', code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect([server.requests.length, clock.monotonic()]).toEqual([3, 120_000]);
  });

  test('is returned at once when it asks for more than a timer holds, even if the caller would wait', async () => {
    const server = await scriptedServer(limited(2_147_484));
    const { client, clock } = clientOf(server.root, { retryForMs: Number.POSITIVE_INFINITY });
    expect(await client.votes()).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 2_147_484 });
    expect(clock.waits).toEqual([]);
  });

  test('does not count as one of the four attempts', async () => {
    const { client, clock, server } = await scriptedApi(
      limited(1),
      limited(1),
      broken,
      limited(1),
      broken,
      noVotes,
    );
    const result = client.votes();
    await clock.sitOut(1_000, 1_000, 1_000, 1_000, 2_000);
    expect(await result).toEqual(OK);
    expect(server.requests.length).toBe(6);
  });
});

describe('a failure that may pass', () => {
  test('is tried again after 1, 2 and 4 s, and the fourth is returned', async () => {
    const { client, clock, server } = await scriptedApi(broken);
    const result = client.votes();
    await clock.sitOut(1_000, 2_000, 4_000);
    expect(await result).toMatchObject({ kind: 'refused', code: 'INTERNAL_ERROR' });
    expect([server.requests.length, clock.waits, clock.pending]).toEqual([4, [1_000, 2_000, 4_000], 0]);
  });

  test('is tried again after a random part more', async () => {
    const server = await scriptedServer(broken, noVotes);
    const random = { next: () => 0.5, bytes: (count: number) => Buffer.alloc(count) };
    const { client, clock } = clientOf(server.root, { random });
    const result = client.votes();
    await clock.sitOut(1_050);
    expect(await result).toEqual(OK);
  });

  test('is over when an attempt succeeds', async () => {
    const { client, clock } = await scriptedApi(html(502), (response) => response.destroy(), noVotes);
    const result = client.votes();
    await clock.sitOut(1_000, 2_000);
    expect(await result).toEqual(OK);
  });

  test('is left alone for as long as a proxy asks', async () => {
    const { client, clock } = await scriptedApi(html(503, { 'Retry-After': '20' }), noVotes);
    const result = client.votes();
    await clock.sitOut(20_000);
    expect(await result).toEqual(OK);
  });
});

describe('the caller’s signal', () => {
  const ABORTED = { kind: 'aborted', sentence: expect.stringContaining('http://') };

  test('ends a wait, and leaves no alarm', async () => {
    const { client, clock, server } = await scriptedApi(limited(60));
    const ending = new AbortController();
    const result = client.votes({}, { signal: ending.signal });
    await clock.waiting(1);
    ending.abort();
    expect(await result).toEqual(ABORTED);
    expect([server.requests.length, clock.pending]).toEqual([1, 0]);
  });

  test('ends an exchange', async () => {
    const { client, clock, server } = await scriptedApi(stall);
    const ending = new AbortController();
    const result = client.votes({}, { signal: ending.signal });
    await server.came(1);
    ending.abort();
    expect(await result).toEqual(ABORTED);
    expect(clock.pending).toBe(0);
  });

  test('that has aborted already lets nothing be sent', async () => {
    const { client, server } = await scriptedApi(noVotes);
    expect(await client.votes({}, { signal: AbortSignal.abort() })).toEqual(ABORTED);
    expect(server.requests).toEqual([]);
  });

  test('that aborts while a refusal arrives keeps the wait from beginning', async () => {
    const ending = new AbortController();
    const server = await scriptedServer(limited(60));
    const late: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      const { headers, status } = response;
      const body = await response.text();
      ending.abort();
      return new Response(body, { headers, status });
    };
    const { client, clock } = clientOf(server.root, { fetch: late });
    expect(await client.votes({}, { signal: ending.signal })).toEqual(ABORTED);
    expect(clock.pending).toBe(0);
  });

  test('can be used for many calls, and keeps no listeners for them', async () => {
    const { client } = await scriptedApi(noVotes);
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    for (let call = 0; call < 3; call++) expect(await client.votes({}, { signal })).toEqual(OK);
    expect(listeners).toBe(0);
  });
});
