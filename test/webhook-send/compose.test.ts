import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { compose, type Wanted } from '../../src/notify/webhook/compose.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { fixedRandom } from '../support/fixed-random.ts';

const WANTED: Wanted = {
  eventId: null,
  isTest: false,
  attempt: 3,
  listingId: 'listing-1',
  userId: '80351110224678912',
  game: 'minecraft',
  playerName: 'Steve',
  secret: null,
};

const composed = (wanted: Partial<Wanted> = {}, random = fixedRandom(0xab)) =>
  compose(
    { ...WANTED, ...wanted },
    { clock: new FakeClock('2026-06-01T12:00:00Z'), random, userAgent: 'Test' },
  );

const json = (wanted: Partial<Wanted>) => JSON.parse(composed(wanted).body.toString());

test('a delivery has the payload and the headers that the service sends', () => {
  const { headers, body } = composed();
  const eventId = '019e830e-1a00-7bab-abab-abababababab';
  expect(JSON.parse(body.toString())).toEqual({
    event: 'vote.created',
    version: 1,
    eventId,
    timestamp: '2026-06-01T12:00:00.000Z',
    test: false,
    data: {
      listingId: 'listing-1',
      listingType: 'game',
      userId: '80351110224678912',
      votedAt: '2026-06-01T12:00:00.000Z',
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      weight: 1,
      game: 'minecraft',
      playerName: 'Steve',
    },
  });
  expect(headers).toEqual({
    'Content-Type': 'application/json',
    'X-Service-Event': 'vote.created',
    'X-Service-Event-Id': eventId,
    'X-Service-Delivery': 'abababab-abab-4bab-abab-abababababab',
    'X-Service-Attempt': '3',
    'User-Agent': 'Test',
  });
});

test('[WH-6] with a secret, the delivery’s bytes are signed', () => {
  const { headers, body } = composed({ secret: 's3cret' });
  const digest = createHmac('sha256', 's3cret').update(body).digest('hex');
  expect(headers['X-Webhook-Signature']).toBe(`sha256=${digest}`);
});

test('[WH-3] a test has the event ID test in the body and in the header', () => {
  expect(json({ isTest: true })).toMatchObject({ test: true, eventId: 'test' });
  expect(composed({ isTest: true }).headers['X-Service-Event-Id']).toBe('test');
});

test('a bot listing’s vote has neither game nor player, and can be cast again after 12 h', () => {
  const { data } = json({ game: null });
  expect(data).toMatchObject({ listingType: 'bot', nextVoteAt: '2026-06-02T00:00:00.000Z' });
  expect(data).not.toHaveProperty('game');
  expect(data).not.toHaveProperty('playerName');
});

test('[WH-4] a game without player names has null for the player', () => {
  expect(json({ game: 'roblox' }).data).toMatchObject({ game: 'roblox', playerName: null });
});

test('[WH-8] each delivery has a new delivery ID, and a new event ID if none is given', () => {
  const made = Array.from({ length: 50 }, () => composed({}, systemRandom));
  expect(new Set(made.map(({ deliveryId }) => deliveryId)).size).toBe(50);
  expect(new Set(made.map(({ eventId }) => eventId)).size).toBe(50);
  expect(composed({ eventId: 'mine' }).eventId).toBe('mine');
});
