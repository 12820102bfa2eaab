import { describe, expect, test } from 'vitest';
import type { Asked } from '../api-client.ts';
import { HOUR, KINDS, type Kind, listingService, MINUTE, SECOND } from '../listing-service.ts';

const PATH = '/webhooks/votes/check';
const NOT_VOTED = { voted: false, votedAt: null, nextVoteAt: null };

const iso = (ms: number): string => new Date(ms).toISOString();
const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user${index}`);
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name${index}`);

/** A listing with functions that check its votes. */
async function checkedListing(kind: Kind = 'minecraft', service = listingService()) {
  const { listing, token } = await service.owner(kind, 'votes:read');
  const ask = (asked: Asked) => ({ token, ...asked });
  return {
    service,
    listing,
    token,
    one: (query: Record<string, string>) => service.client.get(PATH, ask({ query })),
    many: (body: unknown) => service.client.post(PATH, ask({ body })),
    raw: (text: string) => service.client.post(PATH, ask({ text })),
    /** The number of single checks that are left. */
    left: async () => {
      for (let passed = 0; ; passed++) {
        const { status } = await service.client.get(PATH, ask({ query: { userId: 'nobody' } }));
        if (status !== 200) return passed;
      }
    },
  };
}

describe('a check', () => {
  test.each([
    ['bot', 12 * HOUR],
    ['minecraft', 24 * HOUR],
    ['fivem', 24 * HOUR],
    ['roblox', 24 * HOUR],
    ['hytale', 24 * HOUR],
  ] as const)(
    'VC-01 VC-06 VC-07 VC-24 NS-03: on a %s listing finds an active vote, to the millisecond',
    async (kind, window) => {
      const { service, listing, one } = await checkedListing(kind);
      service.clock.advance(1234);
      const { castAt } = await service.cast(listing, '80351110224678912345');
      const { status, body } = await one({ userId: '80351110224678912345' });
      expect([status, body]).toEqual([
        200,
        { voted: true, votedAt: iso(castAt), nextVoteAt: iso(castAt + window) },
      ]);
    },
  );

  test.each(KINDS)('VC-02 VC-06: on a %s listing without votes finds none', async (kind) => {
    const { one } = await checkedListing(kind);
    expect((await one({ userId: '404' })).body).toEqual(NOT_VOTED);
  });

  test.each([
    ['bot', 12 * HOUR],
    ['roblox', 24 * HOUR],
  ] as const)('VC-03 VC-04: on a %s listing a vote counts inside its window only', async (kind, window) => {
    const { service, listing, one } = await checkedListing(kind);
    await service.cast(listing, '1');
    service.clock.advance(window - SECOND);
    expect((await one({ userId: '1' })).body.voted).toBe(true);
    service.clock.advance(SECOND);
    expect((await one({ userId: '1' })).body).toEqual(NOT_VOTED);
    await service.cast(listing, '1');
  });

  test('VC-05: leaves an expired vote in the history and the totals', async () => {
    const { service, listing, token, one } = await checkedListing('bot');
    const { id } = await service.cast(listing, '1');
    service.clock.advance(13 * HOUR);
    expect((await one({ userId: '1' })).body.voted).toBe(false);
    expect((await service.client.get('/webhooks/votes', { token })).body).toMatchObject([{ id }]);
    expect((await service.client.get('/webhooks/stats', { token })).body.totalVotes).toBe(1);
  });

  test('VC-23: is decided by the newest vote', async () => {
    const { service, listing, one } = await checkedListing('bot');
    await service.cast(listing, '1');
    service.clock.advance(12 * HOUR);
    const { castAt } = await service.cast(listing, '1');
    expect((await one({ userId: '1' })).body.votedAt).toBe(iso(castAt));
  });
});

