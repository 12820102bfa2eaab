/** What the owner sees of a webhook's health, when it is disabled, and how it works again. */
import { describe, expect, test } from 'vitest';
import { DAY, RETRIES } from '../../kit/listing.ts';
import { type Hooked, type HookedWanted, hook, hooked } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';
import { naming } from '../../support/naming.ts';
import { outsideRegions } from '../../support/page-text.ts';

/** A site whose webhook was disabled after 20 failures. */
async function disabled(wanted: HookedWanted = {}): Promise<Hooked> {
  const scene = await hooked(wanted);
  await scene.votes(20, 404);
  return scene;
}

const valuesOf = async ({ owner, webhook }: Hooked) => (await owner.values(webhook)).health;

const register = async ({ site, listed, receiver }: Hooked, more: object = {}) => {
  const token = await site.token(listed);
  await site.api.post('/webhooks/register', { token, body: { webhookUrl: receiver.url, ...more } });
};

describe('the health of a webhook', () => {
  test('HL-01, HL-02, HL-03: is “No deliveries yet”, “Healthy” after a 2xx, and “Failing” with the failures in a row', async () => {
    const scene = await hooked();
    expect(await scene.health()).toBe('No deliveries yet');
    await scene.votes(1, 204);
    expect(await scene.health()).toBe('Healthy');
    await scene.votes(3, 404);
    expect(await scene.health()).toBe('Failing (3)');
    await scene.votes(1, 204);
    expect(await scene.health()).toBe('Healthy');
  });

  test('HL-02: is “No deliveries yet” again after the URL changed', async () => {
    const scene = await hooked();
    await scene.votes(1, 404);
    await scene.owner.saveWebhook(scene.listed, (await sink(204)).url);
    expect(await scene.health()).toBe('No deliveries yet');
  });

  test('NS-30: saving clears the count; the label stays that of the last attempt', async () => {
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
    await scene.votes(1, 204);
    expect(await scene.health()).toBe('Healthy');
  });

  test('HL-06: an attempt that started before the webhook was saved is no failure', async () => {
    const scene = await hooked();
    const response = await scene.held();
    scene.site.clock.advance(1_000);
    await scene.save();
    response.writeHead(500).end();
    await scene.site.quiet();
    expect((await valuesOf(scene)).failures).toBe(0);
  });
});

