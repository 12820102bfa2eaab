import { describe, expect, test } from 'vitest';
import type { CastVote } from '../../../src/listing/contracts.ts';
import { DAY, HOUR, KINDS, listingService, MINUTE, SECOND } from '../listing-service.ts';

const VOTES = '/webhooks/votes';
const STATS = '/webhooks/stats';

/** A listing with functions that read its votes. */
async function readListing(kind: (typeof KINDS)[number] = 'bot') {
  const service = listingService();
  const { listing, token } = await service.owner(kind, 'votes:read');
  return {
    service,
    listing,
    token,
    votes: async (query: Record<string, string> = {}) => service.client.get(VOTES, { token, query }),
    stats: async () => (await service.client.get(STATS, { token })).body,
    /** Casts `count` votes of different users, a second apart. */
    castMany: async (count: number): Promise<CastVote[]> => {
      const cast = [];
      for (let index = 0; index < count; index++) {
        cast.push(await service.cast(listing, `user${index}`));
        service.clock.advance(SECOND);
      }
      return cast;
    },
  };
}

describe('GET /webhooks/votes', () => {
  test('VL-01 VL-02 VL-03 NS-06: returns a bare array of records with four fields, newest first', async () => {
    const { votes, castMany } = await readListing();
    const cast = await castMany(3);
    const { status, body } = await votes();
    expect(status).toBe(200);
    expect(body).toEqual(
      cast.toReversed().map(({ id, userId, castAt }) => ({
        id,
        userId,
        votedAt: new Date(castAt).toISOString(),
        metadata: {},
      })),
    );
    for (const record of body) expect(Object.keys(record)).toEqual(['id', 'userId', 'votedAt', 'metadata']);
  });

  test('VL-03: returns votes of the same millisecond in a stable order', async () => {
    const { service, listing, votes } = await readListing();
    for (let user = 0; user < 20; user++) await service.cast(listing, `user${user}`);
    const first = (await votes()).body;
    expect(first).toHaveLength(20);
    expect((await votes()).body).toEqual(first);
  });

  test.each(KINDS)(
    'VL-04 VL-05: on a %s listing returns a player only for a Minecraft vote that named one',
    async (kind) => {
      const { service, listing, votes } = await readListing(kind);
      await service.cast(listing, '1', '.StEvE_1');
      service.clock.advance(1);
      await service.cast(listing, '2');
      const metadata = (await votes()).body.map((record: { metadata: object }) => record.metadata);
      expect(metadata).toEqual([{}, kind === 'minecraft' ? { playerName: '.StEvE_1' } : {}]);
    },
  );

  test('VL-06 VL-07: returns 50 votes by default and up to 100 on request', async () => {
    const { votes, castMany } = await readListing();
    const newest = (await castMany(120)).toReversed().map(({ id }) => id);
    for (const [query, count] of [
      [{}, 50],
      [{ limit: '1' }, 1],
      [{ limit: '100' }, 100],
    ] as const) {
      const { body } = await votes(query);
      expect(body.map(({ id }: { id: string }) => id)).toEqual(newest.slice(0, count));
    }
  });

  test.each(['101', '0', '-1', 'abc', '1.5', '', '1e1', ' 5', '0x10', '050'])(
    'VL-07 VL-08 NS-14: refuses the limit %j',
    async (limit) => {
      const { votes } = await readListing();
      const { status, code } = await votes({ limit });
      expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );

  test('VL-08: refuses a request with `limit` given twice', async () => {
    const { service, token } = await readListing();
    expect((await service.client.get(`${VOTES}?limit=5&limit=6`, { token })).code).toBe('VALIDATION_FAILED');
  });

  test('VL-10: returns only the listing’s own votes', async () => {
    const { service, listing, votes } = await readListing();
    const other = await service.listing('bot');
    await service.cast(other, '1');
    const { id } = await service.cast(listing, '2');
    expect((await votes()).body).toMatchObject([{ id }]);
  });

  test('VL-11 VN-05: returns the same vote and user IDs as the webhook and the check', async () => {
    const { service, listing, token, votes, stats } = await readListing();
    const statement = { url: 'https://example.com/', secret: null, isActive: true };
    await service.store.changes.registerWebhook(listing.id, statement, 0);
    await service.cast(listing, '80351110224678912345');
    const [event] = service.events();
    expect((await votes()).body).toMatchObject([{ id: event?.eventId, userId: event?.data.userId }]);
    expect((await stats()).topVoters).toEqual([{ user_id: event?.data.userId, vote_count: 1 }]);
    const query = { userId: event?.data.userId ?? '' };
    expect((await service.client.get('/webhooks/votes/check', { token, query })).body.voted).toBe(true);
  });
});

describe('VL-09 NS-07: the dates', () => {
  /** Votes at the edges of 2026-06-02. */
  const TIMES = [
    '2026-06-01T23:59:59.999Z',
    '2026-06-02T00:00:00.000Z',
    '2026-06-02T12:00:00.000Z',
    '2026-06-02T23:59:59.999Z',
    '2026-06-03T00:00:00.000Z',
  ];
  const ALL = [0, 1, 2, 3, 4];

  async function votesAtTheEdges() {
    const read = await readListing();
    for (const [index, time] of TIMES.entries()) {
      read.service.clock.advance(Date.parse(time) - read.service.clock.now());
      await read.service.cast(read.listing, String(index));
    }
    return read;
  }

  test.each([
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
  ])('%j selects, from the votes around a day, %j', async (query, left) => {
    const { votes } = await votesAtTheEdges();
    const { status, body } = await votes(query);
    const users = body.map(({ userId }: { userId: string }) => Number(userId)).toReversed();
    expect([status, users]).toEqual([200, left]);
  });

  test.each([
    { startDate: 'yesterday' },
    { startDate: '' },
    { startDate: '2026-02-30' },
    { startDate: '2026-06-02T25:00:00Z' },
    { startDate: '2026-06-02T12:00:00' },
    { endDate: '1780315200000' },
    { endDate: '02/06/2026' },
    { startDate: '2026-06-03', endDate: '2026-06-02' },
    { startDate: '2026-06-02T12:00:00.001Z', endDate: '2026-06-02T12:00:00Z' },
  ])('%j are refused', async (query) => {
    const { votes } = await readListing();
    const { status, code } = await votes(query);
    expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe('GET /webhooks/stats', () => {
  test('VS-01 NS-02 NS-04: returns zero in every count, and 30 days, for a listing without votes', async () => {
    const { stats } = await readListing();
    const body = await stats();
    expect(body).toEqual({
      dailyVotes: expect.any(Array),
      totalVotes: 0,
      totalUniqueVoters: 0,
      lastVote: null,
      topVoters: [],
    });
    expect(body.dailyVotes).toHaveLength(30);
    expect(body.dailyVotes[0]).toEqual({ date: '2026-05-03', votes: 0 });
    expect(body.dailyVotes[29]).toEqual({ date: '2026-06-01', votes: 0 });
  });

  test('VS-02 NS-02: counts votes by UTC day, from 29 days ago but not from 31 days ago', async () => {
    const { service, listing, stats } = await readListing();
    await service.cast(listing, '31 days old');
    service.clock.advance(2 * DAY);
    await service.cast(listing, '29 days old');
    service.clock.advance(29 * DAY);
    await service.cast(listing, 'a');
    await service.cast(listing, 'b');
    const { dailyVotes, totalVotes } = await stats();
    const counted = dailyVotes.filter(({ votes }: { votes: number }) => votes > 0);
    expect(counted).toEqual([
      { date: '2026-06-03', votes: 1 },
      { date: '2026-07-02', votes: 2 },
    ]);
    expect([dailyVotes[0].date, dailyVotes[29].date, totalVotes]).toEqual(['2026-06-03', '2026-07-02', 4]);
  });

  test('VS-03 VS-04 VS-05: counts votes and voters, and states the time of the latest vote', async () => {
    const { service, token, listing, stats } = await readListing();
    await service.cast(listing, '1');
    service.clock.advance(12 * HOUR);
    const { castAt } = await service.cast(listing, '1');
    expect(await stats()).toMatchObject({
      totalVotes: 2,
      totalUniqueVoters: 1,
      lastVote: new Date(castAt).toISOString(),
    });
    const [newest] = (await service.client.get(VOTES, { token })).body;
    expect((await stats()).lastVote).toBe(newest.votedAt);
  });

  test('VS-03: a premium vote counts as one', async () => {
    const service = listingService();
    const premium = await service.listing('bot', 5);
    const token = await service.token(premium);
    await service.cast(premium, '1');
    expect((await service.client.get(STATS, { token })).body.totalVotes).toBe(1);
  });

  test('VS-06 VS-07 VS-08 NS-05: lists the top ten voters with two fields each, and orders ties by ID', async () => {
    const { service, listing, stats } = await readListing();
    const castsOf: Readonly<Record<string, number>> = { often: 3, twice: 2 };
    const users = ['often', 'twice', ...Array.from({ length: 10 }, (_, index) => `b${index}`), 'a'];
    for (const round of [0, 1, 2]) {
      for (const user of users) if (round < (castsOf[user] ?? 1)) await service.cast(listing, user);
      service.clock.advance(12 * HOUR);
    }
    const once = ['a', 'b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'];
    expect((await stats()).topVoters).toEqual([
      { user_id: 'often', vote_count: 3 },
      { user_id: 'twice', vote_count: 2 },
      ...once.map((user_id) => ({ user_id, vote_count: 1 })),
    ]);
  });

  test('VS-09: does not change after a test delivery', async () => {
    const { service, listing, stats } = await readListing();
    const token = await service.token(listing);
    await service.cast(listing, '1');
    const before = await stats();
    const body = { webhookUrl: 'https://example.com/' };
    expect((await service.client.post('/webhooks/test', { token, body })).status).toBe(200);
    expect(await stats()).toEqual(before);
  });
});

describe('the limit on reading votes and statistics', () => {
  test('VL-13 VL-14 LM-06: is 30 requests a minute, shared', async () => {
    const { service, token } = await readListing();
    for (let asked = 0; asked < 30; asked++) {
      const path = asked % 2 === 0 ? VOTES : STATS;
      expect((await service.client.get(path, { token })).status).toBe(200);
    }
    for (const path of [VOTES, STATS]) {
      const { status, code } = await service.client.get(path, { token });
      expect([status, code]).toEqual([429, 'RATE_LIMITED']);
    }
    service.clock.advance(MINUTE);
    expect((await service.client.get(STATS, { token })).status).toBe(200);
  });

  test('NS-13 NS-15: does not count refused requests', async () => {
    const { votes } = await readListing();
    for (let asked = 0; asked < 40; asked++) await votes({ limit: '0' });
    expect((await votes()).headers.get('RateLimit')).toBe('"vote-reads";r=29;t=60');
  });
});