describe('by player', () => {
  test('VC-08 VC-09: ignores the case of the name', async () => {
    const { service, listing, one } = await checkedListing();
    await service.cast(listing, '1', 'Steve');
    for (const playerName of ['Steve', 'sTEVE', 'steve']) {
      expect((await one({ playerName })).body.voted, playerName).toBe(true);
    }
    expect((await one({ playerName: 'Steve_' })).body.voted).toBe(false);
  });

  test('VC-09: does not match the Kelvin sign with the letter K', async () => {
    const { service, listing, one } = await checkedListing();
    await service.cast(listing, '1', 'Kim');
    expect((await one({ playerName: '\u212aim' })).body.voted).toBe(false);
  });

  test('VC-08: is decided by the latest of a player’s votes', async () => {
    const { service, listing, one } = await checkedListing();
    await service.cast(listing, '1', 'Steve');
    service.clock.advance(HOUR);
    const { castAt } = await service.cast(listing, '2', 'steve');
    expect((await one({ playerName: 'STEVE' })).body.votedAt).toBe(iso(castAt));
  });

  test('VC-08: finds a Bedrock name with its prefix', async () => {
    const { service, listing, one } = await checkedListing();
    await service.cast(listing, '1', '.Alex_1');
    expect((await one({ playerName: '.alex_1' })).body.voted).toBe(true);
  });

  test.each(['bot', 'fivem', 'roblox', 'hytale'] as const)(
    'SV-08 VC-15: is refused on a %s listing, and costs nothing',
    async (kind) => {
      const { one, many, left } = await checkedListing(kind);
      for (const answer of [await one({ playerName: 'Steve' }), await many({ playerNames: ['Steve'] })]) {
        expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
      }
      expect(await left()).toBe(120);
    },
  );
});

