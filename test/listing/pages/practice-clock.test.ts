import { expect, test } from 'vitest';
import { listing, type Site } from '../../kit/listing.ts';
import { hooked } from '../../kit/listing-webhook.ts';

const AT = '/practice/clock';
const NOON = '2026-06-01T12:00:00.000Z';

/** A request of a script, without a session. */
async function sendJson(site: Site, body: unknown, more = {}) {
  const headers = { host: `127.0.0.1:${site.port}`, 'content-type': 'application/json', ...more };
  const answer = await site.ask(AT, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const now = async (site: Site): Promise<string> => (await site.visitor().values(AT)).now;

test('the practice clock can be moved forward by a script, and with the buttons and the field on its page; every page says how far ahead it is', async () => {
  const site = await listing({ isPractice: true });
  const visitor = site.visitor();
  expect(await now(site)).toBe(NOON);
  expect((await visitor.open('/')).html).not.toContain('class="site-notice"');
  expect(await sendJson(site, { advance: '24h' })).toEqual({
    status: 200,
    body: { now: '2026-06-02T12:00:00.000Z', offsetMs: 86_400_000 },
  });
  await sendJson(site, { advance: '90m' });
  expect(await now(site)).toBe('2026-06-02T13:30:00.000Z');
  expect((await visitor.press(AT)).tone).toBe('good');
  expect(await now(site)).toBe('2026-06-02T14:30:00.000Z');
  await visitor.post(AT, { advance: '7d' });
  expect(await now(site)).toBe('2026-06-09T14:30:00.000Z');
  const refused = await visitor.post(AT, { advance: 'soon' });
  expect([refused.status, Object.keys(refused.faults)]).toEqual([422, ['advance']]);
  for (const path of ['/', '/sign-in', '/nowhere'])
    expect((await visitor.open(path)).html).toMatch(
      /class="site-notice"[^>]*>[\s\S]*\b8 d\b[\s\S]*\b9 Jun 14:30 UTC/,
    );
});

test('the practice clock ends voting windows, on the pages and in the API, and makes retries due at once', async () => {
  const { site, owner, listed, receiver } = await hooked({ isPractice: true });
  receiver.answers = [500, 204];
  const token = await site.token(listed, 'votes:read');
  const check = async () =>
    (await site.api.get('/webhooks/votes/check', { token, query: { userId: owner.userId } })).body.voted;
  await owner.voteOn(listed);
  await site.quiet();
  const { form } = await owner.open(listed.page);
  expect([await check(), form(`${listed.page}/vote`), receiver.requests.length]).toEqual([true, null, 1]);
  await sendJson(site, { advance: '10s' });
  expect((await receiver.request(2)).headers['x-service-attempt']).toBe('2');
  await sendJson(site, { advance: '24h' });
  expect(await check()).toBe(false);
  expect((await owner.voteOn(listed)).tone).toBe('good');
  expect((await owner.values(listed.page)).votes).toBe(2);
});

test('the practice clock refuses any other duration, a body that is no object, and another site’s page; it goes at most ten years ahead, and keeps its offset when the service restarts', async () => {
  const site = await listing({ isPractice: true });
  for (const advance of [
    ...['-1h', '0h', '0s', '367d', '1y', '24', 'h', '', '1.5h', '1h 30m', ' 1h', '99999999999d'],
    ...[24, null, ['24h'], { advance: '24h' }],
  ]) {
    const { status, body } = await sendJson(site, { advance });
    const faults = Object.keys(body.faults);
    expect([advance, status, body.code, ...faults]).toEqual([advance, 422, 'form-invalid', 'advance']);
  }
  for (const body of [null, '24h', ['24h'], 24]) expect((await sendJson(site, body)).status).toBe(422);
  const foreign = await sendJson(site, { advance: '24h' }, { origin: 'http://evil.example' });
  expect([foreign.status, await now(site)]).toEqual([403, NOON]);
  for (let year = 0; year < 10; year++) expect((await sendJson(site, { advance: '366d' })).status).toBe(200);
  const before = await now(site);
  expect((await sendJson(site, { advance: '1s' })).status).toBe(422);
  expect(await now(site)).toBe(before);
  await site.restart();
  expect((await site.visitor().values(AT)).offsetMs).toBe(3_660 * 86_400_000);
  expect(Date.parse(await now(site)) - site.clock.now()).toBe(3_660 * 86_400_000);
});

test('the practice clock does not exist outside practice', async () => {
  const site = await listing();
  const visitor = site.visitor();
  expect((await visitor.open(AT)).status).toBe(404);
  expect((await visitor.open('/')).html).not.toContain(AT);
  expect((await sendJson(site, { advance: '24h' })).status).toBe(404);
  await visitor.open('/sign-in');
  expect((await visitor.post(AT, { advance: '24h' })).status).toBe(404);
});
