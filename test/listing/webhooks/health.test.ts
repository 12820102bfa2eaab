/** What the owner sees of a webhook's health, when it is disabled, and how it works again. */
import { expect, test } from 'vitest';
import { DAY, RETRIES } from '../../kit/listing.ts';
import { type Hooked, hook, hooked } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';
import { naming } from '../../support/naming.ts';
import { outsideRegions } from '../../support/page-text.ts';

const valuesOf = async ({ owner, webhook }: Hooked) => (await owner.values(webhook)).health;

const register = async ({ site, listed, receiver }: Hooked, more: object = {}) => {
  const token = await site.token(listed);
  await site.api.post('/webhooks/register', { token, body: { webhookUrl: receiver.url, ...more } });
};

test('HL-01, HL-02, HL-03: the health of a webhook is “No deliveries yet”, “Healthy” after a 2xx, “Failing” with the failures in a row, and “No deliveries yet” for another URL', async () => {
  const scene = await hooked();
  expect(await scene.health()).toBe('No deliveries yet');
  await scene.votes(1, 204);
  expect(await scene.health()).toBe('Healthy');
  await scene.votes(3, 404);
  expect(await scene.health()).toBe('Failing (3)');
  await scene.votes(1, 204);
  expect(await scene.health()).toBe('Healthy');
  await scene.votes(1, 404);
  await scene.owner.saveWebhook(scene.listed, (await sink(204)).url);
  expect(await scene.health()).toBe('No deliveries yet');
});

test('HL-06, NS-30: saving a webhook clears its count of failures, to which an attempt that started before adds no failure; the label stays that of the last attempt', async () => {
  const scene = await hooked();
  const saved = async () => {
    await scene.site.pass(1);
    await scene.save();
    return [await scene.health(), (await valuesOf(scene)).failures];
  };
  expect(await saved()).toEqual(['No deliveries yet', 0]);
  await scene.votes(1, 204);
  expect(await saved()).toEqual(['Healthy', 0]);
  await scene.votes(2, 404);
  expect(await saved()).toEqual(['Failing', 0]);
  await scene.votes(1, 404);
  expect(await scene.health()).toBe('Failing (1)');
  const response = await scene.held();
  scene.site.clock.advance(1_000);
  await scene.save();
  response.writeHead(500).end();
  await scene.site.quiet();
  expect((await valuesOf(scene)).failures).toBe(0);
});

test('DO-12, DO-14, DO-17, DO-18, LM-09, HL-01, HL-04: a webhook is disabled by the 20th failed attempt in a row, not the 19th, alone, with an alert at the top of each of its pages; then nothing is sent, neither retries nor new votes, which still count', async () => {
  const scene = await hooked();
  const { site, votes, receiver, owner, webhook, deliveries, listed } = scene;
  await votes(1, 500);
  await votes(18, 404);
  expect(await scene.health()).toBe('Failing (19)');
  expect(await valuesOf(scene)).toMatchObject({ failures: 19, disabledAt: null });
  await votes(1, 404);
  expect(await scene.health()).toBe('Disabled');
  expect(await valuesOf(scene)).toMatchObject({ failures: 20, disabledAt: '2026-06-01T12:00:00.000Z' });
  const { webhook: stored } = await owner.values(webhook);
  expect(stored).toMatchObject({ isActive: false, isPaused: false });
  expect(site.log.map(({ code }) => code)).toContain('webhook-disabled');
  for (const at of [webhook, deliveries, listed.dashboard]) {
    const [first] = (await owner.open(at)).alerts;
    expect(first).toMatchObject({ role: 'alert', title: naming('20') });
    // The listing's name, the breadcrumb and the tabs.
    expect(first!.textAbove).toBeLessThan(130);
  }
  const other = await hook(site, owner, await owner.list());
  await other.votes(1);
  expect(await other.states()).toEqual(['delivered']);

  await votes(2, 204);
  await site.pass(DAY);
  expect([receiver.requests.length, (await owner.values(listed.page)).votes]).toEqual([20, 22]);
  // Enabled again, it does not catch up: the two votes never had an event.
  await owner.press(webhook);
  await site.pass(DAY);
  expect(receiver.requests).toHaveLength(20);
  expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toHaveLength(20);
});

test('DO-13: a webhook is disabled also by retries: the 20th failure is the second attempt of the fourth event', async () => {
  const { votes, spend, receiver, health, owner, deliveries, site } = await hooked();
  for (let event = 0; event < 3; event++) {
    await votes(1, 500);
    await spend();
  }
  await votes(1, 500);
  await site.pass(RETRIES[0]!);
  expect([receiver.requests.length, await health()]).toEqual([20, 'Disabled']);
  const { undelivered } = await owner.values(`${deliveries}/undelivered`);
  expect(undelivered[0]).toMatchObject({ attempts: 2 });
});

test('DO-15, DO-16: a webhook is disabled only by 20 failures after the last 2xx, of which a redelivery can be one', async () => {
  const { votes, redeliver, receiver, health } = await hooked();
  await votes(19, 404);
  await votes(1, 204);
  await votes(19, 404);
  expect(await health()).toBe('Failing (19)');
  await redeliver();
  expect([receiver.requests.length, await health()]).toEqual([40, 'Disabled']);
});

