import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { RESOLVES_INSIDE } from '../../../src/listing/targets/checking-lookup.ts';
import { reasonSentence } from '../../../src/notify/webhook/reasons.ts';
import { naming } from '../../support/naming.ts';
import { sink } from '../../support/sink.ts';
import { wholeSite } from '../../support/whole-site.ts';
import { type HookedSite, hookedSite } from './hooked-site.ts';

const trialOf = async ({ site, owner, listing }: HookedSite) => {
  const token = await owner.token(listing, 'webhooks:write');
  return (webhookUrl: string) => site.api.post('/webhooks/test', { token, body: { webhookUrl } });
};

describe('POST /webhooks/test', () => {
  test('sends the headers and the signature of a real delivery (WT-03)', async () => {
    const hooked = await hookedSite({ fields: { secret: 'own', ownSecret: 'shared' } });
    const trial = await trialOf(hooked);
    await hooked.votes(1);
    await trial(hooked.receiver.url);
    const [real, test] = hooked.receiver.requests;
    expect(Object.keys(test!.headers).sort()).toEqual(Object.keys(real!.headers).sort());
    for (const name of ['content-type', 'user-agent', 'x-service-event', 'host'])
      expect([name, test!.headers[name]]).toEqual([name, real!.headers[name]]);
    expect(test!.headers).toHaveProperty('x-webhook-signature');
    expect(Object.keys(test!.json)).toEqual(Object.keys(real!.json));
    expect(Object.keys(test!.json.data)).toEqual(Object.keys(real!.json.data));
  });

  test('connects only to the address that was checked, even if the name is rebound to a private one (WT-03)', async () => {
    let asked = 0;
    const lookup: LookupFunction = (_name, _options, done) =>
      done(null, [{ address: asked++ === 0 ? '203.0.114.10' : '10.0.0.5', family: 4 }]);
    const site = await wholeSite({ allowTargets: [], lookup });
    const owner = await site.person();
    const token = await owner.token(await owner.list(), 'webhooks:write');
    const body = { webhookUrl: 'http://turning.example/hook' };
    const answer = await site.api.post('/webhooks/test', { token, body });
    expect([answer.status, answer.body.delivered, answer.body.httpStatus]).toEqual([200, false, null]);
    expect(answer.body.error).toBe(
      reasonSentence({
        code: 'address-not-allowed',
        facts: { detail: `turning.example ${RESOLVES_INSIDE}` },
      }),
    );
    expect(asked).toBe(2);
  });

  test('answers 200 with different results for a 204, a 500, a refused connection and ten silent seconds (WT-04, WT-05)', async () => {
    const hooked = await hookedSite();
    const trial = await trialOf(hooked);
    hooked.receiver.answers = [204, 500, () => {}];
    const { url } = hooked.receiver;
    const [ok, failing, refused] = [
      await trial(url),
      await trial(url),
      await trial('http://127.0.0.1:1/hook'),
    ];
    const stalled = trial(url);
    await hooked.receiver.request(3);
    hooked.site.clock.advance(10_000);
    const results = [ok, failing, refused, await stalled].map(({ status, body }) => ({ status, ...body }));
    expect(results).toMatchObject([
      { status: 200, delivered: true, httpStatus: 204, error: null },
      { status: 200, delivered: false, httpStatus: 500, error: null },
      { status: 200, delivered: false, httpStatus: null, error: reasonSentence({ code: 'port-refused' }) },
      {
        status: 200,
        delivered: false,
        httpStatus: null,
        error: reasonSentence({ code: 'timeout', facts: { phase: 'waiting' } }),
      },
    ]);
    expect(results[3]!.durationMs).toBe(10_000);
  });

  test('does not change the registered webhook, which gets the next vote (WT-08)', async () => {
    const hooked = await hookedSite();
    const trial = await trialOf(hooked);
    const other = await sink();
    const before = await hooked.owner.values(hooked.webhook);
    await trial(other.url);
    expect(await hooked.owner.values(hooked.webhook)).toEqual(before);
    await hooked.votes(1);
    expect([hooked.receiver.requests.length, other.requests.length]).toEqual([1, 1]);
    expect(other.requests[0]!.json.test).toBe(true);
    expect(hooked.receiver.requests[0]!.json.test).toBe(false);
  });

  test('shares its limit of five a minute with the dashboard’s button (NS-18)', async () => {
    const hooked = await hookedSite();
    const trial = await trialOf(hooked);
    for (let time = 0; time < 3; time++) expect((await trial(hooked.receiver.url)).status).toBe(200);
    const press = () => hooked.owner.press(hooked.webhook, `${hooked.webhook}/test`);
    for (let time = 0; time < 2; time++) expect((await press()).tone).toBe('good');
    expect((await press()).alerts[0]).toMatchObject({ tone: 'warn', title: naming('60 s') });
    expect(await hooked.owner.answer(`${hooked.webhook}/test`)).toMatchObject({
      code: 'too-many-tests',
      retryAfterSeconds: 60,
    });
    expect((await trial(hooked.receiver.url)).code).toBe('RATE_LIMITED');
    expect(hooked.receiver.requests).toHaveLength(5);
  });
});

describe('the dashboard’s tests', () => {
  test('are limited to five a minute per listing; the sixth sends nothing (NS-18)', async () => {
    const hooked = await hookedSite();
    const press = () => hooked.owner.press(hooked.webhook, `${hooked.webhook}/test`);
    for (let time = 0; time < 5; time++) expect((await press()).tone).toBe('good');
    expect(await hooked.owner.answer(`${hooked.webhook}/test`)).toMatchObject({ code: 'too-many-tests' });
    expect(hooked.receiver.requests).toHaveLength(5);
    hooked.site.clock.advance(60_000);
    await press();
    expect(hooked.receiver.requests).toHaveLength(6);
  });
});
