import { describe, expect, test } from 'vitest';
import { type ListingService, listingService, MINUTE, SECOND } from '../listing-service.ts';

/** A bot with a function that reports for it. */
async function reportingBot(service: ListingService = listingService()) {
  const { listing, token } = await service.owner('bot');
  const report = (body: unknown) => service.client.post(`/bots/${listing.id}/stats`, { token, body });
  const stored = () => service.store.botStats.find(listing.id);
  return { service, listing, report, stored };
}

test('ST-01 ST-08 ST-09: a report is stored and answered with the time of its arrival', async () => {
  const { service, report, stored } = await reportingBot();
  const { status, body } = await report({
    serverCount: 1200,
    shardCount: 2,
    updatedAt: '1999-01-01T00:00:00.000Z',
  });
  const updatedAt = service.clock.now();
  expect([status, body]).toEqual([
    200,
    { serverCount: 1200, shardCount: 2, updatedAt: new Date(updatedAt).toISOString() },
  ]);
  expect(stored()).toEqual({ serverCount: 1200, shardCount: 2, updatedAt });
});

test.each([
  ['ST-02', {}],
  ['ST-02', { shardCount: 1 }],
  ['ST-03', { serverCount: 1.5 }],
  ['ST-03', { serverCount: '5' }],
  ['ST-03', { serverCount: true }],
  ['ST-03', { serverCount: null }],
  ['ST-03', { serverCount: [] }],
  ['ST-04', { serverCount: -1 }],
  ['ST-04', { serverCount: 10_000_001 }],
  ['ST-06', { serverCount: 1, shardCount: -1 }],
  ['ST-06', { serverCount: 1, shardCount: 10_001 }],
  ['ST-06', { serverCount: 1, shardCount: 2.5 }],
  ['ST-06', { serverCount: 1, shardCount: '1' }],
  ['ST-06', { serverCount: 1, shardCount: null }],
])('%s: the report %j is refused, is not stored and does not count towards the limit', async (_, body) => {
  const { report, stored } = await reportingBot();
  const { status, code } = await report(body);
  expect([status, code, stored()]).toEqual([400, 'VALIDATION_FAILED', null]);
  expect((await report({ serverCount: 1 })).status).toBe(200);
});

test.each([
  ['ST-04', { serverCount: 0 }],
  ['ST-04', { serverCount: 10_000_000 }],
  ['ST-05', { serverCount: 5 }],
  ['ST-06', { serverCount: 5, shardCount: 0 }],
  ['ST-06', { serverCount: 5, shardCount: 10_000 }],
  ['NS-34', { serverCount: 5, playerCount: 6, nested: {} }],
])('%s: the report %j is accepted', async (_, body) => {
  const { report } = await reportingBot();
  expect((await report(body)).status).toBe(200);
});

test('ST-07: a field that a report omits is cleared', async () => {
  const { service, report, stored } = await reportingBot();
  await report({ serverCount: 10, shardCount: 8 });
  service.clock.advance(MINUTE);
  const { body } = await report({ serverCount: 11 });
  expect(Object.keys(body)).toEqual(['serverCount', 'updatedAt']);
  expect(stored()).toMatchObject({ serverCount: 11, shardCount: null });
});

describe('the limit', () => {
  test('ST-10 ST-11 LM-04: refuses a second report within the minute and stores nothing of it', async () => {
    const { service, report, stored } = await reportingBot();
    await report({ serverCount: 10, shardCount: 8 });
    const first = stored();
    service.clock.advance(59 * SECOND);
    const { status, code, headers } = await report({ serverCount: 99 });
    expect([status, code, headers.get('Retry-After')]).toEqual([429, 'RATE_LIMITED', '1']);
    expect(stored()).toEqual(first);
  });

  test('ST-12: is separate for each bot', async () => {
    const a = await reportingBot();
    const b = await reportingBot(a.service);
    await a.report({ serverCount: 1 });
    expect((await a.report({ serverCount: 2 })).status).toBe(429);
    expect((await b.report({ serverCount: 1 })).status).toBe(200);
  });

  test('ST-13 ER-08: lets the next report through after the stated wait', async () => {
    const { service, report, stored } = await reportingBot();
    await report({ serverCount: 1 });
    service.clock.advance(12_345);
    const { body } = await report({ serverCount: 2 });
    service.clock.advance(body.retryAfterSeconds * SECOND);
    expect((await report({ serverCount: 3 })).status).toBe(200);
    expect(stored()?.serverCount).toBe(3);
  });
});
