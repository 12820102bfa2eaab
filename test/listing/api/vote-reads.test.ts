import { describe, expect, test } from 'vitest';
import { DAY, HOUR, listing, MINUTE, SECOND } from '../../kit/listing.ts';
import { type Cast, KINDS, type Kind } from '../../kit/listing-people.ts';
import { hook } from '../../kit/listing-webhook.ts';

const VOTES = '/webhooks/votes';
const STATS = '/webhooks/stats';

/** A listing with functions that read its votes. */
async function read(kind: Kind = 'bot', fields = {}) {
  const site = await listing();
  const listed = await site.list(kind, fields);
  const token = await site.token(listed, 'votes:read');
  return {
    ...{ site, listed, token },
    votes: async (query: Record<string, string> = {}) => site.api.get(VOTES, { token, query }),
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

describe('GET /webhooks/votes', () => {
  test('VL-01, VL-02, VL-03, NS-06: returns a bare array of records with four fields, newest first', async () => {
    const { votes, castMany } = await read();
    const cast = await castMany(3);
    const { status, body } = await votes();
    expect(status).toBe(200);
    expect(body).toEqual(
      cast.toReversed().map(({ id, userId, castAt: votedAt }) => ({ id, userId, votedAt, metadata: {} })),
    );
    for (const record of body) expect(Object.keys(record)).toEqual(['id', 'userId', 'votedAt', 'metadata']);
  });

  test('VL-03: returns votes of the same millisecond in a stable order', async () => {
    const { site, listed, votes } = await read();
    for (let user = 0; user < 10; user++) await site.cast(listed);
    const first = (await votes()).body;
    expect(first).toHaveLength(10);
    expect((await votes()).body).toEqual(first);
  });

  test.each(KINDS)(
    'VL-04, VL-05: on a %s listing returns a player only for a Minecraft vote that named one',
    async (kind) => {
      const { site, listed, votes } = await read(kind);
      await site.cast(listed, '.StEvE_1');
      site.clock.advance(1);
      await site.cast(listed);
      const metadata = (await votes()).body.map((record: { metadata: object }) => record.metadata);
      expect(metadata).toEqual([{}, kind === 'minecraft' ? { playerName: '.StEvE_1' } : {}]);
    },
  );

  test('VL-06, VL-07: returns 50 votes by default and up to 100 on request', async () => {
    const { votes, castMany } = await read();
    const newest = (await castMany(101)).toReversed().map(({ id }) => id);
    for (const [query, count] of [
      [{}, 50],
      [{ limit: '1' }, 1],
      [{ limit: '100' }, 100],
    ] as const) {
      const { body } = await votes(query);
      expect(body.map(({ id }: { id: string }) => id)).toEqual(newest.slice(0, count));
    }
  });

  test('VL-07, VL-08, NS-14: refuses any other limit, and one that is given twice', async () => {
    const { site, token, votes } = await read();
    for (const limit of ['101', '0', '-1', 'abc', '1.5', '', '1e1', ' 5', '0x10', '050']) {
      const { status, code } = await votes({ limit });
      expect([limit, status, code]).toEqual([limit, 400, 'VALIDATION_FAILED']);
    }
    expect((await site.api.get(`${VOTES}?limit=5&limit=6`, { token })).code).toBe('VALIDATION_FAILED');
  });

  test('VL-10: returns only the listing’s own votes', async () => {
    const { site, listed, votes } = await read();
    await site.cast(await site.list('bot'));
    const { id } = await site.cast(listed);
    expect((await votes()).body).toMatchObject([{ id }]);
  });

  test('VL-11, VN-05: returns the same vote and user IDs as the webhook and the check', async () => {
    const { site, listed, token, votes, stats } = await read();
    const { receiver } = await hook(site, site.ownerOf(listed), listed);
    await site.cast(listed);
    const { json } = await receiver.request(1);
    const userId = String(json.data.userId);
    expect((await votes()).body).toMatchObject([{ id: json.eventId, userId }]);
    expect((await stats()).topVoters).toEqual([{ user_id: userId, vote_count: 1 }]);
    expect((await site.api.get('/webhooks/votes/check', { token, query: { userId } })).body.voted).toBe(true);
  });
});

describe('VL-09, NS-07: the dates', () => {
  /** Votes at the edges of 2026-06-02. */
  const TIMES = [
    '2026-06-01T23:59:59.999Z',
    '2026-06-02T00:00:00.000Z',
    '2026-06-02T12:00:00.000Z',
    '2026-06-02T23:59:59.999Z',
    '2026-06-03T00:00:00.000Z',
  ];
  const ALL = [0, 1, 2, 3, 4];

  test('VL-09, NS-07: select votes from the first instant to the last', async () => {
    const { site, listed, votes } = await read();
    const users: string[] = [];
    for (const time of TIMES) {
      site.clock.advance(Date.parse(time) - site.clock.now());
      users.push((await site.cast(listed)).userId);
    }
    for (const [query, left] of [
      [{}, ALL],
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
  });

  test('VL-09, NS-07: are refused if they are no dates or in the wrong order', async () => {
    const { votes } = await read();
    for (const query of [
      ...[{ startDate: 'yesterday' }, { startDate: '' }, { startDate: '2026-02-30' }],
      ...[{ startDate: '2026-06-02T25:00:00Z' }, { startDate: '2026-06-02T12:00:00' }],
      ...[{ endDate: '1780315200000' }, { endDate: '02/06/2026' }],
      { startDate: '2026-06-03', endDate: '2026-06-02' },
      { startDate: '2026-06-02T12:00:00.001Z', endDate: '2026-06-02T12:00:00Z' },
    ]) {
      const { status, code } = await votes(query as Record<string, string>);
      expect([query, status, code]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
  });
});

describe('GET /webhooks/stats', () => {
  test('VS-01, NS-02, NS-04: returns zero in every count, and 30 days, for a listing without votes', async () => {
    const { stats } = await read();
    const body = await stats();
    expect(body).toEqual({
      ...{
        dailyVotes: expect.any(Array),
        totalVotes: 0,
        totalUniqueVoters: 0,
        lastVote: null,
        topVoters: [],
      },
    });
    expect(body.dailyVotes).toHaveLength(30);
    expect(body.dailyVotes[0]).toEqual({ date: '2026-05-03', votes: 0 });
    expect(body.dailyVotes[29]).toEqual({ date: '2026-06-01', votes: 0 });
  });

  test('VS-02, NS-02: counts votes by UTC day, from 29 days ago but not from 31 days ago', async () => {
    const { site, listed, stats } = await read();
    await site.cast(listed);
    site.clock.advance(2 * DAY);
    await site.cast(listed);
    site.clock.advance(29 * DAY);
    await site.cast(listed, null, await site.person());
    await site.cast(listed, null, await site.person());
    const { dailyVotes, totalVotes } = await stats();
    const counted = dailyVotes.filter(({ votes }: { votes: number }) => votes > 0);
    expect(counted).toEqual([
      { date: '2026-06-03', votes: 1 },
      { date: '2026-07-02', votes: 2 },
    ]);
    expect([dailyVotes[0].date, dailyVotes[29].date, totalVotes]).toEqual(['2026-06-03', '2026-07-02', 4]);
  });

  test('VS-03, VS-04, VS-05: counts votes and voters, and states the time of the latest vote', async () => {
    const { site, listed, votes, stats } = await read();
    const voter = await site.person();
    await site.cast(listed, null, voter);
    site.clock.advance(12 * HOUR);
    const { castAt: lastVote } = await site.cast(listed, null, voter);
    expect(await stats()).toMatchObject({ totalVotes: 2, totalUniqueVoters: 1, lastVote });
    expect((await votes()).body[0].votedAt).toBe(lastVote);
  });

  test('VS-06, VS-07, VS-08, NS-05: lists the top ten voters with two fields each, and orders ties by ID', async () => {
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
});

describe('the limit on reading votes and statistics', () => {
  test('VL-13, VL-14, LM-06: is 30 requests a minute, shared', async () => {
    const { site, token } = await read();
    for (let asked = 0; asked < 30; asked++) {
      const path = asked % 2 === 0 ? VOTES : STATS;
      expect((await site.api.get(path, { token })).status).toBe(200);
    }
    for (const path of [VOTES, STATS]) {
      const { status, code } = await site.api.get(path, { token });
      expect([status, code]).toEqual([429, 'RATE_LIMITED']);
    }
    site.clock.advance(MINUTE);
    expect((await site.api.get(STATS, { token })).status).toBe(200);
  });
});
