/** Who may ask the developer API: tokens and their scopes. */
import { describe, expect, test } from 'vitest';
import { type ApiScope, apiScopes } from '../../../protocol/listing-api/scopes.ts';
import { listing } from '../../kit/listing.ts';
import { KINDS } from '../../kit/listing-people.ts';
import { OPERATIONS } from '../operations.ts';

const SCOPES = Object.keys(apiScopes) as ApiScope[];

test('AU-01, AU-02: every operation answers INVALID_TOKEN without a token, and with one that nobody knows', async () => {
  const site = await listing();
  const { listed, token } = await site.owned('bot');
  const swapped = token.replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const strangers = [`vl_${'a'.repeat(43)}`, token.slice(0, -1), `${token}x`, swapped, 'x'.repeat(5000)];
  for (const { name, ask } of OPERATIONS) {
    const none = await ask(site.api, listed, {});
    expect([name, none.status, none.code]).toEqual([name, 401, 'INVALID_TOKEN']);
    expect(none.headers.get('WWW-Authenticate')).toBe('Bearer');
    for (const stranger of strangers) {
      const { status, code, body } = await ask(site.api, listed, { token: stranger });
      expect([name, stranger, status, code]).toEqual([name, stranger, 401, 'INVALID_TOKEN']);
      if (stranger.startsWith('vl_')) expect(body.message).not.toBe(none.body.message);
    }
    expect([name, (await ask(site.api, listed, { token })).status]).toEqual([name, 200]);
  }
});

test('AU-03: every operation reads a token only from “Authorization: Bearer”', async () => {
  const site = await listing();
  const { listed, token } = await site.owned('bot');
  const places = [
    { headers: { Authorization: token } },
    { headers: { Authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` } },
    { headers: { Authorization: `Bearer ${token} ${token}` } },
    { headers: { 'X-Api-Key': token } },
    { headers: { Cookie: `token=${token}` } },
    { query: { token, access_token: token, userId: '1' } },
  ];
  for (const { name, ask } of OPERATIONS)
    for (const asked of places) {
      const { status, code } = await ask(site.api, listed, asked);
      expect([name, asked, status, code]).toEqual([name, asked, 401, 'INVALID_TOKEN']);
    }
});

test.each(SCOPES)(
  'AU-04, AU-05, AU-06, AU-07, AU-08, VL-12, WR-18, WT-07, ST-14, VN-04: what a token with only the scope %s can do',
  async (scope) => {
    const site = await listing();
    const { listed, token } = await site.owned('bot', scope);
    for (const { name, ask, grantedBy } of OPERATIONS) {
      const { status, code } = await ask(site.api, listed, { token });
      const [can, cannot] = [
        [200, undefined],
        [401, 'MISSING_SCOPE'],
      ];
      expect([name, [status, code]]).toEqual([name, grantedBy.includes(scope) ? can : cannot]);
    }
  },
);

test('ER-09, NS-31: every operation answers NOT_FOUND to the token of a removed listing', async () => {
  const site = await listing();
  const { listed, owner, token } = await site.owned('bot');
  await owner.press(listed.dashboard, `${listed.dashboard}/remove`);
  for (const { name, ask } of OPERATIONS) {
    const { status, code } = await ask(site.api, listed, { token });
    expect([name, status, code]).toEqual([name, 404, 'NOT_FOUND']);
  }
});

describe('POST /bots/:id/stats', () => {
  const report = { body: { serverCount: 7 } };

  test('AU-09, ST-14: with another bot’s ID answers FORBIDDEN and changes neither bot', async () => {
    const site = await listing();
    const [a, b] = [await site.owned('bot'), await site.owned('bot')];
    const { status, code } = await site.api.post(`/bots/${b.listed.id}/stats`, { token: a.token, ...report });
    expect([status, code]).toEqual([403, 'FORBIDDEN']);
    for (const { listed, owner } of [a, b]) expect((await owner.values(listed.page)).stats).toBeNull();
  });

  test('AU-10, ST-14: with a game listing’s token answers FORBIDDEN, with any ID', async () => {
    const site = await listing();
    const bot = await site.list('bot');
    for (const kind of ['minecraft', 'fivem', 'roblox', 'hytale'] as const) {
      const { listed, token } = await site.owned(kind);
      for (const id of [listed.id, bot.id, 'nobody']) {
        const { status, code } = await site.api.post(`/bots/${id}/stats`, { token, ...report });
        expect([kind, id, status, code]).toEqual([kind, id, 403, 'FORBIDDEN']);
      }
    }
  });

  test('NS-15: checks token, kind, scope, ID, body and limit, in this order', async () => {
    const site = await listing();
    const [bot, other] = [await site.owned('bot'), await site.list('bot')];
    const scopeless = await site.token(bot.listed, 'votes:read');
    const game = (await site.owned('roblox', 'votes:read')).token;
    const invalid = { body: { serverCount: -1 } };
    const ask = async (id: string, token: string, asked: object = invalid) =>
      (await site.api.post(`/bots/${id}/stats`, { token, ...asked })).code;
    expect(await ask(other.id, 'unknown')).toBe('INVALID_TOKEN');
    expect(await ask(other.id, game)).toBe('FORBIDDEN');
    expect(await ask(other.id, scopeless)).toBe('MISSING_SCOPE');
    expect(await ask(other.id, bot.token)).toBe('FORBIDDEN');
    expect(await ask(bot.listed.id, bot.token)).toBe('VALIDATION_FAILED');
    expect(await ask(bot.listed.id, bot.token, report)).toBeUndefined();
    expect(await ask(bot.listed.id, bot.token)).toBe('VALIDATION_FAILED');
    expect(await ask(bot.listed.id, bot.token, report)).toBe('RATE_LIMITED');
  });
});

test('AU-11: a token selects its listing, and no parameter selects another one', async () => {
  const site = await listing();
  const [a, b] = [await site.owned('bot'), await site.owned('bot')];
  const { userId } = await site.cast(a.listed);
  const voted = async (token: string, query: Record<string, string> = {}) =>
    (await site.api.get('/webhooks/votes/check', { token, query: { userId, ...query } })).body.voted;
  expect(await voted(a.token)).toBe(true);
  expect(await voted(b.token)).toBe(false);
  expect(await voted(a.token, { listingId: b.listed.id, id: b.listed.id })).toBe(true);
});

test.each(KINDS)(
  'SV-06, AU-06, AU-13, VC-24: a %s listing’s token checks votes and registers a webhook',
  async (kind) => {
    const site = await listing();
    const { listed, token } = await site.owned(kind, 'votes:read', 'webhooks:write');
    const body = { webhookUrl: 'http://127.0.0.1:1/' };
    expect((await site.api.post('/webhooks/register', { token, body })).status).toBe(200);
    const { userId } = await site.cast(listed);
    const checked = await site.api.get('/webhooks/votes/check', { token, query: { userId } });
    expect(checked.body.voted).toBe(true);
  },
);
