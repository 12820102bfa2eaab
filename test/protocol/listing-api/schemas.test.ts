import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ErrorBody, VoteCheck } from '../../../protocol/listing-api.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const FAILURE = {
  statusCode: 404,
  error: 'Not Found',
  code: 'NOT_FOUND',
  message: 'there is nothing at /api/v2',
  path: '/api/v2',
  timestamp: '2026-06-01T12:00:00.000Z',
};

test('[API-2] [API-3] errors are valid only with all their fields and one of these codes', () => {
  expect(accepts(ErrorBody, FAILURE)).toBe(true);
  expect(accepts(ErrorBody, { ...FAILURE, code: 'TEAPOT' })).toBe(false);
  for (const key of Object.keys(FAILURE))
    expect(accepts(ErrorBody, { ...FAILURE, [key]: undefined }), key).toBe(false);
});

test.each([
  ['2026-06-01T12:00:00.123Z', true],
  ['2026-06-01T12:00:00Z', false],
  ['2026-06-01T14:00:00.123+02:00', false],
  [1_780_000_000_000, false],
])('[API-4] the time %j is valid: %s', (votedAt, isValid) => {
  expect(accepts(VoteCheck, { voted: true, votedAt, nextVoteAt: null })).toBe(isValid);
});
