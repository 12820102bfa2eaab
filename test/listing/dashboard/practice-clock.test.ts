import { describe, expect, test } from 'vitest';
import { type WholeSite, wholeSite } from '../../support/whole-site.ts';
import { hookedSite } from './hooked-site.ts';

const AT = '/practice/clock';
const NOON = '2026-06-01T12:00:00.000Z';

const now = async (site: WholeSite): Promise<string> => (await site.visitor().values(AT)).now;

describe('the practice clock', () => {
  test('lets a script move wall time forward, and returns the new time', async () => {
    const site = await wholeSite({ isPractice: true });
    expect(await now(site)).toBe(NOON);
    expect(await site.sendJson(AT, { advance: '24h' })).toEqual({
      status: 200,
      body: { now: '2026-06-02T12:00:00.000Z', offsetMs: 86_400_000 },
    });
    await site.sendJson(AT, { advance: '90m' });
    expect(await now(site)).toBe('2026-06-02T13:30:00.000Z');
  });

  test('ends voting windows, on the pages and in the API', async () => {
    const site = await wholeSite({ isPractice: true });
    const owner = await site.person();
    const listing = await owner.list('minecraft');
    const token = await owner.token(listing, 'votes:read');
    const check = async () =>
      (await site.api.get('/webhooks/votes/check', { token, query: { userId: owner.userId } })).body.voted;
    await owner.voteOn(listing);
    expect([await check(), (await owner.open(listing.page)).form(`${listing.page}/vote`)]).toEqual([
      true,
      null,
    ]);
    await site.sendJson(AT, { advance: '24h' });
    expect(await check()).toBe(false);
    expect((await owner.voteOn(listing)).tone).toBe('good');
    expect((await owner.values(listing.page)).votes).toBe(2);
  });

  test('makes retries due at once', async () => {
    const { site, votes, receiver } = await hookedSite({ isPractice: true });
    await votes(1, 500, 204);
    expect(receiver.requests).toHaveLength(1);
    await site.sendJson(AT, { advance: '10s' });
    expect((await receiver.request(2)).headers['x-service-attempt']).toBe('2');
  });

  test('can be moved with the buttons and the field on its page', async () => {
    const site = await wholeSite({ isPractice: true });
    const visitor = site.visitor();
    expect((await visitor.press(AT)).tone).toBe('good');
    expect(await now(site)).toBe('2026-06-01T13:00:00.000Z');
    await visitor.post(AT, { advance: '7d' });
    expect(await now(site)).toBe('2026-06-08T13:00:00.000Z');
    const refused = await visitor.post(AT, { advance: 'soon' });
    expect([refused.status, Object.keys(refused.faults)]).toEqual([422, ['advance']]);
  });

  test.each([
    ...['-1h', '0h', '0s', '367d', '1y', '24', 'h', '', '1.5h', '1h 30m', ' 1h', '99999999999d'],
    ...[24, null, ['24h'], { advance: '24h' }],
  ])('refuses %j with 422', async (advance) => {
    const site = await wholeSite({ isPractice: true });
    const { status, body } = await site.sendJson(AT, { advance });
    expect([status, body.code, Object.keys(body.faults)]).toEqual([422, 'form-invalid', ['advance']]);
    expect(await now(site)).toBe(NOON);
  });

  test('cannot be moved by a body that is not an object, or by another site’s page', async () => {
    const site = await wholeSite({ isPractice: true });
    for (const body of [null, '24h', ['24h'], 24]) expect((await site.sendJson(AT, body)).status).toBe(422);
    const foreign = await site.sendJson(AT, { advance: '24h' }, { origin: 'http://evil.example' });
    expect(foreign.status).toBe(403);
    expect(await now(site)).toBe(NOON);
  });

  test('keeps its offset when the service restarts', async () => {
    const site = await wholeSite({ isPractice: true });
    await site.sendJson(AT, { advance: '24h' });
    await site.restart();
    expect((await site.visitor().values(AT)).offsetMs).toBe(86_400_000);
    expect(Date.parse(await now(site)) - site.clock.now()).toBe(86_400_000);
  });

  test('does not exist outside practice', async () => {
    const site = await wholeSite();
    const visitor = site.visitor();
    expect((await visitor.open(AT)).status).toBe(404);
    expect((await visitor.open('/')).html).not.toContain(AT);
    expect((await site.sendJson(AT, { advance: '24h' })).status).toBe(404);
    await visitor.open('/sign-in');
    expect((await visitor.post(AT, { advance: '24h' })).status).toBe(404);
  });
});

test('the practice clock can be moved at most ten years ahead', async () => {
  const site = await wholeSite({ isPractice: true });
  for (let year = 0; year < 10; year++)
    expect((await site.sendJson(AT, { advance: '366d' })).status).toBe(200);
  const before = await now(site);
  expect((await site.sendJson(AT, { advance: '1s' })).status).toBe(422);
  expect(await now(site)).toBe(before);
});

test('every page says when the practice clock is ahead of real time', async () => {
  const site = await wholeSite({ isPractice: true });
  const visitor = site.visitor();
  expect((await visitor.open('/')).html).not.toContain('class="site-notice"');
  await site.sendJson(AT, { advance: '7d' });
  for (const path of ['/', '/sign-in', '/nowhere'])
    expect((await visitor.open(path)).html).toMatch(
      /class="site-notice"[^>]*>[\s\S]*\b7 d\b[\s\S]*\b8 Jun 12:00 UTC/,
    );
});
