import { describe, expect, test } from 'vitest';
import { isPaidHere, isPeriodPaidHere } from '../../src/core/pay.ts';
import type { Channel } from '../../src/core/vote.ts';

const FROM = 1_000;

const received = (receivedAt: number, channel: Channel = 'listener-v2', castAt = receivedAt) => ({
  channel,
  receivedAt,
  castAt,
});

describe('a vote is paid here', () => {
  test('by default', () => {
    expect(isPaidHere(received(0), { mode: 'real', from: null })).toBe(true);
  });

  test('never in shadow, whenever votes are to be paid from', () => {
    expect(isPaidHere(received(5_000), { mode: 'shadow', from: null })).toBe(false);
    expect(isPaidHere(received(5_000), { mode: 'shadow', from: FROM })).toBe(false);
  });

  test.each(['listener-v1', 'listener-v2'] as const)(
    'if it was received by %s at the hand-over or later, whenever it was cast',
    (channel) => {
      const pay = { mode: 'real', from: FROM } as const;
      expect(isPaidHere(received(999, channel), pay)).toBe(false);
      expect(isPaidHere(received(1_000, channel, 400), pay)).toBe(true);
    },
  );

  test.each(['api', 'webhook', 'operator'] as const)(
    'if it was both received and cast at the hand-over or later, by %s',
    (channel) => {
      const pay = { mode: 'real', from: FROM } as const;
      expect(isPaidHere(received(1_500, channel, 999), pay)).toBe(false);
      expect(isPaidHere(received(1_500, channel, 1_000), pay)).toBe(true);
      expect(isPaidHere(received(999, channel, 1_000), pay)).toBe(false);
    },
  );
});

test('what a period earned is paid here if the period ended at the hand-over or later', () => {
  expect(isPeriodPaidHere(999, { mode: 'real', from: FROM })).toBe(false);
  expect(isPeriodPaidHere(1_000, { mode: 'real', from: FROM })).toBe(true);
  expect(isPeriodPaidHere(0, { mode: 'real', from: null })).toBe(true);
  expect(isPeriodPaidHere(5_000, { mode: 'shadow', from: null })).toBe(false);
});
