import { describe, expect, test } from 'vitest';
import type { RefusalCount } from '../../src/ledger/ledger.ts';
import { refusalFigures, refusalSenders } from '../../src/operator/trace/refusals.ts';

const row = (sender: string, facts: Partial<RefusalCount> = {}): RefusalCount => ({
  code: 'v1-bad-block',
  service: null,
  sender,
  count: 1,
  lastAt: 1_000,
  ...facts,
});

describe('refusal statistics', () => {
  test('are added up by code and service, newest first, with each sender once', () => {
    const figures = refusalFigures([
      row('192.0.2.2', { lastAt: 3_000 }),
      row('192.0.2.1', { lastAt: 2_000, count: 4 }),
      row('192.0.2.2', { lastAt: 1_000 }),
      row('192.0.2.1', { lastAt: 4_000, code: 'v2-signature', service: 'List' }),
    ]);
    expect(figures).toMatchObject([
      { code: 'v2-signature', service: 'List', count: 1, senders: ['192.0.2.1'] },
      { code: 'v1-bad-block', service: null, count: 6, lastAt: 3_000, senders: ['192.0.2.2', '192.0.2.1'] },
    ]);
  });

  test('leave out the noise that any open port gets', () => {
    expect(refusalFigures([row('192.0.2.1', { code: 'http' })])).toEqual([]);
  });

  test('count an IPv6 /64 as one sender, shown by its latest address', () => {
    const figures = refusalFigures([
      row('2001:db8::9'),
      row('2001:db8::8'),
      row('2001:db8:0:1::1'),
      row('(others)'),
      row(''),
    ]);
    expect(figures[0]?.senders).toEqual(['2001:db8::9', '2001:db8:0:1::1', '(others)', '']);
  });

  test('are computed for 300,000 senders, without comparing each with every other, which would take minutes', () => {
    const rows = Array.from({ length: 300_000 }, (_, n) => row(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`));
    expect(refusalFigures(rows)[0]?.senders).toHaveLength(300_000);
  });
});

test.each([
  [[], 'an unknown sender'],
  [['192.0.2.1'], '192.0.2.1'],
  [['192.0.2.1', '192.0.2.2'], '192.0.2.1 and 1 other'],
  [['192.0.2.1', '192.0.2.2', '192.0.2.3'], '192.0.2.1 and 2 others'],
])('shows the senders %j as %s', (senders, shown) => {
  const [figure] = refusalFigures([row('192.0.2.9')]);
  expect(refusalSenders({ ...figure!, senders })).toBe(shown);
});
