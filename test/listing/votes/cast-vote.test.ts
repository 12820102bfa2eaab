import { describe, expect, test } from 'vitest';
import type { VoteObserver } from '../../../src/listing/contracts.ts';
import { loggedLines } from '../../support/logged-lines.ts';
import { DAY, HOUR, KINDS, listingService, SECOND } from '../listing-service.ts';

const GAMES = KINDS.filter((kind) => kind !== 'bot');

describe('the voting window', () => {
  test('SV-04: of a bot lasts 12 h: a vote is refused a second earlier and accepted at 12 h', async () => {
    const service = listingService();
    const bot = await service.listing('bot');
    const { castAt } = await service.cast(bot, '1');
    service.clock.advance(12 * HOUR - SECOND);
    expect(await service.tryCast(bot, '1')).toEqual({ kind: 'too-early', nextAt: castAt + 12 * HOUR });
    service.clock.advance(SECOND);
    await service.cast(bot, '1');
  });

  test.each(GAMES)(
    'SV-05: of a %s listing lasts 24 h: a vote is refused a second earlier and accepted at 24 h',
    async (kind) => {
      const service = listingService();
      const game = await service.listing(kind);
      const { castAt } = await service.cast(game, '1');
      service.clock.advance(24 * HOUR - SECOND);
      expect(await service.tryCast(game, '1')).toEqual({ kind: 'too-early', nextAt: castAt + 24 * HOUR });
      service.clock.advance(SECOND);
      await service.cast(game, '1');
    },
  );

  test('SV-04 SV-05: is separate for each user and each listing', async () => {
    const service = listingService();
    const [one, two] = [await service.listing('bot'), await service.listing('bot')];
    await service.cast(one, '1');
    await service.cast(one, '2');
    await service.cast(two, '1');
  });

  test('SV-04: leaves no trace of a refused vote', async () => {
    const service = listingService();
    const bot = await service.listing('bot');
    const statement = { url: 'https://example.com/', secret: null, isActive: true };
    await service.store.changes.registerWebhook(bot.id, statement, 0);
    await service.cast(bot, '1');
    await service.tryCast(bot, '1');
    expect(await service.store.reads.voteFigures(bot.id, service.clock.now())).toMatchObject({
      votes: 1,
      voters: 1,
    });
    expect(service.events()).toHaveLength(1);
  });

  test('SV-04 SV-05: is also enforced by the database', async () => {
    const service = listingService();
    const bot = await service.listing('bot');
    const { castAt, nextAt } = await service.cast(bot, '1');
    const insert = service.database.prepare(
      'INSERT INTO votes (id, listing_id, user_id, cast_at, next_at, weight) VALUES (?, ?, ?, ?, ?, 1)',
    );
    expect(() => insert.run('a', bot.id, '1', nextAt - 1, nextAt - 1 + 12 * HOUR)).toThrow(
      'this window is taken',
    );
    expect(() => insert.run('b', bot.id, '2', castAt, castAt + 24 * HOUR)).toThrow('12 h on bots');
    expect(insert.run('c', bot.id, '1', nextAt, nextAt + 12 * HOUR).changes).toBe(1);
  });

  test('SV-05: admits only one of several simultaneous votes by a user', async () => {
    const service = listingService();
    const game = await service.listing();
    const results = await Promise.all(Array.from({ length: 20 }, () => service.tryCast(game, '1')));
    expect(results.filter(({ kind }) => kind === 'cast')).toHaveLength(1);
  });
});

