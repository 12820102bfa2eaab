import { describe, expect, test } from 'vitest';
import { signBody } from '../../protocol/webhook/signature.ts';
import { reasonSentence } from '../../src/notify/webhook/reasons.ts';
import { freePort } from '../sender/scripted-listener.ts';
import { sink } from '../support/sink.ts';
import { DAY_MS, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const SECRET = 'whsec_for-this-test';

const sendTest = ({ deliveries, listing, sink: { url } }: WebhookFixture, to = url) =>
  deliveries.test(listing, new URL(to));

test('WT-01, WT-02: a test sends one delivery to the URL, marked as a test in body and header', async () => {
  const scene = await webhookFixture();
  const given = await sink(204);
  await sendTest(scene, given.url);
  await scene.pass(DAY_MS);
  expect(given.requests).toHaveLength(1);
  expect(given.requests[0]).toMatchObject({
    json: { test: true, eventId: 'test', event: 'vote.created', data: { listingId: scene.listing.id } },
    headers: { 'x-service-event-id': 'test', 'x-service-attempt': '1' },
  });
  expect(scene.sink.requests).toHaveLength(0);
});

test('WT-03: a test has the header names of a real delivery, and is signed with the stored secret (NS-22)', async () => {
  const scene = await webhookFixture({ secret: SECRET });
  scene.vote();
  await scene.quiet();
  await sendTest(scene);
  const [real, tested] = scene.sink.requests;
  expect(Object.keys(tested!.headers)).toEqual(Object.keys(real!.headers));
  expect(tested!.headers['user-agent']).toBe(real!.headers['user-agent']);
  expect(tested!.headers['content-type']).toBe('application/json');
  expect(tested!.headers['x-webhook-signature']).toBe(signBody(tested!.body, SECRET));
  expect(Object.keys(tested!.json.data)).toEqual(Object.keys(real!.json.data));
});

test('WT-03, WT-04: a test has the 10 s deadline and the address rule of a real delivery, and shows its result', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [() => {}];
  const stalled = sendTest(scene);
  await scene.sink.request(1);
  scene.clock.advance(10_000);
  expect(await stalled).toMatchObject({ delivered: false, httpStatus: null, durationMs: 10_000 });
  expect(await sendTest(scene, 'http://10.0.0.1/')).toMatchObject({
    delivered: false,
    error: expect.stringContaining('10.0.0.1'),
  });
});

test('WT-04: a 204, a 500 and a refused connection give different results', async () => {
  const scene = await webhookFixture();
  expect(await sendTest(scene)).toMatchObject({ delivered: true, httpStatus: 204, error: null });
  scene.sink.answers = [500];
  expect(await sendTest(scene)).toMatchObject({ delivered: false, httpStatus: 500, error: null });
  expect(await sendTest(scene, `http://127.0.0.1:${await freePort()}/`)).toMatchObject({
    delivered: false,
    httpStatus: null,
    error: reasonSentence({ code: 'port-refused' }),
  });
});

describe('NS-23', () => {
  test('WT-01: a failed test is not retried, does not count, and is logged as a test', async () => {
    const scene = await webhookFixture();
    scene.sink.answers = [500];
    for (let tested = 0; tested < 25; tested++) await sendTest(scene);
    await scene.pass(DAY_MS);
    expect(scene.sink.requests).toHaveLength(25);
    expect(await scene.deliveries.log.health(scene.listing.id)).toMatchObject({
      failures: 0,
      disabledAt: null,
    });
    const [row] = (await scene.deliveries.log.page(scene.listing.id, { limit: 1 })).rows;
    expect(row).toMatchObject({ kind: 'test', eventId: null, status: 'failed', nextAttemptAt: null });
    expect(row!.canRedeliver).toBe(false);
  });

  test('a test is sent even if the webhook is paused or missing', async () => {
    const scene = await webhookFixture();
    scene.save({ isActive: false });
    expect(await sendTest(scene)).toMatchObject({ delivered: true });
    const bare = await webhookFixture({ webhook: null, game: null });
    expect(await sendTest(bare)).toMatchObject({ delivered: true });
    expect(Object.keys(bare.sink.requests[0]!.json.data)).not.toContain('game');
  });
});
