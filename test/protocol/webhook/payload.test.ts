import { expect, test } from 'vitest';
import { encodeVotePayload, VotePayload } from '../../../protocol/webhook.ts';

const VOTE = {
  eventId: '0197a3c2-8f00-7a61-9d3e-4f2b6a1c0d5e',
  listingId: 'sample-craft',
  userId: '80351110224678912345',
  votedAt: Date.parse('2026-06-01T12:00:00.123Z'),
  nextVoteAt: Date.parse('2026-06-02T12:00:00.123Z'),
  weight: 2,
  game: 'minecraft',
  playerName: '.Steve_1',
} as const;
const BUILT_AT = Date.parse('2026-06-01T12:00:00.456Z');

test('a vote’s payload [WH-2] is accepted with unknown fields, and refused without any field of version 1', () => {
  const payload = JSON.parse(encodeVotePayload(VOTE, BUILT_AT).toString());
  expect(VotePayload.safeParse({ ...payload, colour: 'red' }).success).toBe(true);
  for (const key of Object.keys(payload)) {
    expect(VotePayload.safeParse({ ...payload, [key]: undefined }).success, key).toBe(false);
  }
});
