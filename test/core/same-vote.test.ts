import { describe, expect, test } from 'vitest';
import { type ArrivingVote, type KnownVote, sameVote } from '../../src/core/same-vote.ts';
import { claimed } from '../support/votes.ts';

const NOON = Date.parse('2026-06-01T12:00:00.000Z');
const MINUTE = 60_000;
const BLOCK = Buffer.alloc(32, 7);

const known = (facts: Partial<KnownVote> = {}): KnownVote => ({
  id: 1,
  service: 'List',
  recipientId: 5,
  claimedAt: NOON,
  receivedAt: NOON,
  eventId: null,
  blockDigest: null,
  ...facts,
});

const arriving = (facts: Partial<ArrivingVote> = {}): ArrivingVote => ({
  service: 'List',
  recipientId: 5,
  claim: claimed('2026-06-01T12:00:00.000Z'),
  eventId: null,
  blockDigest: null,
  ...facts,
});

const idOf = (vote: ArrivingVote, ...votes: readonly KnownVote[]): number | null =>
  sameVote(vote, votes)?.id ?? null;

describe('two votes are the same (rule 2)', () => {
  test.each<[string, Partial<ArrivingVote>, Partial<KnownVote>, boolean]>([
    ['one event ID of one service', { eventId: 'E', recipientId: 6, claim: null }, { eventId: 'E' }, true],
    [
      'one event ID of two services, at two times',
      { eventId: 'E', service: 'B' },
      { eventId: 'E', claimedAt: 0 },
      false,
    ],
    [
      'one event ID of a renamed service, same player and second',
      { eventId: 'E', service: 'B' },
      { eventId: 'E' },
      true,
    ],
    [
      'one event ID of two services, for two players',
      { eventId: 'E', service: 'B', recipientId: 6 },
      { eventId: 'E' },
      false,
    ],
    ['one v1 block', { blockDigest: BLOCK, claim: null, recipientId: 6 }, { blockDigest: BLOCK }, true],
    ['two v1 blocks', { blockDigest: BLOCK, claim: null }, { blockDigest: Buffer.alloc(32) }, false],
    ['one service, player and time', {}, {}, true],
    ['another service', { service: 'B' }, {}, false],
    ['another player', { recipientId: 6 }, {}, false],
    [
      'another millisecond of two that both name one',
      { claim: claimed('2026-06-01T12:00:00.002Z') },
      { claimedAt: NOON + 1 },
      false,
    ],
    ['whole seconds against milliseconds', {}, { claimedAt: NOON + 999 }, true],
    ['no claimed time', { claim: null }, {}, false],
    ['no stored claimed time', {}, { claimedAt: null, receivedAt: NOON - 1000 }, false],
    [
      'the time of receipt of a vote without a claimed time, with which it was forwarded',
      {},
      { claimedAt: null },
      true,
    ],
    ['two event IDs', { eventId: 'E' }, { eventId: 'F' }, false],
    ['an event ID and none', { eventId: 'E' }, {}, true],
    ['a claim ten minutes before its receipt', {}, { receivedAt: NOON - 10 * MINUTE }, true],
    ['a claim further in the future', {}, { receivedAt: NOON - 10 * MINUTE - 1 }, false],
  ])('by %s', (_, vote, other, isSame) => {
    expect(idOf(arriving(vote), known(other))).toBe(isSame ? 1 : null);
  });

  test('matched by the event ID first, then by the block, then by the time', () => {
    const byTime = known({ id: 1 });
    const byBlock = known({ id: 2, claimedAt: null, blockDigest: BLOCK });
    const byEvent = known({ id: 3, claimedAt: null, eventId: 'E' });
    const vote = arriving({ eventId: 'E', blockDigest: BLOCK });
    expect(idOf(vote, byTime, byBlock, byEvent)).toBe(3);
    expect(idOf(vote, byTime, byBlock)).toBe(2);
    expect(idOf(vote, byTime)).toBe(1);
  });

  test('and the stored vote gets the event ID if only the arriving vote has one', () => {
    expect(sameVote(arriving({ eventId: 'E' }), [known()])).toEqual({ id: 1, getsEventId: true });
    expect(sameVote(arriving(), [known({ eventId: 'E' })])).toEqual({ id: 1, getsEventId: false });
    expect(sameVote(arriving({ eventId: 'E' }), [known({ eventId: 'E' })])).toEqual({
      id: 1,
      getsEventId: false,
    });
  });
});
