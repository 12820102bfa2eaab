/** Test deliveries: the button of the dashboard, and POST /webhooks/test. */
import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { RESOLVES_INSIDE } from '../../../src/listing/targets/checking-lookup.ts';
import { reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { DAY, listing } from '../../kit/listing.ts';
import { type Hooked, hooked } from '../../kit/listing-webhook.ts';
import { naming } from '../../support/naming.ts';
import { sink } from '../../support/sink.ts';

const NOWHERE = 'http://127.0.0.1:1/hook';

/** Sends a test by the API. */
const trialOf = async ({ site, listed }: Hooked) => {
  const token = await site.token(listed, 'webhooks:write');
  return (webhookUrl: string) => site.api.post('/webhooks/test', { token, body: { webhookUrl } });
};

describe('POST /webhooks/test', () => {
  test('WT-01, WT-02, WT-08, NS-21: sends one delivery to the URL, marked as a test, and keeps the registered webhook', async () => {
    const scene = await hooked();
    const other = await sink(204);
    const before = await scene.owner.values(scene.webhook);
    const { status, body } = await (await trialOf(scene))(other.url);
    expect([status, body]).toEqual([
      200,
      { deliveryId: expect.any(String), delivered: true, httpStatus: 204, durationMs: 0, error: null },
    ]);
    await scene.site.pass(DAY);
    expect(other.requests).toHaveLength(1);
    expect(other.requests[0]).toMatchObject({
      json: { test: true, eventId: 'test', event: 'vote.created', data: { listingId: scene.listed.id } },
      headers: {
        'x-service-event-id': 'test',
        'x-service-attempt': '1',
        'x-service-delivery': body.deliveryId,
      },
    });
    expect(await scene.owner.values(scene.webhook)).toEqual(before);
    await scene.votes(1);
    expect([scene.receiver.requests.length, other.requests.length]).toEqual([1, 1]);
  });

  test('WT-03, NS-22: has the headers, the signature and the fields of a real delivery', async () => {
    const scene = await hooked({ fields: { secret: 'own', ownSecret: 'shared' } });
    await scene.votes(1);
    await (await trialOf(scene))(scene.receiver.url);
    const [real, tested] = scene.receiver.requests;
    expect(Object.keys(tested!.headers)).toEqual(Object.keys(real!.headers));
    for (const name of ['content-type', 'user-agent', 'x-service-event', 'host'])
      expect([name, tested!.headers[name]]).toEqual([name, real!.headers[name]]);
    expect(tested!.headers).toHaveProperty('x-webhook-signature');
    expect(Object.keys(tested!.json)).toEqual(Object.keys(real!.json));
    expect(Object.keys(tested!.json.data)).toEqual(Object.keys(real!.json.data));
  });

  test('WT-03: connects only to the address that was checked, even if the name is rebound to a private one', async () => {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, done) =>
      done(null, [{ address: asked++ === 0 ? '203.0.114.10' : '10.0.0.5', family: 4 }]);
    const site = await listing({ allowTargets: [], lookup });
    const { token } = await site.owned('minecraft', 'webhooks:write');
    const body = { webhookUrl: 'http://turning.example/hook' };
    const answer = await site.api.post('/webhooks/test', { token, body });
    const facts = { detail: `turning.example ${RESOLVES_INSIDE}` };
    expect([answer.status, answer.body]).toMatchObject([
      200,
      {
        delivered: false,
        httpStatus: null,
        error: reasonSentence({ code: 'address-not-allowed', facts }),
      },
    ]);
    expect(asked).toBe(2);
  });

  test('WT-04, WT-05: answers 200 also for a 500, a 302, a refused connection and ten silent seconds', async () => {
    const scene = await hooked();
    const trial = await trialOf(scene);
    scene.receiver.answers = [500, 302, () => {}];
    const { url } = scene.receiver;
    const results = [await trial(url), await trial(url), await trial(NOWHERE)];
    const stalled = trial(url);
    await scene.receiver.request(3);
    scene.site.clock.advance(10_000);
    results.push(await stalled);
    expect(results.map(({ status, body }) => ({ status, ...body }))).toMatchObject([
      { status: 200, delivered: false, httpStatus: 500, error: null },
      { status: 200, delivered: false, httpStatus: 302, error: null },
      { status: 200, delivered: false, httpStatus: null, error: reasonSentence({ code: 'port-refused' }) },
      {
        ...{ status: 200, delivered: false, httpStatus: null, durationMs: 10_000 },
        error: reasonSentence({ code: 'timeout', facts: { phase: 'waiting' } }),
      },
    ]);
  });

  test('WT-01, NS-23: is not retried if it fails, and works while the webhook is paused, disabled or missing', async () => {
    const scene = await hooked();
    const trial = await trialOf(scene);
    await scene.votes(20, 404);
    await trial(scene.receiver.url);
    await scene.save({ active: [] });
    await trial(scene.receiver.url);
    await scene.site.pass(DAY);
    expect(scene.receiver.requests.filter(({ json }) => json.test)).toHaveLength(2);
    const bot = await scene.owner.list('bot');
    const token = await scene.owner.token(bot, 'webhooks:write');
    const body = { webhookUrl: scene.receiver.url };
    expect((await scene.site.api.post('/webhooks/test', { token, body })).body.httpStatus).toBe(404);
    expect(scene.receiver.requests.at(-1)!.json.data).not.toHaveProperty('game');
  });

  test('NS-18: shares its limit of five a minute with the dashboard’s button', async () => {
    const scene = await hooked();
    const trial = await trialOf(scene);
    for (let time = 0; time < 3; time++) expect((await trial(scene.receiver.url)).status).toBe(200);
    for (let time = 0; time < 2; time++) expect((await scene.test()).tone).toBe('good');
    expect((await scene.test()).alerts[0]).toMatchObject({ tone: 'warn', title: naming('60 s') });
    expect(await scene.owner.answer(`${scene.webhook}/test`)).toMatchObject({
      code: 'too-many-tests',
      retryAfterSeconds: 60,
    });
    expect((await trial(scene.receiver.url)).code).toBe('RATE_LIMITED');
    expect(scene.receiver.requests).toHaveLength(5);
    scene.site.clock.advance(60_000);
    await scene.test();
    expect(scene.receiver.requests).toHaveLength(6);
  });
});

