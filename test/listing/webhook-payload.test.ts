import { describe, expect, test } from 'vitest';
import { GAMES } from '../../protocol/webhook/payload.ts';
import { addListing } from '../support/listing-rows.ts';
import {
  DAY_MS,
  HOUR_MS,
  SCHEDULE_MS,
  type WebhookFixtureWanted,
  webhookFixture,
} from '../support/webhook-fixture.ts';

/** The delivery of one vote. */
async function delivered(wanted: WebhookFixtureWanted = {}, player: string | null = null) {
  const scene = await webhookFixture(wanted);
  const vote = scene.vote({ player });
  return { scene, vote, request: await scene.sink.request(1) };
}

describe('every delivery', () => {
  test('PL-01: is an HTTP POST with a JSON body', async () => {
    const { request } = await delivered();
    expect(request.method).toBe('POST');
    expect(request.headers['content-type']).toBe('application/json');
    expect(request.body.toString()).toBe(JSON.stringify(request.json));
  });

  test('PL-02, PL-03: has the event vote.created and version 1, as a number', async () => {
    const { request } = await delivered();
    expect(request.json).toMatchObject({ event: 'vote.created', version: 1 });
  });

  test('PL-06: has the ISO 8601 UTC time at which it was built', async () => {
    const { request, scene } = await delivered();
    expect(request.json.timestamp).toBe('2026-06-01T12:00:00.000Z');
    expect(Date.parse(request.json.timestamp)).toBe(scene.clock.now());
  });

  test('PL-08: has the listing’s ID, which never changes', async () => {
    const { scene } = await delivered();
    scene.vote();
    const second = await scene.sink.request(2);
    expect(second.json.data.listingId).toBe(scene.listing.id);
  });

  test('PL-19: has at least the fields of version 1', async () => {
    const { request } = await delivered({ game: 'minecraft' });
    const top = ['event', 'version', 'eventId', 'timestamp', 'test', 'data'];
    expect(Object.keys(request.json)).toEqual(expect.arrayContaining(top));
    const data = [
      'listingId',
      'listingType',
      'userId',
      'votedAt',
      'nextVoteAt',
      'weight',
      'game',
      'playerName',
    ];
    expect(Object.keys(request.json.data)).toEqual(expect.arrayContaining(data));
  });

  test('PL-18: has neither username nor avatarUrl', async () => {
    const { request } = await delivered();
    expect(request.body.toString()).not.toMatch(/username|avatar/i);
  });
});

test('PL-04, PL-10: three failures, a success and a redelivery have the same event ID and cast time', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500, 500, 500, 200];
  const vote = scene.vote();
  await scene.ended(1);
  for (const waitMs of SCHEDULE_MS.slice(0, 3)) await scene.pass(waitMs);
  await scene.deliveries.redeliver(scene.listing.id, vote.id);

  expect(scene.sink.requests).toHaveLength(5);
  for (const { json } of scene.sink.requests) {
    expect(json.eventId).toBe(vote.id);
    expect(json.data.votedAt).toBe('2026-06-01T12:00:00.000Z');
  }
});

test('PL-05: 200 votes have 200 different event IDs', async () => {
  const scene = await webhookFixture();
  for (let vote = 0; vote < 200; vote++) scene.vote();
  await scene.ended(200);
  expect(new Set(scene.sink.requests.map(({ json }) => json.eventId)).size).toBe(200);
});

test('PL-07: a vote has test false, a test delivery has test true', async () => {
  const { scene, request } = await delivered();
  await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
  const tested = await scene.sink.request(2);
  expect([request.json.test, tested.json.test]).toEqual([false, true]);
});

test('PL-09: a long user ID is sent as a string with every digit', async () => {
  const scene = await webhookFixture();
  scene.vote({ userId: '1234567890123456789' });
  const { json, body } = await scene.sink.request(1);
  expect(json.data.userId).toBe('1234567890123456789');
  expect(body.toString()).toContain('"userId":"1234567890123456789"');
});

test.each([
  ['bot', null, 12],
  ['game server', 'minecraft', 24],
] as const)('PL-11: on a %s the next vote is exactly its window later', async (_kind, game, hours) => {
  const { request } = await delivered({ game });
  const { votedAt, nextVoteAt } = request.json.data;
  expect(Date.parse(String(nextVoteAt)) - Date.parse(String(votedAt))).toBe(hours * HOUR_MS);
});

test.each([[1], [2.5]])('PL-12: the weight of a vote, %d, is a number', async (weight) => {
  const { request } = await delivered({ weight });
  expect(request.json.data.weight).toBe(weight);
});

test('PL-13, PL-14: a bot’s vote has neither game nor playerName', async () => {
  const { request } = await delivered({ game: null });
  expect(request.json.data.listingType).toBe('bot');
  expect(Object.keys(request.json.data)).not.toContain('game');
  expect(Object.keys(request.json.data)).not.toContain('playerName');
});

test.each(GAMES)(
  'PL-13, PL-15, PL-16: a vote on a %s listing has its game, and null as the player',
  async (game) => {
    const { request } = await delivered({ game });
    expect(request.json.data).toMatchObject({ listingType: 'game', game, playerName: null });
  },
);

test.each(['Steve', '.Steve_1'])('PL-17: the player %s is sent as entered', async (player) => {
  const { request } = await delivered({ game: 'minecraft' }, player);
  expect(request.json.data.playerName).toBe(player);
});

test('PL-06, PL-10, NS-24: a retry hours later sends the same bytes as the first attempt', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500];
  scene.vote();
  await scene.ended(1);
  for (const waitMs of SCHEDULE_MS) await scene.pass(waitMs);
  const bodies = scene.sink.requests.map(({ body }) => body.toString());
  expect(bodies).toHaveLength(6);
  expect(new Set(bodies).size).toBe(1);
});

test('PL-08: two listings have different IDs', async () => {
  const { scene, request } = await delivered();
  const other = addListing(scene.database, { name: 'Other' });
  scene.save({}, other);
  scene.clock.advance(DAY_MS);
  scene.vote({}, other);
  const { json } = await scene.sink.request(2);
  expect(json.data.listingId).toBe(other.id);
  expect(json.data.listingId).not.toBe(request.json.data.listingId);
});
