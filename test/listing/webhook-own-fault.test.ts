import { expect, onTestFinished, test } from 'vitest';
import { targetRule } from '../../src/listing/targets/target-rule.ts';
import { WebhookDeliveries } from '../../src/listing/webhooks/webhook-deliveries.ts';
import { failureOf } from '../../src/notify/webhook/reasons.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { listingInProcess } from '../support/listing-in-process.ts';
import { silentLog } from '../support/log.ts';
import { resolver } from '../support/names.ts';
import { turns, webhookFixture } from '../support/webhook-fixture.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  '%s counts as the service’s own fault in every phase of a request',
  (code) => {
    for (const phase of ['connecting', 'securing', 'waiting', 'answering'] as const) {
      expect(failureOf(fault(code), phase)).toEqual({
        reason: { code: 'out-of-sockets', facts: { detail: code } },
        isOurFault: true,
      });
    }
    expect(failureOf(fault('ECONNRESET'), 'waiting').isOurFault).toBe(false);
  },
);

test('DO-12: an attempt that fails because the service is out of sockets does not count and is repeated', async () => {
  const { database, clock, deliveries: first, sink, listing, vote } = await webhookFixture();
  await first.close();
  let wanting = 30;
  const deliveries = new WebhookDeliveries({
    ...{ ...listingInProcess(database, { clock }), clock, random: systemRandom, log: silentLog },
    targets: targetRule({ lookup: resolver({}), allowTargets: ['127.0.0.0/8'], channelHosts: [] }),
    post: async () =>
      wanting-- > 0
        ? {
            kind: 'failed',
            reason: { code: 'out-of-sockets', facts: { detail: 'EMFILE' } },
            isOurFault: true,
          }
        : { kind: 'answered', status: 204, retryAfter: null, response: '' },
    retryScheduleMs: [10_000],
    userAgent: 'Test',
    listingLink: () => null,
  });
  onTestFinished(() => deliveries.close());
  const cast = vote();
  deliveries.start();
  for (let pause = 0; pause < 31; pause++) {
    await turns(5);
    clock.advance(5_000);
  }
  await turns(5);
  expect(await deliveries.log.health(listing.id)).toMatchObject({ label: 'Healthy', failures: 0 });
  expect((await deliveries.log.page(listing.id, { limit: 99 })).rows.map(({ status }) => status)).toEqual([
    ...['delivered'],
    ...Array(30).fill('interrupted'),
  ]);
  expect((await deliveries.log.page(listing.id, { limit: 1 })).rows[0]?.eventId).toBe(cast.id);
  expect(sink.requests).toHaveLength(0);
});

test('waiting events of a removed listing end undelivered and are not sent', async () => {
  const { database, sink, listing, vote, state, pass } = await webhookFixture();
  sink.answers = [500];
  const cast = vote();
  await pass(0);
  expect(sink.requests).toHaveLength(1);
  database.prepare('UPDATE listings SET removed_at = 1 WHERE id = ?').run(listing.id);
  await pass(12_000);
  expect(state(cast)).toBe('undelivered');
  expect(sink.requests).toHaveLength(1);
});
