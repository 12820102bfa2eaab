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
  test('is retried after the number of seconds it states, each time', async () => {
    const { client, clock, server } = await scriptedApi(limited(7), limited(30), limited(1), noVotes);
    const result = client.votes();
    await clock.passWaits(7_000, 30_000, 1_000);
    expect(await result).toEqual(OK);
    expect([clock.waits, server.requests.length, clock.pending]).toEqual([[7_000, 30_000, 1_000], 4, 0]);
  });

  test.each([
    ['in the header, even if the body differs', { retryAfterSeconds: 50 }, { 'Retry-After': '3' }, 3],
    ['in the body, if there is no header', { retryAfterSeconds: 5 }, {}, 5],
    [
      'until the date in the header, measured by the Date of the answer',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'Mon, 01 Jun 2026 12:00:09 GMT', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      9,
    ],
    [
      'in the body, if the date in the header is past',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'Mon, 01 Jun 2026 11:59:59 GMT', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      5,
    ],
    [
      'in the body, if the header is not a time',
      { retryAfterSeconds: 5 },
      { 'Retry-After': 'soon', Date: 'Mon, 01 Jun 2026 12:00:00 GMT' },
      5,
    ],
    ['in the body, if the header says 0', { retryAfterSeconds: 5 }, { 'Retry-After': '0' }, 5],
    ['in one minute, if neither states a time', {}, {}, 60],
  ])('is retried after the number of seconds %s', async (_where, more, headers, seconds) => {
    const { client, clock } = await scriptedApi(
      json(429, failure(429, 'RATE_LIMITED', more), headers),
      noVotes,
    );
    const result = client.votes();
    await clock.passWaits(seconds * 1000);
    expect(await result).toEqual(OK);
    expect(clock.waits).toEqual([seconds * 1000]);
  });

  test('is returned at once if waiting would make the call longer than two minutes', async () => {
    const { client, clock, server } = await scriptedApi(limited(60), limited(60), limited(1));
    const result = client.votes();
    await clock.passWaits(60_000, 60_000);
    expect(await result).toMatchObject({ kind: 'refused', code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect([server.requests.length, clock.monotonic()]).toEqual([3, 120_000]);
  });

  test('is returned at once if its wait is too long for a timer, even if the caller would wait', async () => {
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
    await clock.passWaits(1_000, 1_000, 1_000, 1_000, 2_000);
    expect(await result).toEqual(OK);
    expect(server.requests.length).toBe(6);
  });
});

describe('a transient failure', () => {
  test('is retried after 1, 2 and 4 s, and the fourth failure is returned', async () => {
    const { client, clock, server } = await scriptedApi(broken);
    const result = client.votes();
    await clock.passWaits(1_000, 2_000, 4_000);
    expect(await result).toMatchObject({ kind: 'refused', code: 'INTERNAL_ERROR' });
    expect([server.requests.length, clock.waits, clock.pending]).toEqual([4, [1_000, 2_000, 4_000], 0]);
  });

  test('is retried after an additional random delay', async () => {
    const server = await scriptedServer(broken, noVotes);
    const random = { next: () => 0.5, bytes: (count: number) => Buffer.alloc(count) };
    const { client, clock } = clientOf(server.root, { random });
    const result = client.votes();
    await clock.passWaits(1_050);
    expect(await result).toEqual(OK);
  });

  test('is not returned if a later attempt succeeds', async () => {
    const { client, clock } = await scriptedApi(html(502), (response) => response.destroy(), noVotes);
    const result = client.votes();
    await clock.passWaits(1_000, 2_000);
    expect(await result).toEqual(OK);
  });

  test('is retried after the time that a proxy asks for', async () => {
    const { client, clock } = await scriptedApi(html(503, { 'Retry-After': '20' }), noVotes);
    const result = client.votes();
    await clock.passWaits(20_000);
    expect(await result).toEqual(OK);
  });
});

describe('the caller’s signal', () => {
  const ABORTED = { kind: 'aborted', sentence: expect.stringContaining('http://') };

  test('interrupts a wait, and leaves no timer', async () => {
    const { client, clock, server } = await scriptedApi(limited(60));
    const abort = new AbortController();
    const result = client.votes({}, { signal: abort.signal });
    await clock.waiting(1);
    abort.abort();
    expect(await result).toEqual(ABORTED);
    expect([server.requests.length, clock.pending]).toEqual([1, 0]);
  });

  test('interrupts a request', async () => {
    const { client, clock, server } = await scriptedApi(stall);
    const abort = new AbortController();
    const result = client.votes({}, { signal: abort.signal });
    await server.receivedRequests(1);
    abort.abort();
    expect(await result).toEqual(ABORTED);
    expect(clock.pending).toBe(0);
  });

  test('prevents the request if it was aborted before the call', async () => {
    const { client, server } = await scriptedApi(noVotes);
    expect(await client.votes({}, { signal: AbortSignal.abort() })).toEqual(ABORTED);
    expect(server.requests).toEqual([]);
  });

  test('skips the wait before the retry if it aborts while a refusal arrives', async () => {
    const abort = new AbortController();
    const server = await scriptedServer(limited(60));
    const late: typeof fetch = async (...asked) => {
      const response = await fetch(...asked);
      const { headers, status } = response;
      const body = await response.text();
      abort.abort();
      return new Response(body, { headers, status });
    };
    const { client, clock } = clientOf(server.root, { fetch: late });
    expect(await client.votes({}, { signal: abort.signal })).toEqual(ABORTED);
    expect(clock.pending).toBe(0);
  });

  test('can be reused for many calls without leaking listeners', async () => {
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