describe('a batch', () => {
  test.each([1, 50])('VC-11 VC-14: of %i is answered', async (count) => {
    const { many } = await checkedListing();
    expect(Object.keys((await many({ userIds: ids(count) })).body.votes)).toEqual(ids(count));
    expect(Object.keys((await many({ playerNames: names(count) })).body.votes)).toEqual(names(count));
  });

  test.each([0, 51])('VC-12: of %i is refused', async (count) => {
    const { many } = await checkedListing();
    for (const body of [{ userIds: ids(count) }, { playerNames: names(count) }]) {
      const { status, code } = await many(body);
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  test('VC-13: answers for every user ID, whether or not that user voted', async () => {
    const { service, listing, many } = await checkedListing('bot');
    const { castAt } = await service.cast(listing, '1');
    const { body } = await many({ userIds: ['2', '1'] });
    const voted = { voted: true, votedAt: iso(castAt), nextVoteAt: iso(castAt + 12 * HOUR) };
    expect(body).toEqual({ votes: { 1: voted, 2: NOT_VOTED } });
  });

  test('VC-14: uses the names exactly as sent as the keys of its answer', async () => {
    const { service, listing, many } = await checkedListing();
    await service.cast(listing, '1', 'Steve');
    const { votes } = (await many({ playerNames: ['StEvE', 'steve', 'Alex'] })).body;
    expect(Object.keys(votes)).toEqual(['StEvE', 'steve', 'Alex']);
    expect([votes.StEvE.voted, votes.steve.voted, votes.Alex.voted]).toEqual([true, true, false]);
  });

  test('VC-25: treats keys such as __proto__ like all others', async () => {
    const { service, listing, many } = await checkedListing();
    await service.cast(listing, '1', '__proto__');
    const sent = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const { votes } = (await many({ playerNames: sent })).body;
    expect(Object.keys(votes)).toEqual(sent);
    const [first, ...others] = sent.map((name) => Object.getOwnPropertyDescriptor(votes, name)?.value);
    expect(first.voted).toBe(true);
    expect(others).toEqual([NOT_VOTED, NOT_VOTED, NOT_VOTED]);
    const byUser = (await many({ userIds: ['__proto__'] })).body.votes;
    expect(Object.entries(byUser)).toEqual([['__proto__', NOT_VOTED]]);
  });
});

describe('malformed', () => {
  test.each([
    [{}],
    [[]],
    ['text'],
    [null],
    [5],
    [{ userIds: '1' }],
    [{ userIds: [1] }],
    [{ userIds: [null] }],
    [{ userIds: ['a b'] }],
    [{ userIds: [''] }],
    [{ userIds: ['x'.repeat(65)] }],
    [{ playerNames: ['a\nb'] }],
    [{ playerNames: ['a b'] }],
    [{ playerNames: ['x'.repeat(33)] }],
    [{ playerNames: ['\ud800'] }],
    [{ userIds: ['1'], playerNames: ['Steve'] }],
    [{ userIds: ['1'], something: 'else' }],
  ])('VC-16 NS-09 NS-10 NS-11: the batch %j is refused and costs nothing', async (body) => {
    const { many, left } = await checkedListing();
    const { status, code } = await many(body);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await left()).toBe(120);
  });

  test('VC-16: a body that is not JSON is refused', async () => {
    const { raw } = await checkedListing();
    for (const text of ['{', '', 'userIds=1', '{"userIds":["1"]}}']) {
      expect((await raw(text)).code, text).toBe('VALIDATION_FAILED');
    }
  });

  test.each([
    ['NS-08', {}],
    ['NS-09', { userId: '1', playerName: 'Steve' }],
    ['NS-10', { userId: '' }],
    ['NS-10', { userId: '1 OR 1=1' }],
    ['NS-10', { userId: 'x'.repeat(65) }],
    ['NS-11', { playerName: '' }],
    ['NS-11', { playerName: 'a\tb' }],
    ['NS-11', { playerName: 'x'.repeat(33) }],
  ])('%s: the query %j is refused and costs nothing', async (_, query) => {
    const { one, left } = await checkedListing();
    const { status, code } = await one(query);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(await left()).toBe(120);
  });
});

describe('the budget', () => {
  test('VC-10 LM-05: holds 120 single checks a minute', async () => {
    const { one, left } = await checkedListing();
    expect(await left()).toBe(120);
    const { status, code } = await one({ userId: '1' });
    expect([status, code]).toEqual([429, 'RATE_LIMITED']);
  });

  test('VC-17: is charged once for an ID that is sent several times', async () => {
    const { many, left } = await checkedListing('bot');
    const { body } = await many({ userIds: Array(50).fill('1') });
    expect(Object.keys(body.votes)).toEqual(['1']);
    expect(await left()).toBe(119);
  });

  test('NS-12: is charged once for the spellings of a name', async () => {
    const { many, left } = await checkedListing();
    const { body } = await many({ playerNames: ['Steve', 'STEVE', 'steve', 'Alex'] });
    expect(Object.keys(body.votes)).toHaveLength(4);
    expect(await left()).toBe(118);
  });

  test('VC-18 VC-19 NS-13: is shared by batches and single checks; a batch that exceeds it costs nothing', async () => {
    const { many, left } = await checkedListing();
    for (const status of [200, 200, 429]) expect((await many({ userIds: ids(50) })).status).toBe(status);
    expect(await left()).toBe(20);
  });

  test('VC-20 ER-08: is full again after the stated wait', async () => {
    const { service, many, left } = await checkedListing();
    await many({ userIds: ids(50) });
    service.clock.advance(20_500);
    await many({ userIds: ids(50) });
    const { body } = await many({ userIds: ids(50) });
    expect(body.retryAfterSeconds).toBe(40);
    service.clock.advance(40 * SECOND);
    expect(await left()).toBe(120);
  });

  test('VC-21: is separate for each listing, whichever token is used', async () => {
    const service = listingService();
    const [a, b] = [await checkedListing('bot', service), await checkedListing('bot', service)];
    const second = await service.token(a.listing, 'votes:read');
    await a.left();
    const { status } = await service.client.get(PATH, { token: second, query: { userId: '1' } });
    expect(status).toBe(429);
    expect(await b.left()).toBe(120);
  });

  test('VC-22: is separate from the budget of votes and statistics', async () => {
    const { service, token, one, left } = await checkedListing();
    await left();
    const read = async () => (await service.client.get('/webhooks/votes', { token })).status;
    expect(await read()).toBe(200);
    service.clock.advance(MINUTE);
    while ((await read()) === 200);
    expect((await one({ userId: '1' })).status).toBe(200);
  });

  test('NS-41: is stated in every response that is charged to it', async () => {
    const { service, many, left, one } = await checkedListing();
    await many({ userIds: ids(8) });
    service.clock.advance(29_500);
    const shown = async () => {
      const { headers } = await one({ userId: '1' });
      return [headers.get('RateLimit-Policy'), headers.get('RateLimit')];
    };
    expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=111;t=31']);
    await left();
    expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=0;t=31']);
  });
});
