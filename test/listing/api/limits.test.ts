/** Limits: for each address over the whole API, and for each listing, across restarts and kills. */
import { cpSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { clientOf } from '../../../src/web/client-network.ts';
import { listing, MINUTE, SECOND, turns } from '../../kit/listing.ts';

const CHECK = '/webhooks/votes/check';
const READ = '/webhooks/votes';
const QUERY = { userId: '1' };
const HERE = '127.0.0.9';

describe('the limit of an address', () => {
  test('LM-01, LM-02, LM-03, NS-15, NS-17, ER-08: is 600 requests a minute over the whole API, with any token or none, whatever address a header claims', async () => {
    const site = await listing();
    const tokens = [(await site.owned('bot')).token, (await site.owned('bot')).token];
    const ask = async (path: string, asked = 0, token?: string) => {
      const address = `203.0.113.${asked % 250}`;
      const headers = {
        'X-Forwarded-For': address,
        'X-Real-IP': address,
        Forwarded: `for=${address}`,
        'CF-Connecting-IP': address,
      };
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
      const { status, code, headers } = await ask(path, 0, tokens[0]);
      expect([status, code, headers.get('RateLimit')]).toEqual([429, 'RATE_LIMITED', '"address";r=0;t=30']);
    }
    const stats = await site.api.get('/webhooks/stats', { token: tokens[0]!, from: '127.0.0.10' });
    expect(stats.status).toBe(200);
    expect((await ask(CHECK)).body.retryAfterSeconds).toBe(30);
    // Without a ban.
    site.clock.advance(30 * SECOND);
    expect((await ask(CHECK)).status).toBe(401);
  });

  test('NS-17: is shared by an IPv6 /64', async () => {
    const site = await listing({ trustedProxies: ['127.0.0.0/8'] });
    const ask = async (address: string) => {
      const headers = { host: `127.0.0.1:${site.port}`, 'x-forwarded-for': address };
      return (await site.ask(`/api/v1${CHECK}`, { headers })).status;
    };
    for (let asked = 0; asked < 300; asked++) {
      expect(await ask('2001:db8:1:2::1')).toBe(401);
      expect(await ask('2001:db8:1:2:ffff::9')).toBe(401);
    }
    expect([await ask('2001:db8:1:2:3:4:5:6'), await ask('2001:db8:1:3::1')]).toEqual([429, 401]);
  });

  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['unknown', 'unknown'],
  ])('NS-17: %j counts as %j', (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});

/** A bot with functions that charge its budgets; each tells the status, and what is left with its time. */
async function charging() {
  const site = await listing();
  const { listed, token } = await site.owned('bot');
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
  const report = async () => {
    const path = `/bots/${listed.id}/stats`;
    return (await site.api.post(path, { token, body: { serverCount: 1 } })).status;
  };
  return { site, listed, token, read, reads, check, report };
}

describe('the limit of a listing', () => {
  test('NS-16: the whole budget is available again 60 s after the first charge', async () => {
    const { site, reads } = await charging();
    expect(await reads(10)).toBe('200 r=20;t=60');
    site.clock.advance(59 * SECOND);
    expect(await reads(20)).toBe('200 r=0;t=1');
    expect(await reads(1)).toBe('429 r=0;t=1');
    site.clock.advance(SECOND);
    expect(await reads(1)).toBe('200 r=29;t=60');
  });

  test('NS-13: a request over the budget, one that is refused and one that fails cost nothing', async () => {
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
    expect(await report()).toBe(500);
    release();
    expect([await report(), await report()]).toEqual([200, 429]);
  });

  test('LM-12: 200 concurrent checks do not exceed it', async () => {
    const { site, token } = await charging();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => site.api.get(CHECK, { token, query: QUERY })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(80);
  });

  test('a clock that is set back does not lock a listing out', async () => {
    const { site, report } = await charging();
    expect([await report(), await report()]).toEqual([200, 429]);
    site.clock.jump(-60 * MINUTE);
    expect(await report()).toBe(200);
  });

  test('NS-16: is not reset by a restart', async () => {
    const { site, reads, read, report } = await charging();
    await reads(5);
    await report();
    await site.restart();
    expect(await read()).toMatch(/^200 r=24;/);
    expect(await report()).toBe(429);
  });

  test('NS-16: is stored once a second; a kill loses at most the charges of the last second', async () => {
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

  test('NS-16: is kept while it cannot be stored, and stored once the database can be written again', async () => {
    const { site, reads, read } = await charging();
    await reads(5);
    const release = site.lock();
    site.clock.advance(SECOND);
    await expect.poll(() => site.log.map(({ code }) => code)).toContain('budgets-unstored');
    release();
    site.clock.advance(SECOND);
    await turns(20);
    await site.restart();
    expect(await read()).toMatch(/^200 r=24;/);
  });
});
