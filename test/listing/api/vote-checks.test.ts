import { describe, expect, test } from 'vitest';
import { HOUR, listing, MINUTE, SECOND, type Site } from '../../kit/listing.ts';
import { KINDS, type Kind } from '../../kit/listing-people.ts';

const PATH = '/webhooks/votes/check';
const NOT_VOTED = { voted: false, votedAt: null, nextVoteAt: null };

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user${index}`);
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name${index}`);

/** A listing with functions that check its votes. */
async function checked(kind: Kind = 'minecraft', on?: Site) {
  const site = on ?? (await listing());
  const { listed, token } = await site.owned(kind, 'votes:read');
  return {
    ...{ site, listed, token },
    cast: (player: string | null = null) => site.cast(listed, player),
    one: (query: Record<string, string>) => site.api.get(PATH, { token, query }),
    many: (body: unknown) => site.api.post(PATH, { token, body }),
    raw: (text: string) => site.api.post(PATH, { token, text }),
    /** The number of single checks that are left. */
    left: async () => {
      for (let passed = 0; ; passed++) {
        const { status } = await site.api.get(PATH, { token, query: { userId: 'nobody' } });
        if (status !== 200) return passed;
      }
    },
  };
}

describe('a check', () => {
  test.each(KINDS)(
    'SV-06, AU-06, AU-13, VC-01, VC-02, VC-03, VC-04, VC-06, VC-07, VC-24, NS-03: on a %s listing finds a vote inside its window only, to the millisecond',
    async (kind) => {
      const { site, listed, cast, one } = await checked(kind);
      const windowMs = (kind === 'bot' ? 12 : 24) * HOUR;
      expect((await one({ userId: '404' })).body).toEqual(NOT_VOTED);
      site.clock.advance(1234);
      const { userId } = await cast();
      const nextVoteAt = new Date(Date.parse('2026-06-01T12:00:01.234Z') + windowMs).toISOString();
      const { status, body } = await one({ userId });
      expect([status, body]).toEqual([200, { voted: true, votedAt: '2026-06-01T12:00:01.234Z', nextVoteAt }]);
      site.clock.advance(windowMs - 1);
      expect((await one({ userId })).body.voted).toBe(true);
      site.clock.advance(1);
      expect((await one({ userId })).body).toEqual(NOT_VOTED);
      const writing = await site.token(listed, 'webhooks:write');
      const hook = { webhookUrl: 'http://127.0.0.1:1/' };
      expect((await site.api.post('/webhooks/register', { token: writing, body: hook })).status).toBe(200);
    },
  );

  test('VC-05, VC-23: is decided by the newest vote; an expired one stays in the history and the totals', async () => {
    const { site, listed, token, one } = await checked('bot');
    const voter = await site.person();
    const first = await site.cast(listed, null, voter);
    site.clock.advance(12 * HOUR);
    expect((await one({ userId: voter.userId })).body.voted).toBe(false);
    expect((await site.api.get('/webhooks/votes', { token })).body).toMatchObject([{ id: first.id }]);
    expect((await site.api.get('/webhooks/stats', { token })).body.totalVotes).toBe(1);
    const second = await site.cast(listed, null, voter);
    expect((await one({ userId: voter.userId })).body.votedAt).toBe(second.castAt);
  });
});