describe('a vote', () => {
  test('NS-01: has a UUIDv7 that contains its time', async () => {
    const service = listingService();
    const { id, castAt } = await service.cast(await service.listing(), '1');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(castAt);
  });

  test('VS-03: has more weight on a premium listing, but counts as one', async () => {
    const service = listingService();
    const premium = await service.listing('bot', 2.5);
    expect(await service.cast(premium, '1')).toMatchObject({ weight: 2.5 });
    expect((await service.store.reads.voteFigures(premium.id, service.clock.now())).votes).toBe(1);
  });

  test('WR-01 VL-11 NS-01: on a listing with an active webhook, creates an event with the ID of the vote', async () => {
    const service = listingService();
    const listing = await service.listing('minecraft', 2);
    const statement = { url: 'https://example.com/', secret: null, isActive: true };
    await service.store.changes.registerWebhook(listing.id, statement, 0);
    const { id, castAt, nextAt } = await service.cast(listing, '80351110224678912345', '.Steve_1');
    const votedAt = new Date(castAt).toISOString();
    expect(service.events()).toEqual([
      {
        id,
        event: 'vote.created',
        version: 1,
        eventId: id,
        timestamp: votedAt,
        test: false,
        data: {
          listingId: listing.id,
          listingType: 'game',
          userId: '80351110224678912345',
          votedAt,
          nextVoteAt: new Date(nextAt).toISOString(),
          weight: 2,
          game: 'minecraft',
          playerName: '.Steve_1',
        },
      },
    ]);
    expect(service.database.prepare('SELECT state, attempts, due_at FROM events').get()).toEqual({
      state: 'pending',
      attempts: 0,
      due_at: castAt,
    });
  });

  test('WR-06 DO-17 DO-19: is stored and not delivered without a webhook, with a paused one and with a disabled one', async () => {
    const service = listingService();
    const { store } = service;
    const [bare, paused, disabled] = [
      await service.listing(),
      await service.listing(),
      await service.listing(),
    ];
    const statement = { url: 'https://example.com/', secret: null, isActive: true };
    await store.changes.registerWebhook(paused.id, { ...statement, isActive: false }, 0);
    await store.changes.registerWebhook(disabled.id, statement, 0);
    service.database
      .prepare('UPDATE webhooks SET failures = 20, disabled_at = 1 WHERE listing_id = ?')
      .run(disabled.id);
    for (const listing of [bare, paused, disabled]) {
      await service.cast(listing, '1');
      expect((await store.reads.voteFigures(listing.id, service.clock.now())).votes).toBe(1);
    }
    expect(service.events()).toEqual([]);
  });

  test('is stored together with its totals and its event, or not at all', async () => {
    const service = listingService();
    const listing = await service.listing();
    const statement = { url: 'https://example.com/', secret: null, isActive: true };
    await service.store.changes.registerWebhook(listing.id, statement, 0);
    service.database.exec(
      "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    await expect(service.tryCast(listing, '1')).rejects.toThrow('disk full');
    expect(service.database.prepare('SELECT count(*) FROM votes').pluck().get()).toBe(0);
    expect(await service.store.reads.voteFigures(listing.id, service.clock.now())).toMatchObject({
      votes: 0,
      voters: 0,
    });
  });
});

describe('NS-11: the player', () => {
  test.each([
    ['Steve', 'Steve'],
    [' Steve ', 'Steve'],
    ['.Steve_1', '.Steve_1'],
    ['*bedrock', '*bedrock'],
    ['-.-Alex', '-.-Alex'],
    ['a23456789012345x', 'a23456789012345x'],
    ['', null],
    ['  ', null],
    [null, null],
  ])('entered as %j is stored as %j', async (entered, player) => {
    const service = listingService();
    expect(await service.cast(await service.listing(), '1', entered)).toMatchObject({ player });
  });

  test.each([
    'a\nb',
    'a b',
    'a2345678901234567',
    '@a',
    '....a',
    '.',
    'a;',
    '/op',
    '"x',
    'x"',
    '\u0000a',
    '#tag',
    'Ste-ve',
    '\ud800a',
  ])('entered as %j is refused, and nothing is stored', async (entered) => {
    const service = listingService();
    const listing = await service.listing();
    expect(await service.tryCast(listing, '1', entered)).toEqual({ kind: 'player-not-allowed' });
    await service.cast(listing, '1', 'Steve');
  });

  test.each(['bot', 'fivem', 'roblox', 'hytale'] as const)('is ignored on a %s listing', async (kind) => {
    const service = listingService();
    expect(await service.cast(await service.listing(kind), '1', 'a;b')).toMatchObject({ player: null });
  });
});

describe('observers', () => {
  test('are all called for a stored vote, even if one of them throws', async () => {
    const told: unknown[] = [];
    const { log, codes } = loggedLines();
    const failing: VoteObserver = {
      voteCast: () => {
        throw new Error('broken');
      },
    };
    const keeping: VoteObserver = { voteCast: (...facts) => told.push(facts) };
    const service = listingService({ log, observers: [failing, keeping] });
    const listing = await service.listing();
    const vote = await service.cast(listing, '1', 'Steve');
    expect(told).toEqual([[listing, vote]]);
    expect(codes('error')).toEqual(['vote-observer-failed']);
  });

  test('are called only once a vote can be read, and never for a refused one', async () => {
    const seen: boolean[] = [];
    const observer: VoteObserver = {
      voteCast: ({ id }, { userId, castAt }) => {
        seen.push(service.store.votes.active(id, { by: 'user', key: userId }, castAt) !== null);
        seen.push(service.database.inTransaction);
      },
    };
    const service = listingService({ observers: [observer] });
    const listing = await service.listing();
    await service.cast(listing, '1');
    await service.tryCast(listing, '1');
    await service.tryCast(listing, '2', 'no name');
    expect(seen).toEqual([true, false]);
  });
});

test('a removed listing is no longer found, but its votes are kept', async () => {
  const service = listingService();
  const { store, clock } = service;
  const listing = await service.listing('bot');
  await service.cast(listing, '1');
  expect(await store.reads.directory()).toEqual([{ ...listing, votes: 1 }]);
  expect(await store.changes.removeListing(listing.id, clock.now())).toBe(true);
  expect([store.listings.find(listing.id), await store.reads.directory()]).toEqual([null, []]);
  expect(await store.changes.removeListing(listing.id, clock.now() + DAY)).toBe(false);
  expect((await store.reads.voteFigures(listing.id, clock.now())).votes).toBe(1);
});
