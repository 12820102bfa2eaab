import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import {
  deliveryHeaders,
  encodeVotePayload,
  signBody,
  type VoteFacts,
  VotePayload,
  verifySignature,
} from '../../../protocol/webhook.ts';

const VOTE: VoteFacts = {
  eventId: '0197a3c2-8f00-7a61-9d3e-4f2b6a1c0d5e',
  listingId: 'sample-craft',
  userId: '80351110224678912345',
  votedAt: Date.parse('2026-06-01T12:00:00.123Z'),
  nextVoteAt: Date.parse('2026-06-02T12:00:00.123Z'),
  weight: 2,
  game: 'minecraft',
  playerName: '.Steve_1',
};
const BUILT_AT = Date.parse('2026-06-01T12:00:00.456Z');

const payloadOf = (change: Partial<VoteFacts>): Record<string, unknown> =>
  JSON.parse(encodeVotePayload({ ...VOTE, ...change }, BUILT_AT).toString());

test('a vote’s payload [WH-1] has exactly the fields of version 1', () => {
  expect(payloadOf({})).toEqual({
    event: 'vote.created',
    version: 1,
    eventId: '0197a3c2-8f00-7a61-9d3e-4f2b6a1c0d5e',
    timestamp: '2026-06-01T12:00:00.456Z',
    test: false,
    data: {
      listingId: 'sample-craft',
      listingType: 'game',
      userId: '80351110224678912345',
      votedAt: '2026-06-01T12:00:00.123Z',
      nextVoteAt: '2026-06-02T12:00:00.123Z',
      weight: 2,
      game: 'minecraft',
      playerName: '.Steve_1',
    },
  });
});

test('a vote’s payload [WH-2] is accepted with unknown fields, and refused without any field of version 1', () => {
  const payload = payloadOf({});
  expect(VotePayload.safeParse({ ...payload, colour: 'red' }).success).toBe(true);
  for (const key of Object.keys(payload)) {
    expect(VotePayload.safeParse({ ...payload, [key]: undefined }).success, key).toBe(false);
  }
});

test('a vote’s payload [WH-3] of a test has the event ID test and the field test', () => {
  expect(payloadOf({ eventId: null })).toMatchObject({ eventId: 'test', test: true });
});

test('a vote’s payload [WH-4] has a game only on game listings, and a player name only on Minecraft', () => {
  expect(payloadOf({ game: null }).data).not.toHaveProperty('game');
  expect(payloadOf({ game: null }).data).not.toHaveProperty('playerName');
  expect(payloadOf({ game: null }).data).toMatchObject({ listingType: 'bot' });
  expect(payloadOf({ playerName: null }).data).toMatchObject({ game: 'minecraft', playerName: null });
  expect(payloadOf({ game: 'roblox' }).data).toMatchObject({ game: 'roblox', playerName: null });
});

test('a vote’s payload [WH-5] has the same bytes each time it is encoded for the same vote and time', () => {
  expect(encodeVotePayload(VOTE, BUILT_AT).equals(encodeVotePayload(VOTE, BUILT_AT))).toBe(true);
});

const body = Buffer.from('{"event":"vote.created","snowman":"☃"}\n');
const SECRET = 'whsec_of-this-test';
// printf '{"event":"vote.created","snowman":"☃"}\n' | openssl dgst -sha256 -hmac whsec_of-this-test
const byOpenssl = (): string =>
  execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: body })
    .toString()
    .trim()
    .split(' ')
    .at(-1) ?? '';

test('the signature [WH-6] is sha256= and the lower-case hex that openssl computes from the same bytes', () => {
  expect(signBody(body, SECRET)).toBe(`sha256=${byOpenssl()}`);
  expect(signBody(body, SECRET)).toMatch(/^sha256=[0-9a-f]{64}$/);
});

const good = signBody(body, SECRET);

test('the signature [WH-7] is accepted exactly as it was sent', () => {
  expect(verifySignature(good, body, SECRET)).toBe(true);
});

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['in upper-case hex', good.toUpperCase().replace('SHA256', 'sha256')],
  ['without sha256=', good.slice(7)],
  ['followed by a space', `${good} `],
  ['preceded by a space', ` ${good}`],
  ['cut short', good.slice(0, -1)],
  ['with one digit changed', good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')],
  ['made with another secret', signBody(body, 'another')],
  ['made for other bytes', signBody(Buffer.from('{}'), SECRET)],
  ['a megabyte long', 'x'.repeat(1 << 20)],
])('the signature [WH-7] is refused if it is %s', (_, header) => {
  expect(verifySignature(header, body, SECRET)).toBe(false);
});

test('[WH-8] the headers of an attempt identify only the event and the attempt', () => {
  expect(deliveryHeaders('test', 'b7e0c9f2-5a52-4c8e-9a53-0a3f8c9f1d11', 7)).toEqual({
    'Content-Type': 'application/json',
    'X-Service-Event': 'vote.created',
    'X-Service-Event-Id': 'test',
    'X-Service-Delivery': 'b7e0c9f2-5a52-4c8e-9a53-0a3f8c9f1d11',
    'X-Service-Attempt': '7',
  });
});
