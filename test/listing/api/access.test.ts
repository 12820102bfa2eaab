/** Who may ask the developer API: tokens, their scopes, who creates them, and that they stay secret. */
import { expect, test } from 'vitest';
import { type ApiScope, apiScopes } from '../../../protocol/listing-api.ts';
import { listing, type Site } from '../../kit/listing.ts';
import { KINDS, type Kind, type Listed, type Person } from '../../kit/listing-people.ts';
import type { Asked } from '../../kit/listing-program.ts';
import { OPERATIONS } from '../operations.ts';

const SCOPES = Object.keys(apiScopes) as ApiScope[];
const GAMES = KINDS.filter((kind) => kind !== 'bot');

test('AU-01, AU-02, AU-03: every operation answers INVALID_TOKEN without a token, with an unknown one, and with one that is not in “Authorization: Bearer”', async () => {
  const site = await listing();
  const { listed, token } = await site.owned('bot');
  const swapped = token.replace(/[a-zA-Z](?=[^a-zA-Z]*$)/, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const strangers = [`vl_${'a'.repeat(43)}`, token.slice(0, -1), `${token}x`, swapped, 'x'.repeat(5000)];
  const refused: readonly Asked[] = [
    ...strangers.map((stranger) => ({ token: stranger })),
    { headers: { Authorization: token } },
    { headers: { Authorization: `Basic ${Buffer.from(`${token}:`).toString('base64')}` } },
    { headers: { Authorization: `Bearer ${token} ${token}` } },
    { headers: { 'X-Api-Key': token } },
    { headers: { Cookie: `token=${token}` } },
    { query: { token, access_token: token, userId: '1' } },
  ];
  for (const { name, ask } of OPERATIONS) {
    const none = await ask(site.api, listed, {});
    expect([name, none.verdict]).toEqual([name, '401 INVALID_TOKEN']);
    expect(none.headers.get('WWW-Authenticate')).toBe('Bearer');
    for (const asked of refused) {
      const { verdict, body } = await ask(site.api, listed, asked);
      expect([name, asked, verdict]).toEqual([name, asked, '401 INVALID_TOKEN']);
      if (asked.token?.startsWith('vl_')) expect(body.message).not.toBe(none.body.message);
    }
    expect([name, (await ask(site.api, listed, { token })).status]).toEqual([name, 200]);
  }
});

test('AU-04, AU-05, AU-06, AU-07, AU-08, ER-09, NS-31, VL-12, WR-18, WT-07, ST-14, VN-04: a token can do what its scope grants and nothing else, and gets NOT_FOUND once its listing is removed', async () => {
  const site = await listing();
  const { listed, owner } = await site.owned('bot');
  const tokens = new Map<ApiScope, string>();
  for (const scope of SCOPES) tokens.set(scope, await site.token(listed, scope));
  for (const { name, ask, grantedBy } of OPERATIONS)
    for (const [scope, token] of tokens) {
      const { verdict } = await ask(site.api, listed, { token });
      const expected = grantedBy.includes(scope) ? '200' : '401 MISSING_SCOPE';
      expect([name, scope, verdict]).toEqual([name, scope, expected]);
    }
  await owner.press(listed.dashboard, `${listed.dashboard}/remove`);
  const token = tokens.get('votes:read')!;
  for (const { name, ask } of OPERATIONS)
    expect([name, (await ask(site.api, listed, { token })).verdict]).toEqual([name, '404 NOT_FOUND']);
});

test('AU-09, AU-10, ST-14: a report with another bot’s ID, or with a game listing’s token and any ID, is FORBIDDEN and changes no bot', async () => {
  const site = await listing();
  const [a, b] = [await site.owned('bot'), await site.owned('bot')];
  const asked = [[a.token, b.listed.id]];
  for (const kind of GAMES) {
    const { listed, token } = await site.owned(kind);
    for (const id of [listed.id, b.listed.id, 'nobody']) asked.push([token, id]);
  }
  for (const [token = '', id] of asked) {
    const { verdict } = await site.api.post(`/bots/${id}/stats`, { token, body: { serverCount: 7 } });
    expect([id, verdict]).toEqual([id, '403 FORBIDDEN']);
  }
  for (const { listed, owner } of [a, b]) expect((await owner.values(listed.page)).stats).toBeNull();
});

test('NS-15: a report’s token, kind, scope, ID, body and limit are checked in this order', async () => {
  const site = await listing();
  const [bot, other] = [await site.owned('bot'), await site.list('bot')];
  const scopeless = await site.token(bot.listed, 'votes:read');
  const game = (await site.owned('roblox', 'votes:read')).token;
  const ask = async (id: string, token: string, serverCount = -1) =>
    (await site.api.post(`/bots/${id}/stats`, { token, body: { serverCount } })).code;
  expect(await ask(other.id, 'unknown')).toBe('INVALID_TOKEN');
  expect(await ask(other.id, game)).toBe('FORBIDDEN');
  expect(await ask(other.id, scopeless)).toBe('MISSING_SCOPE');
  expect(await ask(other.id, bot.token)).toBe('FORBIDDEN');
  expect(await ask(bot.listed.id, bot.token)).toBe('VALIDATION_FAILED');
  expect(await ask(bot.listed.id, bot.token, 7)).toBeUndefined();
  expect(await ask(bot.listed.id, bot.token)).toBe('VALIDATION_FAILED');
  expect(await ask(bot.listed.id, bot.token, 7)).toBe('RATE_LIMITED');
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

const at = ({ dashboard }: Listed) => `${dashboard}/tokens`;

/** A listing without tokens, and what reading its statistics with a token answers. */
async function owned(kind: Kind = 'minecraft') {
  const site = await listing();
  const owner = await site.person();
  const listed = await owner.list(kind);
  const status = async (token: string) => (await site.api.get('/webhooks/stats', { token })).verdict;
  return { site, owner, listed, status };
}

const tokensOf = async (owner: Person, listed: Listed) => (await owner.values(at(listed))).tokens;

test('AU-12: a bot’s token can have stats:write, but a game listing’s cannot, alone or beside another, nor no scope, not even by a forged POST', async () => {
  const { owner, listed } = await owned('bot');
  const offered = async (of: Listed) => (await owner.open(at(of))).form(at(of))!.choices.scopes;
  expect(await offered(listed)).toEqual(['stats:write', 'votes:read', 'webhooks:write']);
  for (const kind of GAMES) {
    const game = await owner.list(kind);
    expect([kind, await offered(game)]).toEqual([kind, ['votes:read', 'webhooks:write']]);
    for (const scopes of [['stats:write'], ['votes:read', 'stats:write'], []]) {
      const { status, code, faults } = await owner.press(at(game), at(game), { name: 'forged', scopes });
      expect([status, code('token'), ...Object.keys(faults)], `${kind} ${scopes}`).toEqual([
        422,
        null,
        'scopes',
      ]);
    }
    expect(await tokensOf(owner, game)).toEqual([]);
  }
});

test('AU-14, AU-16: a stranger cannot create, rotate or revoke a listing’s tokens, not even through a listing of their own', async () => {
  const { site, owner, listed, status } = await owned();
  const token = await owner.token(listed, 'votes:read');
  const [{ id }] = await tokensOf(owner, listed);
  const stranger = await site.person();
  const own = await stranger.list();
  await stranger.open(at(own));
  for (const [form, fields] of [
    ['', { name: 'mine', scopes: 'votes:read' }],
    ['/rotate', { token: id }],
    ['/revoke', { token: id }],
  ] as const) {
    expect([form, (await stranger.post(at(listed) + form, fields)).status]).toEqual([form, 403]);
    if (form !== '') await stranger.post(at(own) + form, fields);
  }
  expect([await status(token), await tokensOf(owner, listed)]).toEqual(['200', [expect.anything()]]);
});

const SECTIONS = ['', '/webhook', '/deliveries', '/listener', '/tokens', '/people'];

/** Everything that can be read about a listing: its pages, their values, the API's answers, and the log. */
async function everythingShown(site: Site, owner: Person, { dashboard, page }: Listed, token: string) {
  const { api } = site;
  const addresses = [...SECTIONS.map((section) => dashboard + section), page, '/', '/dashboard', '/account'];
  const pages = await Promise.all(addresses.map(async (address) => (await owner.open(address)).html));
  const values = await Promise.all(addresses.map((address) => owner.values(address)));
  const nowhere = { webhookUrl: 'http://127.0.0.1:1/' };
  const answers = [
    await api.get('/webhooks/votes', { token }),
    await api.get('/webhooks/stats', { token }),
    await api.get('/webhooks/votes/check', { token, query: { userId: '1' } }),
    await api.get('/webhooks/votes/check', { token }),
    await api.post('/webhooks/register', { token, body: nowhere }),
    await api.post('/webhooks/test', { token, body: nowhere }),
    await api.get(`/${token}`, { token: `${token}x` }),
  ];
  const restore = site.lose('votes');
  answers.push(await api.get('/webhooks/votes', { token }));
  expect(answers.at(-1)!.code).toBe('INTERNAL_ERROR');
  restore();
  const heads = answers.map(({ headers }) => [...headers]);
  // A 404 repeats the requested path, which contains the token here.
  const bodies = answers.map(({ body }) => ({ ...body, path: '' }));
  return pages.join() + JSON.stringify([values, bodies, heads, site.log]);
}

test('AU-15, AU-16, NS-35, NS-36: a token is shown when it is created or rotated, and nowhere else; a rotated or revoked one is refused', async () => {
  const { site, owner, listed, status } = await owned();
  const fields = { name: 'a program', scopes: ['votes:read', 'webhooks:write'] };
  const created = await owner.press(at(listed), at(listed), fields);
  const old = created.code('token')!;
  expect(old).toMatch(/^vl_[0-9A-Za-z]{43}$/);
  expect(created.html.split(old)).toHaveLength(2);
  const before = await tokensOf(owner, listed);
  expect(await everythingShown(site, owner, listed, old)).not.toContain(old.slice(3));
  expect([site.bytes().includes('a program'), site.bytes().includes(old.slice(3))]).toEqual([true, false]);

  const fresh = (await owner.press(at(listed), `${at(listed)}/rotate`)).code('token')!;
  expect(await tokensOf(owner, listed)).toEqual(before);
  expect([await status(fresh), await status(old)]).toEqual(['200', '401 INVALID_TOKEN']);
  expect(await everythingShown(site, owner, listed, fresh)).not.toContain(fresh.slice(3));

  await owner.press(at(listed), `${at(listed)}/revoke`);
  expect([await status(fresh), await tokensOf(owner, listed)]).toEqual(['401 INVALID_TOKEN', []]);
  await owner.post(`${at(listed)}/rotate`, { token: before[0].id });
  expect(await tokensOf(owner, listed)).toEqual([]);
});

test('NS-35: a token is listed with its name, its scopes and when it was last used, and never expires', async () => {
  const { site, owner, listed, status } = await owned('bot');
  const used = await owner.token(listed, 'votes:read');
  site.clock.advance(1);
  await owner.token(listed, 'webhooks:write', 'stats:write');
  site.clock.advance(300_000);
  expect(await status(used)).toBe('200');
  const entry = { id: expect.any(String), name: 'a program' };
  expect(await tokensOf(owner, listed)).toEqual([
    {
      ...{ ...entry, scopes: ['votes:read'], createdAt: '2026-06-01T12:00:00.000Z' },
      lastUsedAt: '2026-06-01T12:05:00.001Z',
    },
    {
      ...{ ...entry, scopes: ['stats:write', 'webhooks:write'], createdAt: '2026-06-01T12:00:00.001Z' },
      lastUsedAt: null,
    },
  ]);
  site.clock.advance(3650 * 86_400_000);
  expect(await status(used)).toBe('200');
});

test('AU-17: neither a new nor a rotated token resets a limit', async () => {
  const { site, owner, listed, status } = await owned();
  const reads = async (token: string, count: number) => {
    for (let read = 0; read < count; read++) expect(await status(token)).toBe('200');
  };
  await reads(await owner.token(listed, 'votes:read'), 30);
  const rotated = (await owner.press(at(listed), `${at(listed)}/rotate`)).code('token')!;
  const added = await owner.token(listed, 'votes:read');
  for (const token of [rotated, added]) expect(await status(token)).toBe('429 RATE_LIMITED');
  site.clock.advance(60_000);
  await reads(rotated, 1);
});