describe('by player', () => {
  test('VC-08, VC-09: finds the latest vote for a name in any case, with its prefix', async () => {
    const { site, cast, one } = await checked();
    await cast('Steve');
    await cast('.Alex_1');
    await cast('Kim');
    site.clock.advance(HOUR);
    const { castAt } = await cast('steve');
    const voted = async (playerName: string) => (await one({ playerName })).body.voted;
    for (const name of ['Steve', 'sTEVE', 'steve', '.alex_1', 'KIM'])
      expect([name, await voted(name)]).toEqual([name, true]);
    // The Kelvin sign is no letter K.
    for (const name of ['Steve_', 'Alex_1', '\u212aim'])
      expect([name, await voted(name)]).toEqual([name, false]);
    expect((await one({ playerName: 'STEVE' })).body.votedAt).toBe(castAt);
  });

  test.each(['bot', 'fivem', 'roblox', 'hytale'] as const)(
    'SV-08, VC-15: is refused on a %s listing, and costs nothing',
    async (kind) => {
      const { one, many, left } = await checked(kind);
      for (const answer of [await one({ playerName: 'Steve' }), await many({ playerNames: ['Steve'] })])
        expect([answer.status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
      expect(await left()).toBe(120);
    },
  );
});

describe('a batch', () => {
  test.each([1, 50])('VC-11, VC-14: of %i is answered', async (count) => {
    const { many } = await checked();
    expect(Object.keys((await many({ userIds: ids(count) })).body.votes)).toEqual(ids(count));
    expect(Object.keys((await many({ playerNames: names(count) })).body.votes)).toEqual(names(count));
  });

  test.each([0, 51])('VC-12: of %i is refused', async (count) => {
    const { many } = await checked();
    for (const body of [{ userIds: ids(count) }, { playerNames: names(count) }]) {
      const { status, code } = await many(body);
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    }
  });

  test('VC-13: answers for every user ID, whether or not that user voted', async () => {
    const { cast, many } = await checked('bot');
    const { userId, castAt: votedAt, nextVoteAt } = await cast();
    const { body } = await many({ userIds: ['2', userId] });
    expect(body).toEqual({ votes: { [userId]: { voted: true, votedAt, nextVoteAt }, 2: NOT_VOTED } });
  });

  test('VC-14: uses the names exactly as sent as the keys of its answer', async () => {
    const { cast, many } = await checked();
    await cast('Steve');
    const { votes } = (await many({ playerNames: ['StEvE', 'steve', 'Alex'] })).body;
    expect(Object.keys(votes)).toEqual(['StEvE', 'steve', 'Alex']);
    expect([votes.StEvE.voted, votes.steve.voted, votes.Alex.voted]).toEqual([true, true, false]);
  });

  test('VC-25: treats keys such as __proto__ like all others', async () => {
    const { cast, many } = await checked();
    await cast('__proto__');
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

describe('a malformed check is refused and costs nothing', () => {
  test('VC-16, NS-09, NS-10, NS-11: a batch', async () => {
    const { many, raw, left } = await checked();
    for (const body of [
      ...[{}, [], 'text', null, 5, { userIds: '1' }, { userIds: [1] }, { userIds: [null] }],
      ...[{ userIds: ['a b'] }, { userIds: [''] }, { userIds: ['x'.repeat(65)] }],
      ...[{ playerNames: ['a\nb'] }, { playerNames: ['a b'] }, { playerNames: ['x'.repeat(33)] }],
      ...[{ playerNames: ['\ud800'] }, { userIds: ['1'], playerNames: ['Steve'] }],
      { userIds: ['1'], something: 'else' },
    ]) {
      const { status, code } = await many(body);
      expect([body, status, code]).toEqual([body, 400, 'VALIDATION_FAILED']);
    }
    for (const text of ['{', '', 'userIds=1', '{"userIds":["1"]}}'])
      expect([text, (await raw(text)).code]).toEqual([text, 'VALIDATION_FAILED']);
    expect(await left()).toBe(120);
  });

  test('NS-08, NS-09, NS-10, NS-11: a query', async () => {
    const { one, left } = await checked();
    for (const query of [
      ...[{}, { userId: '1', playerName: 'Steve' }, { userId: '' }, { userId: '1 OR 1=1' }],
      ...[{ userId: 'x'.repeat(65) }, { playerName: '' }, { playerName: 'a\tb' }],
      { playerName: 'x'.repeat(33) },
    ]) {
      const { status, code } = await one(query as Record<string, string>);
      expect([query, status, code]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
    for (const query of [{ userId: 'x'.repeat(64) }, { playerName: 'x'.repeat(32) }])
      expect((await one(query as Record<string, string>)).status).toBe(200);
    expect(await left()).toBe(118);
  });
});

describe('the budget', () => {
  test('VC-10, LM-05: holds 120 single checks a minute', async () => {
    const { one, left } = await checked();
    expect(await left()).toBe(120);
    const { status, code } = await one({ userId: '1' });
    expect([status, code]).toEqual([429, 'RATE_LIMITED']);
  });

  test('VC-17: is charged once for an ID that is sent several times', async () => {
    const { many, left } = await checked('bot');
    const { body } = await many({ userIds: Array(50).fill('1') });
    expect(Object.keys(body.votes)).toEqual(['1']);
    expect(await left()).toBe(119);
  });

  test('NS-12: is charged once for the spellings of a name', async () => {
    const { many, left } = await checked();
    const { body } = await many({ playerNames: ['Steve', 'STEVE', 'steve', 'Alex'] });
    expect(Object.keys(body.votes)).toHaveLength(4);
    expect(await left()).toBe(118);
  });

  test('VC-18, VC-19, NS-13: is shared by batches and single checks; a batch that exceeds it costs nothing', async () => {
    const { many, left } = await checked();
    for (const status of [200, 200, 429]) expect((await many({ userIds: ids(50) })).status).toBe(status);
    expect(await left()).toBe(20);
  });

  test('VC-20, ER-08: is full again after the stated wait', async () => {
    const { site, many, left } = await checked();
    await many({ userIds: ids(50) });
    site.clock.advance(20_500);
    await many({ userIds: ids(50) });
    const { body } = await many({ userIds: ids(50) });
    expect(body.retryAfterSeconds).toBe(40);
    site.clock.advance(40 * SECOND);
    expect(await left()).toBe(120);
  });

  test('VC-21, AU-18: is separate for each listing, whichever token is used', async () => {
    const a = await checked('bot');
    const b = await checked('bot', a.site);
    const second = await a.site.token(a.listed, 'votes:read');
    await a.left();
    const { status } = await a.site.api.get(PATH, { token: second, query: { userId: '1' } });
    expect(status).toBe(429);
    expect(await b.left()).toBe(120);
  });

  test('VC-22: is separate from the budget of votes and statistics', async () => {
    const { site, token, one, left } = await checked();
    await left();
    const read = async () => (await site.api.get('/webhooks/votes', { token })).status;
    expect(await read()).toBe(200);
    site.clock.advance(MINUTE);
    while ((await read()) === 200);
    expect((await one({ userId: '1' })).status).toBe(200);
  });

  test('NS-41: is stated in every response that is charged to it', async () => {
    const { site, many, left, one } = await checked();
    await many({ userIds: ids(8) });
    site.clock.advance(29_500);
    const shown = async () => {
      const { headers } = await one({ userId: '1' });
      return [headers.get('RateLimit-Policy'), headers.get('RateLimit')];
    };
    expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=111;t=31']);
    await left();
    expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=0;t=31']);
  });
});
