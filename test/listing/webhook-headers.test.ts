import { execFileSync } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import type { SinkRequest } from '../support/sink.ts';
import { SCHEDULE_MS, type WebhookFixtureWanted, webhookFixture } from '../support/webhook-fixture.ts';

const SECRET = 'whsec_for-this-test';
const RFC_4122 = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Five requests: a vote that fails twice and is then delivered, its redelivery, and a test delivery. */
async function everyKind(wanted: WebhookFixtureWanted = {}) {
  const scene = await webhookFixture(wanted);
  scene.sink.answers = [500, 500, 204];
  const vote = scene.vote();
  await scene.ended(1);
  await scene.pass(SCHEDULE_MS[0]!);
  await scene.pass(SCHEDULE_MS[1]!);
  await scene.deliveries.redeliver(scene.listing.id, vote.id);
  await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
  expect(scene.sink.requests).toHaveLength(5);
  return { scene, vote, requests: scene.sink.requests };
}

const header = (requests: readonly SinkRequest[], name: string) =>
  requests.map(({ headers }) => headers[name.toLowerCase()]);

test('HD-01: X-Service-Event is vote.created on votes, retries, redeliveries and tests', async () => {
  const { requests } = await everyKind();
  expect(new Set(header(requests, 'X-Service-Event'))).toEqual(new Set(['vote.created']));
});

test('HD-02: X-Service-Event-Id is the body’s eventId', async () => {
  const { requests, vote } = await everyKind();
  expect(header(requests, 'X-Service-Event-Id')).toEqual(requests.map(({ json }) => json.eventId));
  expect(header(requests, 'X-Service-Event-Id')).toEqual([vote.id, vote.id, vote.id, vote.id, 'test']);
});

test('HD-03, HD-04: X-Service-Delivery is a UUID that differs for each attempt', async () => {
  const { requests } = await everyKind();
  const ids = header(requests, 'X-Service-Delivery');
  for (const id of ids) expect(id).toMatch(RFC_4122);
  expect(new Set(ids).size).toBe(5);
});

test('HD-05: each X-Service-Delivery is in the log, with its outcome', async () => {
  const { scene, requests } = await everyKind();
  const { log } = scene.deliveries;
  const ids = header(requests, 'X-Service-Delivery');
  const details = await Promise.all(ids.map((id) => log.detail(scene.listing.id, String(id))));
  expect(details.map((detail) => detail?.httpStatus)).toEqual([500, 500, 204, 204, 204]);
});

test('HD-06: X-Service-Attempt counts from 1 and continues on redeliveries', async () => {
  const { requests } = await everyKind();
  expect(header(requests, 'X-Service-Attempt')).toEqual(['1', '2', '3', '4', '1']);
});

test('HD-07: a redelivery after six attempts is the seventh', async () => {
  const scene = await webhookFixture();
  scene.sink.answers = [500];
  const vote = scene.vote();
  await scene.ended(1);
  for (const waitMs of SCHEDULE_MS) await scene.pass(waitMs);
  await scene.deliveries.redeliver(scene.listing.id, vote.id);
  expect(header(scene.sink.requests, 'X-Service-Attempt')).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

test('HD-08, NS-38: X-Webhook-Signature equals the one that openssl computes from the exact body bytes', async () => {
  const { requests } = await everyKind({ secret: SECRET });
  for (const { headers, body } of requests) {
    const file = join(temporaryFolder(), 'body');
    writeFileSync(file, body);
    const out = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, '-r', file], {
      encoding: 'utf8',
    });
    expect(headers['x-webhook-signature']).toBe(`sha256=${out.split(' ')[0]}`);
    expect(headers['x-webhook-signature']).toHaveLength(71);
  }
});

test('HD-09: without a secret, a delivery has no signature header', async () => {
  const { requests } = await everyKind();
  for (const { headers } of requests) expect(headers).not.toHaveProperty('x-webhook-signature');
});

/** A receiver's check as documented: the exact header value, in constant time, over the raw bytes. */
function sampleReceiverAccepts({ headers, body }: SinkRequest, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const received = Buffer.from(String(headers['x-webhook-signature'] ?? ''));
  return received.length === expected.length && timingSafeEqual(received, expected);
}

test('HD-10: every delivery passes the signature check in the specification', async () => {
  const { requests } = await everyKind({ secret: SECRET });
  expect(requests.map((request) => sampleReceiverAccepts(request, SECRET))).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(sampleReceiverAccepts(requests[0]!, 'another secret')).toBe(false);
});

test('HD-11: the signature is over the exact bytes, not over reformatted JSON', async () => {
  const { requests } = await everyKind({ secret: SECRET });
  const [first] = requests;
  const reserialised = Buffer.from(JSON.stringify(first!.json, null, 2));
  expect(sampleReceiverAccepts(first!, SECRET)).toBe(true);
  expect(sampleReceiverAccepts({ ...first!, body: reserialised }, SECRET)).toBe(false);
});

test('HD-12: a new secret signs every delivery from the next one on, including retries', async () => {
  const scene = await webhookFixture({ secret: SECRET });
  scene.sink.answers = [500, 204];
  scene.vote();
  await scene.ended(1);
  scene.save({ secret: 'the new one' });
  await scene.pass(SCHEDULE_MS[0]!);
  const retried = await scene.sink.request(2);
  expect(sampleReceiverAccepts(retried, 'the new one')).toBe(true);
  expect(sampleReceiverAccepts(retried, SECRET)).toBe(false);
});

test('HD-09, HD-12: retries are unsigned after the secret is removed', async () => {
  const scene = await webhookFixture({ secret: SECRET });
  scene.sink.answers = [500, 204];
  scene.vote();
  await scene.ended(1);
  scene.save({ secret: null });
  await scene.pass(SCHEDULE_MS[0]!);
  expect((await scene.sink.request(2)).headers).not.toHaveProperty('x-webhook-signature');
});
