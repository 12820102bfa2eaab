/** Limits: for each address over the whole API, and for each listing, across restarts and kills; and what a bot reports. */
import { cpSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listing, MINUTE, SECOND, type Site, turns } from '../../kit/listing.ts';

const CHECK = '/webhooks/votes/check';
const READ = '/webhooks/votes';
const QUERY = { userId: '1' };
const HERE = '127.0.0.9';

test('LM-01, LM-02, LM-03, NS-15, NS-17, ER-08: the limit of an address is 600 requests a minute over the whole API, with any token or none, whatever address a header claims', async () => {
  const site = await listing();
  const tokens = [(await site.owned('bot')).token, (await site.owned('bot')).token];
  const ask = async (path: string, asked = 0, token?: string) => {
    const address = `203.0.113.${asked % 250}`;
    const claimed = { 'X-Forwarded-For': address, 'X-Real-IP': address, 'CF-Connecting-IP': address };
    const headers = { ...claimed, Forwarded: `for=${address}` };
    return site.api.get(path, { headers, query: QUERY, from: HERE, ...(token && { token }) });
  };
  for (let asked = 0; asked < 150; asked++) {
    expect((await ask(CHECK, asked, tokens[asked % 2])).status).toBe(200);
    expect((await ask(CHECK, asked)).code).toBe('INVALID_TOKEN');
    if (asked === 75) site.clock.advance(30_500);
    expect((await ask('/nowhere', asked)).code).toBe('NOT_FOUND');
    expect((await ask('/nowhere', asked, tokens[0])).code).toBe('NOT_FOUND');
  }
  for (const path of ['/webhooks/stats', '/nowhere']) {
    const { verdict, headers } = await ask(path, 0, tokens[0]);
    expect([verdict, headers.get('RateLimit')]).toEqual(['429 RATE_LIMITED', '"address";r=0;t=30']);
  }
  const stats = await site.api.get('/webhooks/stats', { token: tokens[0]!, from: '127.0.0.10' });
  expect(stats.status).toBe(200);
  expect((await ask(CHECK)).body.retryAfterSeconds).toBe(30);
  // Without a ban.
  site.clock.advance(30 * SECOND);
  expect((await ask(CHECK)).status).toBe(401);
});

test('NS-17: the limit of an address is shared by an IPv6 /64, and by an IPv4 address in both of its forms', async () => {
  const site = await listing({ trustedProxies: ['127.0.0.0/8'] });
  const ask = async (address: string) => {
    const headers = { host: `127.0.0.1:${site.port}`, 'x-forwarded-for': address };
    return (await site.ask(`/api/v1${CHECK}`, { headers })).status;
  };
  for (const [one, same, other] of [
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'],
    ['192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2'],
  ] as const) {
    for (let asked = 0; asked < 600; asked++) expect(await ask(asked % 2 === 0 ? one : same)).toBe(401);
    expect([await ask(one), await ask(same), await ask(other)]).toEqual([429, 429, 401]);
  }
});

/** A bot with functions that charge its budgets; a read tells the status, and what is left with its time. */
async function charging(on?: Site) {
  const site = on ?? (await listing());
  const { listed, token, owner } = await site.owned('bot');
  const told = ({ status, headers }: { readonly status: number; readonly headers: Headers }) =>
    `${status} ${/r=.*/.exec(headers.get('RateLimit') ?? '')?.[0] ?? ''}`;
  const read = async () => told(await site.api.get(READ, { token }));
  const reads = async (count: number) => {
    for (let more = 1; more < count; more++) await read();
    return read();
  };
  const check = async (count: number) => {
    const userIds = Array.from({ length: count }, (_, index) => `user${index}`);
    return told(await site.api.post(CHECK, { token, body: { userIds } }));
  };
  const report = (body: unknown = { serverCount: 1 }) =>
    site.api.post(`/bots/${listed.id}/stats`, { token, body });
  const stored = async () => (await owner.values(listed.page)).stats;
  return { site, token, read, reads, check, report, stored };
}

test('NS-16: the whole budget of a listing is available again 60 s after the first charge', async () => {
  const { site, reads } = await charging();
  expect(await reads(10)).toBe('200 r=20;t=60');
  site.clock.advance(59 * SECOND);
  expect(await reads(20)).toBe('200 r=0;t=1');
  expect(await reads(1)).toBe('429 r=0;t=1');
  site.clock.advance(SECOND);
  expect(await reads(1)).toBe('200 r=29;t=60');
});

test('NS-13: a request over the budget of a listing, one that is refused and one that fails cost nothing', async () => {
  const { site, token, read, check, report } = await charging();
  await check(50);
  await check(50);
  expect(await check(21)).toBe('429 r=20;t=60');
  expect(await check(20)).toBe('200 r=0;t=60');
  for (let asked = 0; asked < 40; asked++) await site.api.get(READ, { token, query: { limit: '0' } });
  const restore = site.lose('votes');
  for (let asked = 0; asked < 40; asked++)
    expect((await site.api.get(READ, { token })).code).toBe('INTERNAL_ERROR');
  restore();
  expect(await read()).toBe('200 r=29;t=60');
  const release = site.lock();
  expect((await report()).status).toBe(500);
  release();
  expect([(await report()).status, (await report()).code]).toEqual([200, 'RATE_LIMITED']);
});