describe('Send test event', () => {
  test('WF-02, WF-03: sends `test: true` with the event ID `test`, and shows the status of the answer', async () => {
    const { receiver, test: sendTest } = await hooked();
    const shown = await sendTest();
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]!.json).toMatchObject({
      ...{ test: true, eventId: 'test', event: 'vote.created', version: 1 },
    });
    expect(shown.alerts[0]).toMatchObject({ role: 'status', title: naming('204') });
    for (const status of [500, 404]) {
      receiver.answers = [status];
      expect((await sendTest()).alerts[0]).toMatchObject({ role: 'alert', title: naming(String(status)) });
    }
  });

  test('WF-03: shows the reason if there is no answer', async () => {
    const { test: sendTest } = await hooked({ url: NOWHERE });
    const title = expect.stringContaining(reasonSentence({ code: 'port-refused' }));
    expect((await sendTest()).alerts[0]).toMatchObject({ role: 'alert', title });
  });

  test('VS-09: changes no count of votes and no failure count', async () => {
    const scene = await hooked();
    await scene.votes(1);
    const token = await scene.site.token(scene.listed);
    const numbers = async () => [
      (await scene.site.api.get('/webhooks/stats', { token })).body,
      (await scene.site.api.get('/webhooks/votes', { token })).body,
      (await scene.owner.values(scene.listed.dashboard)).votes,
    ];
    const before = await numbers();
    expect(before[0].totalVotes).toBe(1);
    scene.receiver.answers = [204, 204, 500];
    for (let time = 0; time < 2; time++) await scene.test();
    await (await trialOf(scene))(scene.receiver.url);
    expect(scene.receiver.requests.filter(({ json }) => json.test)).toHaveLength(3);
    expect([await numbers(), await scene.health()]).toEqual([before, 'Healthy']);
  });
});
