/** Who may ask the developer API: tokens, their scopes, who creates them, and that they stay secret. */
import { describe, expect, test } from 'vitest';
import { type ApiScope, apiScopes } from '../../../protocol/listing-api/scopes.ts';
import { listing, type Site } from '../../kit/listing.ts';
import type { Kind, Listed, Person } from '../../kit/listing-people.ts';
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

const at = ({ dashboard }: Listed) => `${dashboard}/tokens`;

async function owned(kind: Kind = 'minecraft') {
  const site = await listing();
  const owner = await site.person();
  const listed = await owner.list(kind);
  const status = async (token: string) => {
    const { status, code } = await site.api.get('/webhooks/stats', { token });
    return code ?? status;
  };
  return { site, owner, listed, status };
}

const tokensOf = async (owner: Person, listed: Listed) => (await owner.values(at(listed))).tokens;

describe('scopes', () => {
  test('AU-12: include stats:write for a bot but not for a game server', async () => {
    const { owner, listed } = await owned('bot');
    const offered = async (of: Listed) => (await owner.open(at(of))).form(at(of))!.choices.scopes;
    expect(await offered(listed)).toEqual(['stats:write', 'votes:read', 'webhooks:write']);
    for (const kind of ['minecraft', 'fivem', 'roblox', 'hytale'] as const)
      expect(await offered(await owner.list(kind))).toEqual(['votes:read', 'webhooks:write']);
  });

  test.each(['minecraft', 'fivem', 'roblox', 'hytale'] as const)(
    'AU-12: a %s listing’s token cannot have stats:write, alone or beside another, nor no scope, not even by a forged POST',
    async (kind) => {
      const { owner, listed } = await owned(kind);
      for (const scopes of [['stats:write'], ['votes:read', 'stats:write'], []]) {
        const answer = await owner.press(at(listed), at(listed), { name: 'forged', scopes });
        expect([answer.status, answer.code('token'), Object.keys(answer.faults)]).toEqual([
          ...[422, null, ['scopes']],
        ]);
      }
      expect(await tokensOf(owner, listed)).toEqual([]);
    },
  );
});

describe('AU-14: the right to create, rotate and revoke tokens', () => {
  test('AU-14: is denied to strangers and signed-out visitors, on the page and by forged POST', async () => {
    const { site, owner, listed, status } = await owned();
    const token = await owner.token(listed, 'votes:read');
    const [{ id }] = await tokensOf(owner, listed);
    const [stranger, visitor] = [await site.person(), site.visitor()];
    expect((await stranger.open(at(listed))).status).toBe(403);
    expect((await visitor.open(at(listed))).path).toMatch(/^\/sign-in\?next=/);
    await visitor.open('/sign-in');
    const own = await stranger.list();
    for (const [form, fields] of [
      ['', { name: 'mine', scopes: 'votes:read' }],
      ['/rotate', { token: id }],
      ['/revoke', { token: id }],
    ] as const) {
      expect([form, (await stranger.post(at(listed) + form, fields)).status]).toEqual([form, 403]);
      expect([form, (await visitor.post(at(listed) + form, fields)).path]).toEqual([form, '/sign-in']);
      // AU-16: nor through a listing of their own.
      if (form !== '') await stranger.post(at(own) + form, fields);
    }
    expect([await status(token), await tokensOf(owner, listed)]).toEqual([200, [expect.anything()]]);
  });
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

describe('AU-15: a token is a secret', () => {
  test('AU-15, NS-36: is shown when it is created, and never again in a page, an answer, the log or the database', async () => {
    const { site, owner, listed } = await owned();
    const fields = { name: 'a program', scopes: ['votes:read', 'webhooks:write'] };
    const created = await owner.press(at(listed), at(listed), fields);
    const token = created.code('token')!;
    expect(token).toMatch(/^vl_[0-9A-Za-z]{43}$/);
    expect(created.html.split(token)).toHaveLength(2);
    expect(await everythingShown(site, owner, listed, token)).not.toContain(token.slice(3));
    expect([site.bytes().includes('a program'), site.bytes().includes(token.slice(3))]).toEqual([
      true,
      false,
    ]);
  });

  test('AU-15, AU-16: is shown once after rotation; the new one has the same scopes and works, the old one is refused', async () => {
    const { site, owner, listed, status } = await owned();
    const old = await owner.token(listed, 'votes:read');
    const before = await tokensOf(owner, listed);
    const fresh = (await owner.press(at(listed), `${at(listed)}/rotate`)).code('token')!;
    expect(fresh).not.toBe(old);
    expect(await tokensOf(owner, listed)).toEqual(before);
    expect([await status(fresh), await status(old)]).toEqual([200, 'INVALID_TOKEN']);
    expect(await everythingShown(site, owner, listed, fresh)).not.toContain(fresh.slice(3));
  });

  test('NS-35, AU-16: is refused once it is revoked, is no longer listed, and cannot be rotated', async () => {
    const { owner, listed, status } = await owned();
    const token = await owner.token(listed, 'votes:read');
    const [{ id }] = await tokensOf(owner, listed);
    await owner.press(at(listed), `${at(listed)}/revoke`);
    expect([await status(token), await tokensOf(owner, listed)]).toEqual(['INVALID_TOKEN', []]);
    await owner.post(`${at(listed)}/rotate`, { token: id });
    expect(await tokensOf(owner, listed)).toEqual([]);
  });
});

test('NS-35: a token is listed with its name, its scopes and when it was last used, and never expires', async () => {
  const { site, owner, listed, status } = await owned('bot');
  const used = await owner.token(listed, 'votes:read');
  site.clock.advance(1);
  await owner.token(listed, 'webhooks:write', 'stats:write');
  site.clock.advance(300_000);
  expect(await status(used)).toBe(200);
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
  expect(await status(used)).toBe(200);
});

test('AU-17: neither a new nor a rotated token resets a limit', async () => {
  const { site, owner, listed, status } = await owned();
  const reads = async (token: string, count: number) => {
    for (let read = 0; read < count; read++)
      expect((await site.api.get('/webhooks/stats', { token })).status).toBe(200);
  };
  await reads(await owner.token(listed, 'votes:read'), 30);
  const rotated = (await owner.press(at(listed), `${at(listed)}/rotate`)).code('token')!;
  const added = await owner.token(listed, 'votes:read');
  for (const token of [rotated, added]) expect(await status(token)).toBe('RATE_LIMITED');
  site.clock.advance(60_000);
  await reads(rotated, 1);
});