test('LM-12: 200 concurrent checks do not exceed the limit of a listing, and of 20 concurrent reports, one succeeds, and that one is stored', async () => {
  const { site, token, report, stored } = await charging();
  const checks = Array.from({ length: 200 }, () => site.api.get(CHECK, { token, query: QUERY }));
  const answers = await Promise.all(checks);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(80);
  const reports = Array.from({ length: 20 }, (_, serverCount) => report({ serverCount }));
  const done = (await Promise.all(reports)).filter(({ status }) => status === 200);
  expect(done).toHaveLength(1);
  expect((await stored()).serverCount).toBe(done[0]!.body.serverCount);
});

test('a clock that is set back does not lock a listing out', async () => {
  const { site, report } = await charging();
  expect([(await report()).status, (await report()).code]).toEqual([200, 'RATE_LIMITED']);
  site.clock.jump(-60 * MINUTE);
  expect((await report()).status).toBe(200);
});

test('NS-16: the limit of a listing is stored once a second; a kill loses at most the charges of the last second', async () => {
  const { site, reads, token } = await charging();
  await reads(5);
  site.clock.advance(SECOND);
  await turns(20);
  await reads(7);
  // What a killed process leaves on the disk.
  const next = await listing();
  await next.restart(() => {
    for (const end of ['', '-wal']) cpSync(site.database + end, next.database + end);
  });
  const { headers } = await next.api.get(READ, { token });
  expect(headers.get('RateLimit')).toMatch(/^"vote-reads";r=24;/);
});

test('NS-16: the limit of a listing is not reset by a restart, nor by a time in which it cannot be stored', async () => {
  const { site, reads, read, report } = await charging();
  await reads(5);
  expect((await report()).status).toBe(200);
  const release = site.lock();
  site.clock.advance(SECOND);
  await expect.poll(() => site.log.map(({ code }) => code)).toContain('budgets-unstored');
  release();
  site.clock.advance(SECOND);
  await turns(20);
  expect(await read()).toMatch(/^200 r=24;/);
  await site.restart();
  expect(await read()).toMatch(/^200 r=23;/);
  expect((await report()).verdict).toBe('429 RATE_LIMITED');
});

test('ST-02, ST-03, ST-04, ST-05, ST-06, NS-34: a report out of its bounds is refused, is not stored and does not count; one within them is accepted', async () => {
  const { site, report, stored } = await charging();
  for (const body of [
    ...[{}, { shardCount: 1 }, { serverCount: 1.5 }, { serverCount: '5' }, { serverCount: true }],
    ...[{ serverCount: null }, { serverCount: [] }, { serverCount: -1 }, { serverCount: 10_000_001 }],
    ...[-1, 10_001, 2.5, '1', null].map((shardCount) => ({ serverCount: 1, shardCount })),
  ])
    expect([body, (await report(body)).verdict]).toEqual([body, '400 VALIDATION_FAILED']);
  expect(await stored()).toBeNull();
  for (const body of [
    ...[{ serverCount: 0 }, { serverCount: 10_000_000 }, { serverCount: 5 }],
    ...[0, 10_000].map((shardCount) => ({ serverCount: 5, shardCount })),
    { serverCount: 5, playerCount: 6, nested: {} },
  ]) {
    expect([body, (await report(body)).status]).toEqual([body, 200]);
    site.clock.advance(MINUTE);
  }
});

test('ST-01, ST-07, ST-08, ST-09: a report is stored and answered with the time of its arrival; a field that the next one omits is cleared', async () => {
  const { site, report, stored } = await charging();
  const sent = { serverCount: 1200, shardCount: 2, updatedAt: '1999-01-01T00:00:00.000Z' };
  const { status, body } = await report(sent);
  expect([status, body]).toEqual([200, { ...sent, updatedAt: '2026-06-01T12:00:00.000Z' }]);
  expect(await stored()).toMatchObject({ serverCount: 1200, shardCount: 2 });
  site.clock.advance(MINUTE);
  const next = await report({ serverCount: 11 });
  expect(Object.keys(next.body)).toEqual(['serverCount', 'updatedAt']);
  expect(await stored()).toMatchObject({ serverCount: 11, shardCount: null });
});

test('ER-08, LM-04, ST-10, ST-11, ST-12, ST-13: the limit of reports is one a minute for each bot; a refused one changes nothing, and works after the stated wait', async () => {
  const { site, report, stored } = await charging();
  const other = await charging(site);
  await report({ serverCount: 10, shardCount: 8 });
  const first = await stored();
  site.clock.advance(12_345);
  const { verdict, body, headers } = await report({ serverCount: 99 });
  expect([verdict, headers.get('Retry-After')]).toEqual(['429 RATE_LIMITED', '48']);
  expect((await other.report({ serverCount: 1 })).status).toBe(200);
  site.clock.advance(body.retryAfterSeconds * 1_000 - 1_000);
  expect((await report({ serverCount: 99 })).status).toBe(429);
  expect(await stored()).toEqual(first);
  site.clock.advance(1_000);
  expect((await report({ serverCount: 3 })).status).toBe(200);
  expect((await stored()).serverCount).toBe(3);
});
