import { describe, expect, test } from 'vitest';
import { listing, MINUTE, type Site } from '../../kit/listing.ts';

/** A bot with a function that reports for it. */
async function bot(on?: Site) {
  const site = on ?? (await listing());
  const { listed, token, owner } = await site.owned('bot');
  const report = (body: unknown) => site.api.post(`/bots/${listed.id}/stats`, { token, body });
  const stored = async () => (await owner.values(listed.page)).stats;
  return { site, report, stored };
}

test('ST-01, ST-08, ST-09: a report is stored and answered with the time of its arrival', async () => {
  const { report, stored } = await bot();
  const sent = { serverCount: 1200, shardCount: 2, updatedAt: '1999-01-01T00:00:00.000Z' };
  const { status, body } = await report(sent);
  expect([status, body]).toEqual([
    200,
    { serverCount: 1200, shardCount: 2, updatedAt: '2026-06-01T12:00:00.000Z' },
  ]);
  expect(await stored()).toMatchObject({ serverCount: 1200, shardCount: 2 });
});

test('ST-02, ST-03, ST-04, ST-06: a report out of its bounds is refused, is not stored and does not count', async () => {
  const { report, stored } = await bot();
  for (const body of [
    ...[{}, { shardCount: 1 }, { serverCount: 1.5 }, { serverCount: '5' }, { serverCount: true }],
    ...[{ serverCount: null }, { serverCount: [] }, { serverCount: -1 }, { serverCount: 10_000_001 }],
    ...[
      { serverCount: 1, shardCount: -1 },
      { serverCount: 1, shardCount: 10_001 },
    ],
    ...[
      { serverCount: 1, shardCount: 2.5 },
      { serverCount: 1, shardCount: '1' },
    ],
    { serverCount: 1, shardCount: null },
  ]) {
    const { status, code } = await report(body);
    expect([body, status, code, await stored()]).toEqual([body, 400, 'VALIDATION_FAILED', null]);
  }
  expect((await report({ serverCount: 1 })).status).toBe(200);
});

test('ST-04, ST-05, ST-06, NS-34: a report within its bounds is accepted, also with unknown fields', async () => {
  const { site, report } = await bot();
  for (const body of [
    ...[{ serverCount: 0 }, { serverCount: 10_000_000 }, { serverCount: 5 }],
    ...[
      { serverCount: 5, shardCount: 0 },
      { serverCount: 5, shardCount: 10_000 },
    ],
    { serverCount: 5, playerCount: 6, nested: {} },
  ]) {
    expect([body, (await report(body)).status]).toEqual([body, 200]);
    site.clock.advance(MINUTE);
  }
});

test('ST-07: a field that a report omits is cleared', async () => {
  const { site, report, stored } = await bot();
  await report({ serverCount: 10, shardCount: 8 });
  site.clock.advance(MINUTE);
  const { body } = await report({ serverCount: 11 });
  expect(Object.keys(body)).toEqual(['serverCount', 'updatedAt']);
  expect(await stored()).toMatchObject({ serverCount: 11, shardCount: null });
});

describe('the limit', () => {
  test('ST-10, ST-11, LM-04: refuses a second report within the minute and stores nothing of it', async () => {
    const { site, report, stored } = await bot();
    await report({ serverCount: 10, shardCount: 8 });
    const first = await stored();
    site.clock.advance(59_000);
    const { status, code, headers } = await report({ serverCount: 99 });
    expect([status, code, headers.get('Retry-After')]).toEqual([429, 'RATE_LIMITED', '1']);
    expect(await stored()).toEqual(first);
  });

  test('ST-12: is separate for each bot', async () => {
    const a = await bot();
    const b = await bot(a.site);
    await a.report({ serverCount: 1 });
    expect((await a.report({ serverCount: 2 })).status).toBe(429);
    expect((await b.report({ serverCount: 1 })).status).toBe(200);
  });

  test('ST-13, ER-08: lets the next report through after the stated wait', async () => {
    const { site, report, stored } = await bot();
    await report({ serverCount: 1 });
    site.clock.advance(12_345);
    const { body } = await report({ serverCount: 2 });
    site.clock.advance(body.retryAfterSeconds * 1_000 - 1_000);
    expect((await report({ serverCount: 2 })).status).toBe(429);
    site.clock.advance(1_000);
    expect((await report({ serverCount: 3 })).status).toBe(200);
    expect((await stored()).serverCount).toBe(3);
  });

  test('LM-12: of 20 concurrent reports, one succeeds, and that one is stored', async () => {
    const { report, stored } = await bot();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, serverCount) => report({ serverCount })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    expect((await stored()).serverCount).toBe(done[0]!.body.serverCount);
  });
});