describe('a webhook is disabled', () => {
  test('DO-12, DO-14, LM-09, HL-01: by the 20th failed attempt in a row, not the 19th', async () => {
    const scene = await hooked();
    await scene.votes(19, 404);
    expect(await scene.health()).toBe('Failing (19)');
    expect(await valuesOf(scene)).toMatchObject({ failures: 19, disabledAt: null });
    await scene.votes(1, 404);
    expect(await scene.health()).toBe('Disabled');
    expect(await valuesOf(scene)).toMatchObject({
      ...{ failures: 20, disabledAt: '2026-06-01T12:00:00.000Z' },
    });
    expect((await scene.owner.values(scene.webhook)).webhook).toMatchObject({
      ...{ isActive: false, isPaused: false },
    });
    expect(scene.site.log.map(({ code }) => code)).toContain('webhook-disabled');
  });

  test('DO-13: also by retries: the 20th failure is the second attempt of the fourth event', async () => {
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

  test('DO-15: also by a redelivery after 19 failures', async () => {
    const { votes, redeliver, receiver, health } = await hooked();
    await votes(19, 404);
    await redeliver();
    expect([receiver.requests.length, await health()]).toEqual([20, 'Disabled']);
  });

  test('DO-16: only by 20 failures after the last 2xx', async () => {
    const { votes, health } = await hooked();
    await votes(19, 404);
    await votes(1, 204);
    await votes(19, 404);
    expect(await health()).toBe('Failing (19)');
  });

  test('HL-04: with an alert at the top of every page of the webhook', async () => {
    const { owner, webhook, deliveries, listed } = await disabled();
    for (const at of [webhook, deliveries, listed.dashboard]) {
      const [first] = (await owner.open(at)).alerts;
      expect(first).toMatchObject({ role: 'alert', title: naming('20') });
      // The listing's name, the breadcrumb and the tabs.
      expect(first!.textAbove).toBeLessThan(130);
    }
  });

  test('DO-17: and then nothing is sent, neither retries nor new votes, which still count', async () => {
    const { site, votes, receiver, owner, webhook, deliveries, listed, health } = await hooked();
    await votes(1, 500);
    await votes(19, 404);
    expect(await health()).toBe('Disabled');
    await votes(2, 204);
    await site.pass(DAY);
    expect([receiver.requests.length, (await owner.values(listed.page)).votes]).toEqual([20, 22]);
    // Enabled again, it does not catch up: the two votes never had an event.
    await owner.press(webhook);
    await site.pass(DAY);
    expect(receiver.requests).toHaveLength(20);
    expect((await owner.values(`${deliveries}/undelivered`)).undelivered).toHaveLength(20);
  });

  test('DO-18: alone: the webhooks of other listings deliver', async () => {
    const { site, owner } = await disabled();
    const other = await hook(site, owner, await owner.list());
    await other.votes(1);
    expect(await other.states()).toEqual(['delivered']);
  });

  test('while attempts in progress end as they are answered', async () => {
    const { site, votes, held, listed, receiver, states, health } = await hooked();
    await votes(19, 404);
    const late = await held();
    receiver.answers = [404];
    await site.cast(listed);
    await expect.poll(health).toBe('Disabled');
    late.writeHead(204).end();
    await site.quiet();
    const delivered = (await states()).filter((state) => state === 'delivered');
    expect([delivered, await health()]).toEqual([['delivered'], 'Disabled']);
  });
});

describe('a disabled webhook', () => {
  test('HL-05, WR-16: that is registered again gets the next vote, and 19 more failures do not disable it, the 20th does', async () => {
    const scene = await disabled();
    await register(scene);
    await scene.votes(1, 204);
    expect([scene.receiver.requests.length, await scene.health()]).toEqual([21, 'Healthy']);
    await scene.votes(19, 404);
    expect(await scene.health()).toBe('Failing (19)');
    await scene.votes(1, 404);
    expect([scene.receiver.requests.length, await scene.health()]).toEqual([41, 'Disabled']);
  });

  test('HL-06: whose form is saved unchanged works again, signed as before, and 19 more failures do not disable it', async () => {
    const scene = await disabled({ fields: { secret: 'own', ownSecret: 'a secret of mine' } });
    expect((await scene.owner.press(scene.webhook)).tone).toBe('good');
    await scene.votes(19, 404);
    expect(await scene.health()).toBe('Failing (19)');
    expect(scene.receiver.requests).toHaveLength(39);
    expect(scene.receiver.requests.at(-1)!.headers).toHaveProperty('x-webhook-signature');
  });
});

describe('pausing', () => {
  test.each([
    ['with the form', ({ save }: Hooked) => save({ active: [] })],
    ['by the API', (scene: Hooked) => register(scene, { isActive: false })],
  ])(
    'NS-28, HL-01: %s ends events that wait for a retry undelivered at once, and for good',
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

  test('DO-19: says on the form that votes cast meanwhile get no event', async () => {
    const { owner, webhook, save } = await hooked();
    expect((await owner.open(webhook)).text).toEqual(naming('no event'));
    expect((await save({ active: [] })).said).toEqual(naming('no event'));
  });
});

describe('HL-07: the figures of the last 24 hours', () => {
  test('HL-07: are the events that were delivered, failed, are being retried, and ended undelivered', async () => {
    const scene = await hooked();
    await scene.votes(1, 500);
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
  });

  test('HL-07: leave out older events; those that are open count at any age', async () => {
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

  test('HL-07: do not count an event whose first attempt is in progress', async () => {
    const scene = await hooked();
    await scene.held();
    expect(await scene.day()).toBe('0 0 0 0');
  });

  test('HL-07: count a failed redelivery, but no failed test', async () => {
    const scene = await hooked();
    await scene.votes(1, 204, 404);
    await scene.test();
    expect(await scene.day()).toBe('1 0 0 0');
    await scene.redeliver((await scene.events()).find(({ kind }) => kind === 'vote').id);
    expect(await scene.day()).toBe('1 1 0 0');
  });
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
