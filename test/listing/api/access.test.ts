import { describe, expect, test } from 'vitest';
import { type ApiScope, apiScopes } from '../../../protocol/listing-api/scopes.ts';
import { KINDS, listingService, MINUTE } from '../listing-service.ts';
import { OPERATIONS } from '../operations.ts';

const SCOPES = Object.keys(apiScopes) as ApiScope[];

describe.each(OPERATIONS)('$name', ({ ask, grantedBy }) => {
  test('AU-01: without a token answers INVALID_TOKEN', async () => {
    const service = listingService();
    const listing = await service.listing('bot');
    const { status, code, headers } = await ask(service.client, listing, {});
    expect([status, code, headers.get('WWW-Authenticate')]).toEqual([401, 'INVALID_TOKEN', 'Bearer']);
  });

  test('AU-02: with an unrecognized token answers INVALID_TOKEN', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const swapped = token.replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );
    const strangers = [`vl_${'a'.repeat(43)}`, token.slice(0, -1), `${token}x`, swapped, 'x'.repeat(5000)];
    for (const stranger of strangers) {
      const { status, code } = await ask(service.client, listing, { token: stranger });
      expect([status, code], stranger).toEqual([401, 'INVALID_TOKEN']);
    }
    expect((await ask(service.client, listing, { token })).status).toBe(200);
  });

  test('AU-02: has different messages for an unrecognized token and a missing one', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const none = await ask(service.client, listing, {});
    const unknown = await ask(service.client, listing, { token: `${token}x` });
    expect([none.code, unknown.code]).toEqual(['INVALID_TOKEN', 'INVALID_TOKEN']);
    expect(unknown.body.message).not.toBe(none.body.message);
  });

  test('AU-03: reads a token only from “Authorization: Bearer”', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const places = [
      { headers: { Authorization: token } },
      { headers: { Authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` } },
      { headers: { Authorization: `Bearer ${token} ${token}` } },
      { headers: { 'X-Api-Key': token } },
      { headers: { Cookie: `token=${token}` } },
      { query: { token, access_token: token, userId: '1' } },
    ];
    for (const asked of places) {
      const { status, code } = await ask(service.client, listing, asked);
      expect([status, code], JSON.stringify(asked)).toEqual([401, 'INVALID_TOKEN']);
    }
  });

  test.each(SCOPES)(
    'AU-04 AU-05 AU-06 AU-07 AU-08 VL-12 WR-18 WT-07 ST-14 VN-04: is granted or refused to a token with only the scope %s',
    async (scope) => {
      const service = listingService();
      const { listing, token } = await service.owner('bot', scope);
      const { status, code } = await ask(service.client, listing, { token });
      expect([status, code]).toEqual(grantedBy.includes(scope) ? [200, undefined] : [401, 'MISSING_SCOPE']);
    },
  );

  test('ER-09 NS-31: with the token of a removed listing answers NOT_FOUND', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const { store, clock } = service;
    await store.changes.removeListing(listing.id, clock.now());
    const { status, code } = await ask(service.client, listing, { token });
    expect([status, code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('POST /bots/:id/stats', () => {
  const report = { body: { serverCount: 7 } };

  test('AU-09 ST-14: with another bot’s ID answers FORBIDDEN and changes neither bot', async () => {
    const service = listingService();
    const [a, b] = [await service.owner('bot'), await service.owner('bot')];
    const { status, code } = await service.client.post(`/bots/${b.listing.id}/stats`, {
      token: a.token,
      ...report,
    });
    expect([status, code]).toEqual([403, 'FORBIDDEN']);
    for (const { listing } of [a, b]) expect(service.store.botStats.find(listing.id)).toBeNull();
  });

  test.each(['minecraft', 'fivem', 'roblox', 'hytale'] as const)(
    'AU-10 ST-14: with a %s listing’s token answers FORBIDDEN, with any ID',
    async (kind) => {
      const service = listingService();
      const { listing, token } = await service.owner(kind);
      const bot = await service.listing('bot');
      for (const id of [listing.id, bot.id, 'nobody']) {
        const { status, code } = await service.client.post(`/bots/${id}/stats`, { token, ...report });
        expect([status, code]).toEqual([403, 'FORBIDDEN']);
      }
    },
  );

  test('NS-15: checks token, kind, scope, ID, body and limit, in this order', async () => {
    const service = listingService();
    const [bot, other] = [await service.owner('bot'), await service.listing('bot')];
    const scopeless = await service.token(bot.listing, 'votes:read');
    const game = await service.token(await service.listing('roblox'), 'votes:read');
    const invalid = { body: { serverCount: -1 } };
    const ask = async (id: string, token: string, asked: object = invalid) =>
      (await service.client.post(`/bots/${id}/stats`, { token, ...asked })).code;
    expect(await ask(other.id, 'unknown')).toBe('INVALID_TOKEN');
    expect(await ask(other.id, game)).toBe('FORBIDDEN');
    expect(await ask(other.id, scopeless)).toBe('MISSING_SCOPE');
    expect(await ask(other.id, bot.token)).toBe('FORBIDDEN');
    expect(await ask(bot.listing.id, bot.token)).toBe('VALIDATION_FAILED');
    expect(await ask(bot.listing.id, bot.token, report)).toBeUndefined();
    expect(await ask(bot.listing.id, bot.token)).toBe('VALIDATION_FAILED');
    expect(await ask(bot.listing.id, bot.token, report)).toBe('RATE_LIMITED');
  });
});

test('AU-11: a token selects its listing, and no parameter selects another one', async () => {
  const service = listingService();
  const [a, b] = [await service.owner('bot'), await service.owner('bot')];
  await service.cast(a.listing, '1');
  const voted = async (token: string, query: Record<string, string> = {}) =>
    (await service.client.get('/webhooks/votes/check', { token, query: { userId: '1', ...query } })).body
      .voted;
  expect(await voted(a.token)).toBe(true);
  expect(await voted(b.token)).toBe(false);
  expect(await voted(a.token, { listingId: b.listing.id, id: b.listing.id })).toBe(true);
});

test.each(KINDS)(
  'SV-02 SV-03 SV-06 AU-06 AU-13 VC-24: a %s listing’s token checks votes and registers a webhook',
  async (kind) => {
    const service = listingService();
    const { listing, token } = await service.owner(kind, 'votes:read', 'webhooks:write');
    const body = { webhookUrl: 'https://example.com/' };
    expect((await service.client.post('/webhooks/register', { token, body })).status).toBe(200);
    await service.cast(listing, '1');
    const checked = await service.client.get('/webhooks/votes/check', { token, query: { userId: '1' } });
    expect(checked.body.voted).toBe(true);
    const [{ data }] = service.events() as [{ data: object }];
    const game =
      kind === 'bot' ? { listingType: 'bot' } : { listingType: 'game', game: kind, playerName: null };
    expect(data).toMatchObject({ listingId: listing.id, ...game });
    expect('game' in data).toBe(kind !== 'bot');
  },
);

test('SV-02 SV-03: the database refuses a listing of any other type or game', async () => {
  const { database } = listingService();
  const insert = database.prepare(
    'INSERT INTO listings (id, name, type, game, weight, created_at) VALUES (?, ?, ?, ?, 1, 0)',
  );
  for (const [type, game] of [
    ['site', null],
    ['game', 'rust'],
    ['game', null],
    ['bot', 'minecraft'],
  ]) {
    expect(() => insert.run('x', 'x', type, game), `${type} ${game}`).toThrow('CHECK constraint failed');
  }
});

describe('limits', () => {
  const exhaust = async (service: ReturnType<typeof listingService>, token: string) => {
    for (let asked = 0; asked < 30; asked++) {
      expect((await service.client.get('/webhooks/votes', { token })).status).toBe(200);
    }
  };

  test('AU-17: are not reset by creating or rotating a token', async () => {
    const service = listingService();
    const { client } = service;
    const listing = await service.listing();
    const { id, token } = await service.createToken(listing);
    await exhaust(service, token);
    const rotated = await service.rotate(listing, id);
    for (const fresh of [rotated, await service.token(listing)]) {
      expect((await client.get('/webhooks/votes', { token: fresh })).code).toBe('RATE_LIMITED');
    }
    service.clock.advance(MINUTE);
    expect((await client.get('/webhooks/votes', { token: rotated })).status).toBe(200);
  });

  test('AU-18: are shared by all tokens of a listing, and separate for each listing', async () => {
    const service = listingService();
    const [a, b] = [await service.owner(), await service.owner()];
    const second = await service.token(a.listing, 'votes:read');
    await exhaust(service, a.token);
    expect((await service.client.get('/webhooks/votes', { token: second })).code).toBe('RATE_LIMITED');
    expect((await service.client.get('/webhooks/votes', { token: b.token })).status).toBe(200);
  });
});

describe('AU-15: a token', () => {
  test('never appears in a response or a log line', async () => {
    const lines: string[] = [];
    const keep = (...said: unknown[]) => lines.push(JSON.stringify(said));
    const service = listingService({ log: { debug: keep, info: keep, warn: keep, error: keep } });
    const { listing, token } = await service.owner('bot');
    for (const { ask } of OPERATIONS) {
      lines.push(JSON.stringify((await ask(service.client, listing, { token })).body));
      lines.push(JSON.stringify((await ask(service.client, listing, { token: `${token}x` })).body));
    }
    service.database.exec('DROP TABLE votes');
    lines.push(JSON.stringify((await service.client.get('/webhooks/votes', { token })).body));
    expect(lines.length).toBeGreaterThan(14);
    expect(lines.join('\n')).not.toContain(token.slice(3));
  });
});
