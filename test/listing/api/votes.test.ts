/** What a program reads of a listing's votes: whether a voter has voted, the votes, and their statistics. */
import { expect, test } from 'vitest';
import { DAY, HOUR, listing, MINUTE, SECOND, type Site } from '../../kit/listing.ts';
import { type Cast, KINDS, type Kind } from '../../kit/listing-people.ts';
import { hook } from '../../kit/listing-webhook.ts';

const PATH = '/webhooks/votes/check';
const NOT_VOTED = { voted: false, votedAt: null, nextVoteAt: null };

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user${index}`);
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `name${index}`);

/** A listing with functions that check its votes. */
async function checked(kind: Kind = 'minecraft', on?: Site) {
  const site = on ?? (await listing());
  const { listed, token } = await site.owned(kind, 'votes:read');
  const one = (query: Record<string, string>) => site.api.get(PATH, { token, query });
  return {
    ...{ site, listed, token, one },
    cast: (player: string | null = null) => site.cast(listed, player),
    many: (body: unknown) => site.api.post(PATH, { token, body }),
    raw: (text: string) => site.api.post(PATH, { token, text }),
    /** The number of single checks that are left, of which this is one. */
    left: async () => {
      const { status, headers } = await one({ userId: 'nobody' });
      const rest = Number(/r=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]);
      return status === 200 ? 1 + rest : rest;
    },
  };
}

test.each(KINDS)(
  'SV-06, AU-06, AU-13, VC-01, VC-02, VC-03, VC-04, VC-06, VC-07, VC-24, NS-03: a check on a %s listing finds a vote inside its window only, to the millisecond',
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

test('VC-05, VC-23: a check is decided by the newest vote; an expired one stays in the history and the totals', async () => {
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

test('VC-08, VC-09: a check by player finds the latest vote for a name in any case, with its prefix', async () => {
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

test('VC-11, VC-12, VC-14: a batch of 1 to 50 is answered, one of 0 or 51 is refused', async () => {
  const { site, many } = await checked();
  for (const count of [1, 50]) {
    expect(Object.keys((await many({ userIds: ids(count) })).body.votes)).toEqual(ids(count));
    expect(Object.keys((await many({ playerNames: names(count) })).body.votes)).toEqual(names(count));
  }
  site.clock.advance(MINUTE);
  for (const count of [0, 51])
    for (const body of [{ userIds: ids(count) }, { playerNames: names(count) }])
      expect([count, (await many(body)).verdict]).toEqual([count, '400 VALIDATION_FAILED']);
});

test('VC-13, VC-17: a batch answers for every user ID, whether or not that user voted, and is charged once for one that is sent several times', async () => {
  const { cast, many, left } = await checked('bot');
  const { userId, castAt: votedAt, nextVoteAt } = await cast();
  const { body } = await many({ userIds: ['2', userId, ...Array(48).fill('2')] });
  expect(body).toEqual({ votes: { [userId]: { voted: true, votedAt, nextVoteAt }, 2: NOT_VOTED } });
  expect(await left()).toBe(118);
});

test('VC-14, NS-12: a batch answers for names exactly as they are sent, and is charged once for the spellings of one', async () => {
  const { cast, many, left } = await checked();
  await cast('Steve');
  const { votes } = (await many({ playerNames: ['StEvE', 'steve', 'Alex'] })).body;
  expect(Object.keys(votes)).toEqual(['StEvE', 'steve', 'Alex']);
  expect([votes.StEvE.voted, votes.steve.voted, votes.Alex.voted]).toEqual([true, true, false]);
  expect(await left()).toBe(118);
});

test('VC-25: a batch treats keys such as __proto__ like all others', async () => {
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

test('VC-16, NS-08, NS-09, NS-10, NS-11 [API-5] [API-6] [API-7]: a malformed check is refused and costs nothing', async () => {
  const { one, many, raw, left } = await checked();
  for (const body of [
    ...[{}, [], 'text', null, 5, { userIds: '1' }, { userIds: [1] }, { userIds: [null] }],
    ...[{ userIds: ['a b'] }, { userIds: [''] }, { userIds: ['x'.repeat(65)] }],
    ...[{ playerNames: ['a\nb'] }, { playerNames: ['a b'] }, { playerNames: ['x'.repeat(33)] }],
    ...[{ playerNames: ['\ud800'] }, { userIds: ['1'], playerNames: ['Steve'] }],
    { userIds: ['1'], something: 'else' },
  ])
    expect([body, (await many(body)).verdict]).toEqual([body, '400 VALIDATION_FAILED']);
  for (const text of ['{', '', 'userIds=1', '{"userIds":["1"]}}'])
    expect([text, (await raw(text)).code]).toEqual([text, 'VALIDATION_FAILED']);
  for (const query of [
    ...[{}, { userId: '1', playerName: 'Steve' }, { userId: '' }, { userId: '1 OR 1=1' }],
    ...[{ userId: 'x'.repeat(65) }, { playerName: '' }, { playerName: 'a\tb' }],
    { playerName: 'x'.repeat(33) },
  ] as Record<string, string>[])
    expect([query, (await one(query)).verdict]).toEqual([query, '400 VALIDATION_FAILED']);
  for (const query of [{ userId: 'x'.repeat(64) }, { playerName: 'x'.repeat(32) }])
    expect((await one(query as Record<string, string>)).status).toBe(200);
  expect(await left()).toBe(118);
});

test('SV-08, VC-15: a check by player is refused on all listings but those of Minecraft, and costs nothing', async () => {
  const site = await listing();
  for (const kind of KINDS.filter((each) => each !== 'minecraft')) {
    const { one, many, left } = await checked(kind, site);
    for (const { verdict } of [await one({ playerName: 'Steve' }), await many({ playerNames: ['Steve'] })])
      expect([kind, verdict]).toEqual([kind, '400 VALIDATION_FAILED']);
    expect([kind, await left()]).toEqual([kind, 120]);
  }
});

test('VC-10, VC-22, LM-05: the budget of checks holds 120 single checks a minute, apart from that of votes and statistics', async () => {
  const { site, token, one } = await checked();
  for (let passed = 0; passed < 120; passed++) expect((await one({ userId: '1' })).status).toBe(200);
  expect((await one({ userId: '1' })).verdict).toBe('429 RATE_LIMITED');
  const read = async () => (await site.api.get('/webhooks/votes', { token })).status;
  expect(await read()).toBe(200);
  site.clock.advance(MINUTE);
  while ((await read()) === 200);
  expect((await one({ userId: '1' })).status).toBe(200);
});

test('VC-18, VC-19, VC-21, AU-18, NS-13: the budget of checks is shared by batches, single checks and tokens of a listing; a batch that exceeds it costs nothing', async () => {
  const { site, listed, many, left } = await checked('bot');
  const other = await checked('bot', site);
  for (const status of [200, 200, 429]) expect((await many({ userIds: ids(50) })).status).toBe(status);
  expect(await left()).toBe(20);
  expect((await many({ userIds: ids(19) })).status).toBe(200);
  const second = await site.token(listed, 'votes:read');
  const { status } = await site.api.get(PATH, { token: second, query: { userId: '1' } });
  expect([status, await other.left()]).toEqual([429, 120]);
});

test('NS-41, VC-20, ER-08: the budget of checks is stated in every response that is charged to it, and full again after the stated wait', async () => {
  const { site, many, one, left } = await checked();
  await many({ userIds: ids(8) });
  site.clock.advance(29_500);
  const shown = async () => {
    const { headers } = await one({ userId: '1' });
    return [headers.get('RateLimit-Policy'), headers.get('RateLimit')];
  };
  expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=111;t=31']);
  for (const count of [50, 50, 11]) await many({ userIds: ids(count) });
  expect(await shown()).toEqual(['"vote-checks";q=120;w=60', '"vote-checks";r=0;t=31']);
  expect((await many({ userIds: ids(50) })).body.retryAfterSeconds).toBe(31);
  site.clock.advance(31 * SECOND);
  expect(await left()).toBe(120);
});

const VOTES = '/webhooks/votes';
const STATS = '/webhooks/stats';

/** A listing with functions that read its votes. */
async function read(kind: Kind = 'bot') {
  const site = await listing();
  const { listed, token } = await site.owned(kind, 'votes:read');
  return {
    ...{ site, listed, token },
    votes: (query: Record<string, string> = {}) => site.api.get(VOTES, { token, query }),
    stats: async () => (await site.api.get(STATS, { token })).body,
    /** Casts `count` votes of different users, a second apart. */
    castMany: async (count: number): Promise<Cast[]> => {
      const cast = [];
      for (let index = 0; index < count; index++) {
        cast.push(await site.cast(listed));
        site.clock.advance(SECOND);
      }
      return cast;
    },
  };
}

test('VL-01, VL-02, VL-03, VL-10, NS-06 [API-9]: GET /webhooks/votes returns a bare array of the listing’s own votes with four fields, newest first, and those of one millisecond in a stable order', async () => {
  const { site, listed, votes, castMany } = await read();
  await site.cast(await site.list('bot'));
  const cast = await castMany(3);
  const { status, body } = await votes();
  expect(status).toBe(200);
  expect(body).toEqual(
    cast.toReversed().map(({ id, userId, castAt: votedAt }) => ({ id, userId, votedAt, metadata: {} })),
  );
  for (let user = 0; user < 10; user++) await site.cast(listed);
  const first = (await votes()).body;
  expect(first).toHaveLength(13);
  expect((await votes()).body).toEqual(first);
});

test.each(KINDS)(
  'VL-04, VL-05: GET /webhooks/votes on a %s listing returns a player only for a Minecraft vote that named one',
  async (kind) => {
    const { site, listed, votes } = await read(kind);
    await site.cast(listed, '.StEvE_1');
    site.clock.advance(1);
    await site.cast(listed);
    const metadata = (await votes()).body.map((record: { metadata: object }) => record.metadata);
    expect(metadata).toEqual([{}, kind === 'minecraft' ? { playerName: '.StEvE_1' } : {}]);
  },
);

test('VL-06, VL-07, VL-08, NS-14 [API-8]: GET /webhooks/votes returns 50 votes by default and 1 to 100 on request; any other limit, and two of them, are refused', async () => {
  const { site, token, votes, castMany } = await read();
  const newest = (await castMany(101)).toReversed().map(({ id }) => id);
  for (const [query, count] of [
    [{}, 50],
    [{ limit: '1' }, 1],
    [{ limit: '100' }, 100],
  ] as const) {
    const { body } = await votes(query);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(newest.slice(0, count));
  }
  for (const limit of ['101', '0', '-1', 'abc', '1.5', '', '1e1', ' 5', '0x10', '050'])
    expect([limit, (await votes({ limit })).verdict]).toEqual([limit, '400 VALIDATION_FAILED']);
  expect((await site.api.get(`${VOTES}?limit=5&limit=6`, { token })).code).toBe('VALIDATION_FAILED');
});

test('VL-11, VN-05: GET /webhooks/votes returns the same vote and user IDs as the webhook and the check', async () => {
  const { site, listed, token, votes, stats } = await read();
  const { receiver } = await hook(site, site.ownerOf(listed), listed);
  await site.cast(listed);
  const { json } = await receiver.request(1);
  const userId = String(json.data.userId);
  expect((await votes()).body).toMatchObject([{ id: json.eventId, userId }]);
  expect((await stats()).topVoters).toEqual([{ user_id: userId, vote_count: 1 }]);
  expect((await site.api.get('/webhooks/votes/check', { token, query: { userId } })).body.voted).toBe(true);
});

/** Votes at the edges of 2026-06-02. */
const TIMES = [
  '2026-06-01T23:59:59.999Z',
  '2026-06-02T00:00:00.000Z',
  '2026-06-02T12:00:00.000Z',
  '2026-06-02T23:59:59.999Z',
  '2026-06-03T00:00:00.000Z',
];

test('VL-09, NS-07 [API-8]: dates select votes from the first instant to the last; what is no date and dates in the wrong order are refused', async () => {
  const { site, listed, votes } = await read();
  const users: string[] = [];
  for (const time of TIMES) {
    site.clock.advance(Date.parse(time) - site.clock.now());
    users.push((await site.cast(listed)).userId);
  }
  for (const [query, left] of [
    [{}, [0, 1, 2, 3, 4]],
    [{ startDate: '2026-06-02' }, [1, 2, 3, 4]],
    [{ endDate: '2026-06-02' }, [0, 1, 2, 3]],
    [{ startDate: '2026-06-02', endDate: '2026-06-02' }, [1, 2, 3]],
    [{ startDate: '2026-06-02T12:00:00Z' }, [2, 3, 4]],
    [{ startDate: '2026-06-02T12:00:00.001Z' }, [3, 4]],
    [{ endDate: '2026-06-02T12:00:00.000Z' }, [0, 1, 2]],
    [{ endDate: '2026-06-02T11:59:59.999Z' }, [0, 1]],
    [{ startDate: '2026-06-02T14:00:00+02:00', endDate: '2026-06-02T12:00:00Z' }, [2]],
    [{ startDate: '2027-01-01' }, []],
  ] as const) {
    const { status, body } = await votes(query);
    const found = body.map(({ userId }: { userId: string }) => users.indexOf(userId)).toReversed();
    expect([query, status, found]).toEqual([query, 200, left]);
  }
  for (const query of [
    ...[{ startDate: 'yesterday' }, { startDate: '' }, { startDate: '2026-02-30' }],
    ...[{ startDate: '2026-06-02T25:00:00Z' }, { startDate: '2026-06-02T12:00:00' }],
    ...[{ endDate: '1780315200000' }, { endDate: '02/06/2026' }],
    { startDate: '2026-06-03', endDate: '2026-06-02' },
    { startDate: '2026-06-02T12:00:00.001Z', endDate: '2026-06-02T12:00:00Z' },
  ] as Record<string, string>[])
    expect([query, (await votes(query)).verdict]).toEqual([query, '400 VALIDATION_FAILED']);
});

test('VS-01, VS-02, VS-03, VS-04, VS-05, NS-02, NS-04: GET /webhooks/stats returns zero in every count, and 30 days, for a listing without votes; then counts votes by UTC day, from 29 days ago but not from 31 days ago, and all votes, voters and the latest vote', async () => {
  const { site, listed, votes, stats } = await read();
  const { dailyVotes: none, ...others } = await stats();
  expect(others).toEqual({ totalVotes: 0, totalUniqueVoters: 0, lastVote: null, topVoters: [] });
  expect(none).toHaveLength(30);
  expect([none[0], none[29]]).toEqual(['2026-05-03', '2026-06-01'].map((date) => ({ date, votes: 0 })));
  const voter = await site.person();
  await site.cast(listed, null, voter);
  site.clock.advance(2 * DAY);
  await site.cast(listed, null, voter);
  site.clock.advance(29 * DAY);
  await site.cast(listed, null, await site.person());
  const { castAt: lastVote } = await site.cast(listed, null, await site.person());
  const { dailyVotes, ...totals } = await stats();
  const counted = dailyVotes.filter((day: { votes: number }) => day.votes > 0);
  expect(counted).toEqual([
    { date: '2026-06-03', votes: 1 },
    { date: '2026-07-02', votes: 2 },
  ]);
  expect([dailyVotes[0].date, dailyVotes[29].date]).toEqual(['2026-06-03', '2026-07-02']);
  expect(totals).toMatchObject({ totalVotes: 4, totalUniqueVoters: 3, lastVote });
  expect((await votes()).body[0].votedAt).toBe(lastVote);
});

test('VS-06, VS-07, VS-08, NS-05: GET /webhooks/stats lists the top ten voters with two fields each, and orders ties by ID', async () => {
  const { site, listed, stats } = await read();
  const people = [];
  for (let person = 0; person < 12; person++) people.push(await site.person());
  const [often, twice, ...once] = people as [(typeof people)[0], (typeof people)[0], ...typeof people];
  for (const voters of [people, [often, twice], [often]]) {
    for (const voter of voters) await site.cast(listed, null, voter);
    site.clock.advance(12 * HOUR);
  }
  const byId = once.map(({ userId }) => userId).toSorted();
  expect((await stats()).topVoters).toEqual([
    { user_id: often.userId, vote_count: 3 },
    { user_id: twice.userId, vote_count: 2 },
    ...byId.slice(0, 8).map((user_id) => ({ user_id, vote_count: 1 })),
  ]);
});

test('VL-13, VL-14, LM-06: votes and statistics share a limit of 30 requests a minute', async () => {
  const { site, token } = await read();
  for (let asked = 0; asked < 30; asked++) {
    const path = asked % 2 === 0 ? VOTES : STATS;
    expect((await site.api.get(path, { token })).status).toBe(200);
  }
  for (const path of [VOTES, STATS])
    expect((await site.api.get(path, { token })).verdict).toBe('429 RATE_LIMITED');
  site.clock.advance(MINUTE);
  expect((await site.api.get(STATS, { token })).status).toBe(200);
});
