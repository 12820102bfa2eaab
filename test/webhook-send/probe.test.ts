import { expect, test } from 'vitest';
import { judgeProbe } from '../../src/notify/webhook/probe.ts';

const answered = (httpStatus: number) =>
  judgeProbe({
    ...{ deliveryId: 'd', delivered: httpStatus < 300, httpStatus },
    ...{ durationMs: 1, error: null },
  }).kind;

test('a receiver that answers a wrong signature with 2xx accepts forged votes, and one that answers 400, 401 or 403 refuses them', () => {
  expect([200, 204].map(answered)).toEqual(['accepted', 'accepted']);
  expect([400, 401, 403].map(answered)).toEqual(['refused', 'refused', 'refused']);
});

test.each([302, 404, 429, 500])('%d says nothing about whether signatures are verified', (status) => {
  expect(answered(status)).toBe('unclear');
});
