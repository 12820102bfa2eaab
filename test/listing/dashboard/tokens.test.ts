import { describe, expect, test } from 'vitest';
import { sink } from '../../support/sink.ts';
import { type WholeSite, wholeSite } from '../../support/whole-site.ts';
import type { Listed, Person } from './browser.ts';

const at = ({ dashboard }: Listed) => `${dashboard}/tokens`;

async function owned(kind: 'bot' | 'minecraft' = 'minecraft') {
  const site = await wholeSite();
  const owner = await site.person();
  return { site, owner, listing: await owner.list(kind) };
}

const tokensOf = async (owner: Person, listing: Listed) => (await owner.values(at(listing))).tokens;

describe('scopes', () => {
  test('include stats:write for a bot but not for a game server (AU-12)', async () => {
    const { owner, listing } = await owned('bot');
    const offered = async (of: Listed) => (await owner.open(at(of))).form(at(of))!.choices.scopes;
    expect(await offered(listing)).toEqual(['stats:write', 'votes:read', 'webhooks:write']);
    for (const kind of ['minecraft', 'fivem', 'roblox', 'hytale'] as const)
      expect(await offered(await owner.list(kind))).toEqual(['votes:read', 'webhooks:write']);
  });

  test.each([
    ['alone', ['stats:write']],
    ['beside another', ['votes:read', 'stats:write']],
  ])(
    'cannot include stats:write %s on a game server, not even by a forged POST (AU-12)',
    async (_how, scopes) => {
      const { owner, listing } = await owned();
      const answer = await owner.press(at(listing), at(listing), { name: 'forged', scopes });
      expect([answer.status, answer.code('token')]).toEqual([422, null]);
      expect(answer.faults.scopes).toBeDefined();
      expect(await tokensOf(owner, listing)).toEqual([]);
    },
  );

  test('let a game server’s token read votes and register a webhook, which gets the next vote (AU-13)', async () => {
    const { site, owner, listing } = await owned();
    const receiver = await sink();
    const token = await owner.token(listing, 'votes:read', 'webhooks:write');
    const body = { webhookUrl: receiver.url };
    expect((await site.api.post('/webhooks/register', { token, body })).status).toBe(200);
    await site.vote(listing);
    await site.quiet();
    expect(receiver.requests).toHaveLength(1);
    expect((await site.api.get('/webhooks/votes', { token })).body).toHaveLength(1);
  });

  test('let a bot’s token with stats:write report its statistics (AU-05)', async () => {
    const { site, owner, listing } = await owned('bot');
    const token = await owner.token(listing, 'stats:write');
    const answer = await site.api.post(`/bots/${listing.id}/stats`, { token, body: { serverCount: 7 } });
    expect([answer.status, answer.body.serverCount]).toEqual([200, 7]);
  });
});

describe('the right to create tokens', () => {
  test('belongs to the owner and managers (AU-14)', async () => {
    const { site, owner, listing } = await owned();
    const manager = await site.person();
    await owner.invite(listing, manager);
    for (const person of [owner, manager]) {
      const token = await person.token(listing, 'votes:read');
      expect((await site.api.get('/webhooks/stats', { token })).status).toBe(200);
    }
    expect(await tokensOf(owner, listing)).toHaveLength(2);
  });

  test('is denied to strangers and signed-out visitors, on the page and by forged POST (AU-14)', async () => {
    const { site, owner, listing } = await owned();
    const [stranger, visitor] = [await site.person(), site.visitor()];
    expect((await stranger.open(at(listing))).status).toBe(403);
    expect((await visitor.open(at(listing))).path).toMatch(/^\/sign-in\?next=/);
    const asked = { name: 'mine', scopes: 'votes:read' };
    expect((await stranger.post(at(listing), asked)).status).toBe(403);
    const refused = await visitor.post(at(listing), asked);
    expect([refused.path, refused.code('token')]).toEqual(['/sign-in', null]);
    expect(await tokensOf(owner, listing)).toEqual([]);
  });

  test('is also needed to rotate or revoke a token (AU-14)', async () => {
    const { site, owner, listing } = await owned();
    const token = await owner.token(listing, 'votes:read');
    const [{ id }] = await tokensOf(owner, listing);
    const stranger = await site.person();
    const own = await stranger.list();
    for (const change of ['rotate', 'revoke']) {
      expect((await stranger.post(`${at(listing)}/${change}`, { token: id })).status).toBe(403);
      // Through a listing of their own.
      await stranger.post(`${at(own)}/${change}`, { token: id });
      expect((await site.api.get('/webhooks/stats', { token })).status).toBe(200);
    }
  });
});

