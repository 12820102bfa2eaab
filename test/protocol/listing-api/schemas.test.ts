import { expect, test } from 'vitest';
import type { z } from 'zod';
import {
  apiErrors,
  BotStatsReport,
  ErrorBody,
  VoteCheck,
  VoteCheckBatch,
  VoteCheckQuery,
  VoteRecords,
  VotesQuery,
  WebhookRegistration,
} from '../../../protocol/listing-api.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const FAILURE = {
  statusCode: 404,
  error: 'Not Found',
  code: 'NOT_FOUND',
  message: 'there is nothing at /api/v2',
  path: '/api/v2',
  timestamp: '2026-06-01T12:00:00.000Z',
};

test('[API-2] [API-3] errors are one of nine codes with the status that the specification gives each', () => {
  const statuses = Object.entries(apiErrors).map(([code, { status }]) => `${status} ${code}`);
  expect(statuses).toEqual([
    '400 VALIDATION_FAILED',
    '400 WEBHOOK_URL_INVALID',
    '400 WEBHOOK_URL_NOT_PUBLIC',
    '401 INVALID_TOKEN',
    '401 MISSING_SCOPE',
    '403 FORBIDDEN',
    '404 NOT_FOUND',
    '429 RATE_LIMITED',
    '500 INTERNAL_ERROR',
  ]);
});

test('[API-2] [API-3] errors are valid only with all their fields and one of these codes', () => {
  expect(accepts(ErrorBody, FAILURE)).toBe(true);
  expect(accepts(ErrorBody, { ...FAILURE, code: 'TEAPOT' })).toBe(false);
  for (const key of Object.keys(FAILURE))
    expect(accepts(ErrorBody, { ...FAILURE, [key]: undefined }), key).toBe(false);
});

test.each([
  [{ serverCount: 0 }, true],
  [{ serverCount: 10_000_000, shardCount: 10_000 }, true],
  [{ serverCount: 10_000_001 }, false],
  [{ serverCount: -1 }, false],
  [{ serverCount: 1.5 }, false],
  [{ serverCount: '5' }, false],
  [{ serverCount: null }, false],
  [{ shardCount: 1 }, false],
  [{ serverCount: 1, shardCount: 10_001 }, false],
  [{ serverCount: 1, shardCount: '1' }, false],
])('a bot’s report %j is valid: %s', (report, isValid) => {
  expect(accepts(BotStatsReport, report)).toBe(isValid);
});

test.each([
  ['2026-06-01T12:00:00.123Z', true],
  ['2026-06-01T12:00:00Z', false],
  ['2026-06-01T14:00:00.123+02:00', false],
  [1_780_000_000_000, false],
])('[API-4] the time %j is valid: %s', (votedAt, isValid) => {
  expect(accepts(VoteCheck, { voted: true, votedAt, nextVoteAt: null })).toBe(isValid);
});

test.each([
  [{ userId: '80351110224678912345' }, true],
  [{ playerName: '.Steve_1' }, true],
  [{}, false],
  [{ userId: '1', playerName: 'Steve' }, false],
  [{ userId: '' }, false],
  [{ userId: 'a b' }, false],
  [{ userId: 'x'.repeat(65) }, false],
  [{ playerName: 'a\nb' }, false],
  [{ playerName: 'x'.repeat(33) }, false],
])('[API-5] [API-6] [API-7] a check with the query %j is valid: %s', (query, isValid) => {
  expect(accepts(VoteCheckQuery, query)).toBe(isValid);
});

test.each([
  [{ userIds: ['1'] }, true],
  [{ userIds: Array(50).fill('1') }, true],
  [{ userIds: Array(51).fill('1') }, false],
  [{ userIds: [] }, false],
  [{ userIds: [1] }, false],
  [{ userIds: [null] }, false],
  [{ userIds: '1' }, false],
  [{ playerNames: ['__proto__', 'constructor'] }, true],
  [{ userIds: ['1'], playerNames: ['Steve'] }, false],
  [{}, false],
  [[], false],
  ['1', false],
])('[API-5] [API-6] [API-7] a check of a batch with the body %j is valid: %s', (body, isValid) => {
  expect(accepts(VoteCheckBatch, body)).toBe(isValid);
});

test.each([
  [{}, true],
  [{ startDate: '2026-06-01', endDate: '2026-06-01T12:00:00+02:00', limit: '100' }, true],
  [{ limit: '1' }, true],
  [{ limit: '0' }, false],
  [{ limit: '101' }, false],
  [{ limit: '1.5' }, false],
  [{ limit: 'abc' }, false],
  [{ limit: '' }, false],
  [{ startDate: '2026-02-30' }, false],
  [{ startDate: 'yesterday' }, false],
])('[API-8] the filter %j is valid: %s', (query, isValid) => {
  expect(accepts(VotesQuery, query)).toBe(isValid);
});

test('[API-9] votes are a bare array', () => {
  const vote = {
    id: '0197a3c2-8f00-7a61-9d3e-4f2b6a1c0d5e',
    userId: '1',
    votedAt: '2026-06-01T12:00:00.123Z',
    metadata: {},
  };
  expect(accepts(VoteRecords, [vote, { ...vote, metadata: { playerName: 'Steve' } }])).toBe(true);
  expect(accepts(VoteRecords, { votes: [vote] })).toBe(false);
});

const webhookUrl = 'https://example.com/votes';

test('[API-10] a webhook’s registration gets defaults for missing fields', () => {
  expect(WebhookRegistration.parse({ webhookUrl })).toEqual({
    webhookUrl,
    events: ['vote.created'],
    isActive: true,
  });
});

test.each([
  [{ webhookUrl, secret: 's', events: ['vote.created'], isActive: false }, true],
  [{ webhookUrl, something: 'else' }, true],
  [{}, false],
  [{ webhookUrl: null }, false],
  [{ webhookUrl, secret: '' }, false],
  [{ webhookUrl, secret: 'a\nb' }, false],
  [{ webhookUrl, events: [] }, false],
  [{ webhookUrl, events: ['vote.created', 'x'] }, false],
  [{ webhookUrl, events: 'vote.created' }, false],
  [{ webhookUrl, isActive: 'true' }, false],
])('[API-10] a webhook’s registration %j is valid: %s', (registration, isValid) => {
  expect(accepts(WebhookRegistration, registration)).toBe(isValid);
});
