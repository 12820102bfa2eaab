import { describe, expect, test } from 'vitest';
import { REQUESTS_PER_MINUTE } from '../../../src/listing/api/address-limit.ts';
import { clientOf } from '../../../src/web/client-network.ts';
import { listingService, SECOND } from '../listing-service.ts';
import { serveApi } from '../served-api.ts';

const CHECK = '/webhooks/votes/check';
const QUERY = { userId: '1' };

describe('the limit of an address', () => {
  test('LM-01 NS-17: is 600 requests a minute over the whole API, with any tokens', async () => {
    const service = listingService({ requestsPerMinute: REQUESTS_PER_MINUTE });
    const tokens = [];
    for (let made = 0; made < 6; made++) tokens.push((await service.owner('bot')).token);
    for (let asked = 0; asked < 600; asked++) {
      const token = tokens[asked % 6] ?? '';
      expect((await service.client.get(CHECK, { token, query: QUERY })).status).toBe(200);
    }
    const token = (await service.owner()).token;
    const { status, code, headers } = await service.client.get('/webhooks/stats', { token });
    expect([status, code]).toEqual([429, 'RATE_LIMITED']);
    expect(headers.get('RateLimit')).toBe('"address";r=0;t=60');
    expect((await service.client.get('/webhooks/stats', { token, from: '192.0.2.2' })).status).toBe(200);
  });

  test('LM-02 NS-15: includes requests without a token and requests to unknown paths', async () => {
    const { client } = listingService({ requestsPerMinute: 4 });
    const codes = [];
    for (const path of [CHECK, '/nowhere', CHECK, '/nowhere', CHECK, '/nowhere']) {
      codes.push((await client.get(path)).code);
    }
    expect(codes).toEqual([
      'INVALID_TOKEN',
      'NOT_FOUND',
      'INVALID_TOKEN',
      'NOT_FOUND',
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
  });

  test('LM-03: cannot be evaded with a header that claims another address', async () => {
    const { client } = listingService({ requestsPerMinute: 5 });
    for (let asked = 0; asked < 8; asked++) {
      const address = `203.0.113.${asked}`;
      const headers = {
        'X-Forwarded-For': address,
        'X-Real-IP': address,
        Forwarded: `for=${address}`,
        'CF-Connecting-IP': address,
      };
      expect((await client.get(CHECK, { headers })).status).toBe(asked < 5 ? 401 : 429);
    }
  });

  test('LM-01 ER-08: ends after the stated wait, without a ban', async () => {
    const { client, clock } = listingService({ requestsPerMinute: 2 });
    await client.get(CHECK);
    clock.advance(30_500);
    await client.get(CHECK);
    for (let asked = 0; asked < 50; asked++) await client.get(CHECK);
    const { body } = await client.get(CHECK);
    expect(body.retryAfterSeconds).toBe(30);
    clock.advance(30 * SECOND);
    expect((await client.get(CHECK)).status).toBe(401);
  });

  test('NS-17: is shared by an IPv6 /64, and by both spellings of an IPv4 address', async () => {
    const { client } = listingService({ requestsPerMinute: 2 });
    const ask = async (from: string) => (await client.get(CHECK, { from })).status;
    expect(await ask('2001:db8:1:2::1')).toBe(401);
    expect(await ask('2001:db8:1:2:ffff::9')).toBe(401);
    expect(await ask('2001:db8:1:2:3:4:5:6')).toBe(429);
    expect(await ask('2001:db8:1:3::1')).toBe(401);
    expect(await ask('::ffff:192.0.2.9')).toBe(401);
    expect(await ask('192.0.2.9')).toBe(401);
    expect(await ask('::ffff:192.0.2.9')).toBe(429);
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

  test('LM-03: uses the address of the connection and ignores X-Forwarded-For', async () => {
    const service = listingService({ requestsPerMinute: 3 });
    const { ask } = await serveApi(service);
    const statuses = [];
    for (let asked = 0; asked < 5; asked++) {
      statuses.push((await ask('GET', CHECK, { 'X-Forwarded-For': `203.0.113.${asked}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});

describe('concurrent requests do not exceed a limit', () => {
  test('LM-12: exactly 120 of 200 concurrent single checks succeed', async () => {
    const service = listingService();
    const { token } = await service.owner('bot');
    const { ask } = await serveApi(service);
    const Authorization = `Bearer ${token}`;
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask('GET', `${CHECK}?userId=1`, { Authorization })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(answers.filter(({ code }) => code === 'RATE_LIMITED')).toHaveLength(80);
  });

  test('LM-12: of 20 concurrent reports, one succeeds, and that one is stored', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, serverCount) =>
        service.client.post(`/bots/${listing.id}/stats`, { token, body: { serverCount } }),
      ),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    expect(service.store.botStats.find(listing.id)?.serverCount).toBe(done[0]?.body.serverCount);
  });
});

test('ER-11: the service still answers after it was sent a body of 1 MB', async () => {
  const service = listingService();
  const { token } = await service.owner('bot');
  const { ask } = await serveApi(service);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  for (let round = 0; round < 3; round++) {
    expect((await ask('POST', CHECK, headers, '['.repeat(1_000_000))).code).toBe('VALIDATION_FAILED');
    expect((await ask('POST', CHECK, headers, '{"userIds":["1"]}')).status).toBe(200);
  }
});