const SECTIONS = ['', '/webhook', '/deliveries', '/listener', '/tokens', '/people'];

/** Everything that can be read about a listing: its pages, their values, and the API's responses. */
async function everythingShown(
  { api }: WholeSite,
  owner: Person,
  { dashboard, page }: Listed,
  token: string,
) {
  const addresses = [...SECTIONS.map((section) => dashboard + section), page, '/', '/dashboard', '/account'];
  const pages = await Promise.all(addresses.map(async (address) => (await owner.open(address)).html));
  const values = await Promise.all(addresses.map((address) => owner.values(address)));
  const answers = [
    await api.get('/webhooks/votes', { token }),
    await api.get('/webhooks/stats', { token }),
    await api.get('/webhooks/votes/check', { token, query: { userId: '1' } }),
    await api.get('/webhooks/votes/check', { token }),
    await api.post('/webhooks/register', { token, body: { webhookUrl: 'http://127.0.0.1:1/' } }),
    await api.post('/webhooks/test', { token, body: { webhookUrl: 'http://127.0.0.1:1/' } }),
    await api.get(`/${token}`, { token: `${token}x` }),
  ];
  const heads = answers.map(({ headers }) => [...headers]);
  // A 404 repeats the requested path, which contains the token here.
  const bodies = answers.map(({ body }) => ({ ...body, path: '' }));
  return pages.join() + JSON.stringify([values, bodies, heads]);
}

describe('a token is a secret', () => {
  test('is shown when it is created, and never again in a page, a response or the log (AU-15)', async () => {
    const { site, owner, listing } = await owned();
    const created = await owner.press(at(listing), at(listing), {
      name: 'a program',
      scopes: ['votes:read', 'webhooks:write'],
    });
    const token = created.code('token')!;
    expect(token).toMatch(/^vl_[0-9A-Za-z]{40,}$/);
    expect(created.html.split(token)).toHaveLength(2);
    expect(await everythingShown(site, owner, listing, token)).not.toContain(token);
    expect(JSON.stringify(site.lines)).not.toContain(token);
  });

  test('is shown once after rotation; the new one works and the old one is refused (AU-15, AU-16)', async () => {
    const { site, owner, listing } = await owned();
    const old = await owner.token(listing, 'votes:read');
    const fresh = (await owner.press(at(listing), `${at(listing)}/rotate`)).code('token')!;
    expect(fresh).not.toBe(old);
    expect((await site.api.get('/webhooks/stats', { token: fresh })).status).toBe(200);
    expect((await site.api.get('/webhooks/stats', { token: old })).code).toBe('INVALID_TOKEN');
    expect(await everythingShown(site, owner, listing, fresh)).not.toContain(fresh);
    expect(JSON.stringify(site.lines)).not.toContain(fresh);
    expect(await tokensOf(owner, listing)).toHaveLength(1);
  });

  test('is refused once it is revoked (AU-16)', async () => {
    const { site, owner, listing } = await owned();
    const token = await owner.token(listing, 'votes:read');
    await owner.press(at(listing), `${at(listing)}/revoke`);
    expect((await site.api.get('/webhooks/stats', { token })).code).toBe('INVALID_TOKEN');
    expect(await tokensOf(owner, listing)).toEqual([]);
  });
});

describe('limits belong to the listing', () => {
  const reads = async ({ api }: WholeSite, token: string, count: number) => {
    for (let read = 0; read < count; read++)
      expect((await api.get('/webhooks/stats', { token })).status).toBe(200);
  };

  test('rotating a token does not reset the limit (AU-17)', async () => {
    const { site, owner, listing } = await owned();
    await reads(site, await owner.token(listing, 'votes:read'), 30);
    const token = (await owner.press(at(listing), `${at(listing)}/rotate`)).code('token')!;
    expect((await site.api.get('/webhooks/stats', { token })).code).toBe('RATE_LIMITED');
    await site.pass(60_000);
    await reads(site, token, 1);
  });

  test('tokens of one listing share its budget; those of another listing have their own (AU-18)', async () => {
    const { site, owner, listing } = await owned();
    const [one, two] = [await owner.token(listing, 'votes:read'), await owner.token(listing, 'votes:read')];
    const other = await owner.token(await owner.list(), 'votes:read');
    await reads(site, one, 15);
    await reads(site, two, 15);
    expect((await site.api.get('/webhooks/stats', { token: one })).code).toBe('RATE_LIMITED');
    expect((await site.api.get('/webhooks/stats', { token: two })).code).toBe('RATE_LIMITED');
    await reads(site, other, 30);
  });
});