test('a webhook is disabled while attempts in progress end as they are answered', async () => {
  const { site, votes, held, listed, receiver, states, health } = await hooked();
  await votes(19, 404);
  site.clock.advance(1_000); // the log shows the 20 newest events, and those of one instant in any order
  const late = await held();
  receiver.answers = [404];
  await site.cast(listed);
  await expect.poll(health).toBe('Disabled');
  late.writeHead(204).end();
  await expect.poll(states).toContain('delivered');
  expect(await health()).toBe('Disabled');
});

test('HL-05, HL-06, WR-16: a disabled webhook that is registered again gets the next vote, and one whose form is saved unchanged works again, signed as before; 19 more failures do not disable it, the 20th does', async () => {
  const scene = await hooked();
  await scene.votes(20, 404);
  await register(scene, { secret: 'a secret of mine' });
  await scene.votes(1, 204);
  expect([scene.receiver.requests.length, await scene.health()]).toEqual([21, 'Healthy']);
  await scene.votes(19, 404);
  expect(await scene.health()).toBe('Failing (19)');
  await scene.votes(1, 404);
  expect([scene.receiver.requests.length, await scene.health()]).toEqual([41, 'Disabled']);
  expect((await scene.owner.press(scene.webhook)).tone).toBe('good');
  await scene.votes(19, 404);
  expect([scene.receiver.requests.length, await scene.health()]).toEqual([60, 'Failing (19)']);
  expect(scene.receiver.requests.at(-1)!.headers).toHaveProperty('x-webhook-signature');
});

test('DO-19: pausing says on the form that votes cast meanwhile get no event', async () => {
  const { owner, webhook, save } = await hooked();
  expect((await owner.open(webhook)).text).toEqual(naming('no event'));
  expect((await save({ active: [] })).said).toEqual(naming('no event'));
});

test.each([
  ['with the form', ({ save }: Hooked) => save({ active: [] })],
  ['by the API', (scene: Hooked) => register(scene, { isActive: false })],
])(
  'NS-28, HL-01: pausing %s ends events that wait for a retry undelivered at once, and for good',
  async (_, pause) => {
    const scene = await hooked();
    await scene.votes(1, 500);
    await pause(scene);
    expect([await scene.health(), await scene.day()]).toEqual(['Paused', '0 1 0 1']);
    const { webhook } = await scene.owner.values(scene.webhook);
    expect(webhook).toMatchObject({ isActive: false, isPaused: true });
    expect(await scene.events()).toMatchObject([{ state: 'undelivered', nextAttemptAt: null }]);
    await scene.save({ active: ['on'] });
    await scene.site.pass(13 * DAY);
    expect(scene.receiver.requests).toHaveLength(1);
  },
);

test('HL-07: the figures of the last 24 hours are the events that were delivered, failed, are being retried, and ended undelivered, as soon as they have an answer', async () => {
  const scene = await hooked();
  const response = await scene.held();
  expect(await scene.day()).toBe('0 0 0 0');
  scene.receiver.answers = [500];
  response.writeHead(500).end();
  await scene.site.quiet();
  await scene.spend();
  expect(await scene.day()).toBe('0 1 0 1');
  await scene.votes(1, 204);
  expect(await scene.day()).toBe('1 1 0 1');
  await scene.votes(1, 404);
  expect(await scene.day()).toBe('1 2 0 2');
  await scene.votes(1, 500, 204);
  expect(await scene.day()).toBe('1 3 1 2');
  expect(await valuesOf(scene)).toMatchObject({
    day: { delivered: 1, failed: 3, retrying: 1, undelivered: 2 },
    open: { retrying: 1, undelivered: 2 },
  });
  // An event that a retry delivers has still failed once.
  await scene.site.pass(RETRIES[0]!);
  expect(await scene.day()).toBe('2 3 0 2');
  // So has one whose redelivery fails, but not a test.
  scene.receiver.answers = [404];
  await scene.test();
  expect(await scene.day()).toBe('2 3 0 2');
  const delivered = await scene.events('?state=delivered');
  await scene.redeliver(delivered.find(({ attempts }) => attempts === 1).id);
  expect(await scene.day()).toBe('2 4 0 2');
});

test('HL-07: the figures of the last 24 hours leave out older events; those that are open count at any age', async () => {
  const scene = await hooked();
  await scene.votes(1, 204);
  await scene.votes(20, 404);
  await scene.site.pass(DAY - 1);
  expect(await scene.day()).toBe('1 20 0 20');
  await scene.site.pass(1);
  expect(await scene.day()).toBe('0 0 0 0');
  expect((await valuesOf(scene)).open).toEqual({ retrying: 0, undelivered: 20 });
  for (const at of [scene.webhook, scene.listed.dashboard]) {
    const link = new RegExp(`href="${scene.deliveries}\\?state=undelivered">20 `);
    expect((await scene.owner.open(at)).html).toMatch(link);
  }
});

test('Deliveries, while it stays open, refreshes its rows, the health and the alert together, and nothing else', async () => {
  const { owner, deliveries, votes, site, webhook } = await hooked();
  const shown = async () => {
    const { html, badges, alerts, rows } = await owner.open(deliveries);
    return [outsideRegions(html), badges[0], alerts.length, rows.length];
  };
  const [outside] = await shown();
  await votes(2, 404);
  expect(await shown()).toEqual([outside, 'Failing (2)', 0, 2]);
  await votes(18, 404);
  expect(await shown()).toEqual([outside, 'Disabled', 1, 20]);
  await site.pass(DAY);
  await owner.press(webhook);
  expect(await shown()).toEqual([outside, 'Failing', 0, 20]);
});
