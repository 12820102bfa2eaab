import { describe, expect, test } from 'vitest';
import { naming } from '../../support/naming.ts';
import { outsideRegions } from '../../support/outside-regions.ts';
import { sink } from '../../support/sink.ts';
import { DAY_MS, SCHEDULE_MS } from '../../support/webhook-fixture.ts';
import { type HookedSite, hookedSite } from './hooked-site.ts';

/** A site whose webhook was disabled after 20 failures. */
async function disabledSite(wanted: Parameters<typeof hookedSite>[0] = {}): Promise<HookedSite> {
  const hooked = await hookedSite(wanted);
  await hooked.votes(20, 404);
  expect(await hooked.health()).toBe('Disabled');
  return hooked;
}

const total = async ({ owner, listing }: HookedSite) => (await owner.values(listing.page)).votes;

describe('the health of the webhook', () => {
  test('is “No deliveries yet” before the first attempt and “Healthy” after a 2xx (HL-01, HL-02)', async () => {
    const hooked = await hookedSite();
    expect(await hooked.health()).toBe('No deliveries yet');
    await hooked.votes(1);
    expect(await hooked.health()).toBe('Healthy');
  });

  test('is “Failing” with the count of failures in a row, and “Healthy” after one 2xx (HL-01, HL-03)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(3, 404);
    expect(await hooked.health()).toBe('Failing (3)');
    await hooked.votes(1, 204);
    expect(await hooked.health()).toBe('Healthy');
    await hooked.votes(1, 404);
    expect(await hooked.health()).toBe('Failing (1)');
  });

  test('is “Paused” when deliveries are off: nothing is sent, but votes still count (HL-01)', async () => {
    const hooked = await hookedSite();
    await hooked.owner.saveWebhook(hooked.listing, hooked.receiver.url, { active: [] });
    expect(await hooked.health()).toBe('Paused');
    await hooked.votes(1);
    expect([hooked.receiver.requests.length, await total(hooked)]).toEqual([0, 1]);
  });

  test('is “Failing (19)” after 19 failures in a row and “Disabled” after the 20th (HL-01)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(19, 404);
    expect(await hooked.health()).toBe('Failing (19)');
    await hooked.votes(1);
    expect(await hooked.health()).toBe('Disabled');
  });

  test('is reported to scripts as neither active nor paused when the webhook is disabled', async () => {
    const { owner, webhook } = await disabledSite();
    expect((await owner.values(webhook)).webhook).toMatchObject({ isActive: false, isPaused: false });
  });

  test('shows “Disabled” as an alert at the top of every page of the webhook (HL-04)', async () => {
    const { owner, webhook, deliveries, listing } = await disabledSite();
    for (const at of [webhook, deliveries, listing.dashboard]) {
      const [first] = (await owner.open(at)).alerts;
      expect(first).toMatchObject({ role: 'alert', title: naming('20') });
      // The listing's name, the breadcrumb and the tabs.
      expect(first!.textAbove).toBeLessThan(130);
    }
  });

  test('stops all deliveries when disabled, including retries, while votes still count (DO-17)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 500);
    await hooked.votes(19, 404);
    expect(await hooked.health()).toBe('Disabled');
    await hooked.votes(2, 204);
    await hooked.site.pass(DAY_MS);
    expect([hooked.receiver.requests.length, await total(hooked)]).toEqual([20, 22]);
    // Enabled again, it does not catch up: the two votes never had an event.
    await hooked.owner.press(hooked.webhook);
    await hooked.site.pass(DAY_MS);
    expect(hooked.receiver.requests).toHaveLength(20);
    expect((await hooked.owner.open(`${hooked.deliveries}/undelivered`)).rows).toHaveLength(20);
  });
});

test('shows undelivered events of any age, even if the last 24 hours had none', async () => {
  const { site, owner, listing, webhook, deliveries, day } = await disabledSite();
  await site.pass(2 * DAY_MS);
  expect(await day()).toBe('0 0 0 0');
  for (const at of [webhook, listing.dashboard]) {
    const shown = await owner.open(at);
    expect(shown.html).toMatch(new RegExp(`href="${deliveries}\\?state=undelivered">20 `));
  }
});

describe('Deliveries, while it stays open,', () => {
  test('refreshes the rows, the health and the alert together, and nothing else on it changes', async () => {
    const { owner, deliveries, votes, site } = await hookedSite();
    const shown = async () => {
      const { html, badges, alerts, rows } = await owner.open(deliveries);
      return [outsideRegions(html), badges[0], alerts.length, rows.length];
    };
    const [outside] = await shown();
    await votes(2, 404);
    expect(await shown()).toEqual([outside, 'Failing (2)', 0, 2]);
    await votes(18);
    expect(await shown()).toEqual([outside, 'Disabled', 1, 20]);
    await site.pass(DAY_MS);
    await owner.press(deliveries.replace('deliveries', 'webhook'));
    expect(await shown()).toEqual([outside, 'Failing', 0, 20]);
  });
});

describe('saving a webhook', () => {
  test('with the same URL keeps the label of the last delivery, and clears the count of failures (NS-30)', async () => {
    const { site, owner, webhook, votes, health } = await hookedSite();
    const saved = async () => {
      await site.pass(1);
      await owner.press(webhook);
      return [await health(), (await owner.values(webhook)).health.failures];
    };
    expect(await saved()).toEqual(['No deliveries yet', 0]);
    await votes(1, 204);
    expect(await saved()).toEqual(['Healthy', 0]);
    await votes(2, 404);
    expect(await health()).toBe('Failing (2)');
    expect(await saved()).toEqual(['Failing', 0]);
    await votes(1, 204);
    expect(await health()).toBe('Healthy');
  });

  test('with another URL starts again (HL-02)', async () => {
    const { site, owner, listing, votes, health } = await hookedSite();
    await votes(1, 404);
    await site.pass(1);
    await owner.saveWebhook(listing, (await sink(204)).url);
    expect(await health()).toBe('No deliveries yet');
  });
});

describe('pausing a webhook', () => {
  /** Pauses with the form or by the API, and returns what became of an event that waited for its retry. */
  async function pausedBy(pause: (hooked: HookedSite) => Promise<unknown>) {
    const hooked = await hookedSite();
    await hooked.votes(1, 500);
    await pause(hooked);
    const { events } = await hooked.owner.values(hooked.deliveries);
    const listed = (await hooked.owner.open(`${hooked.deliveries}/undelivered`)).rows;
    return [await hooked.health(), await hooked.day(), listed.length, events[0].nextAttemptAt];
  }

  const ENDED = ['Paused', '0 1 0 1', 1, null];

  test('with the form ends events that wait for a retry undelivered at once (NS-28)', async () => {
    const saved = pausedBy(({ owner, listing, receiver }) =>
      owner.saveWebhook(listing, receiver.url, { active: [] }),
    );
    expect(await saved).toEqual(ENDED);
  });

  test('by the API does the same (NS-28)', async () => {
    const registered = pausedBy(async ({ site, owner, listing, receiver }) => {
      const token = await owner.token(listing, 'webhooks:write');
      const body = { webhookUrl: receiver.url, isActive: false };
      await site.api.post('/webhooks/register', { token, body });
    });
    expect(await registered).toEqual(ENDED);
  });

  test('means that votes cast meanwhile get no event: the form says so, and none is sent later (DO-19)', async () => {
    const { site, owner, listing, receiver, webhook, deliveries, votes } = await hookedSite();
    expect((await owner.open(webhook)).text).toEqual(naming('no event'));
    const saved = await owner.saveWebhook(listing, receiver.url, { active: [] });
    expect(saved.said).toEqual(naming('no event'));
    await votes(1);
    await owner.saveWebhook(listing, receiver.url, { active: ['on'] });
    await site.pass(DAY_MS);
    expect([receiver.requests, (await owner.open(deliveries)).rows]).toEqual([[], []]);
  });
});

describe('a webhook that is enabled again', () => {
  test('by registering the same URL gets the next vote (HL-05, WR-16)', async () => {
    const hooked = await disabledSite();
    const token = await hooked.owner.token(hooked.listing, 'webhooks:write');
    const body = { webhookUrl: hooked.receiver.url };
    await hooked.site.api.post('/webhooks/register', { token, body });
    await hooked.votes(1, 204);
    expect(hooked.receiver.requests).toHaveLength(21);
    expect(await hooked.health()).toBe('Healthy');
  });

  test('by registering has its failure count reset: 19 more failures do not disable it, the 20th does (HL-05, WR-16)', async () => {
    const hooked = await disabledSite();
    const token = await hooked.owner.token(hooked.listing, 'webhooks:write');
    const body = { webhookUrl: hooked.receiver.url };
    await hooked.site.api.post('/webhooks/register', { token, body });
    await hooked.votes(19, 404);
    expect(await hooked.health()).toBe('Failing (19)');
    await hooked.votes(1);
    expect(await hooked.health()).toBe('Disabled');
    expect(hooked.receiver.requests).toHaveLength(40);
  });

  test('by saving its form unchanged has its failure count reset: 19 more failures do not disable it (HL-06)', async () => {
    const hooked = await disabledSite({ fields: { secret: 'own', ownSecret: 'a secret of mine' } });
    expect((await hooked.owner.press(hooked.webhook)).tone).toBe('good');
    await hooked.votes(19, 404);
    expect(await hooked.health()).toBe('Failing (19)');
    await hooked.votes(1, 204);
    expect(await hooked.health()).toBe('Healthy');
    expect(hooked.receiver.requests).toHaveLength(40);
    expect(hooked.receiver.requests.at(-1)!.headers).toHaveProperty('x-webhook-signature');
  });
});

describe('the figures of the last 24 hours', () => {
  test('are the events that were delivered, failed, are being retried, and ended undelivered, as after a 4xx (HL-07)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 500);
    for (const pause of SCHEDULE_MS) await hooked.site.pass(pause);
    expect(hooked.receiver.requests).toHaveLength(6);
    expect(await hooked.day()).toBe('0 1 0 1');
    await hooked.votes(1, 204);
    expect(await hooked.day()).toBe('1 1 0 1');
    await hooked.votes(1, 404);
    expect(await hooked.day()).toBe('1 2 0 2');
    await hooked.votes(1, 500);
    expect(await hooked.day()).toBe('1 3 1 2');
    const { health } = await hooked.owner.values(hooked.webhook);
    expect(health).toMatchObject({
      day: { delivered: 1, failed: 3, retrying: 1, undelivered: 2 },
      open: { retrying: 1, undelivered: 2 },
    });
  });

  test('still count an event as failed after a retry delivered it (HL-07)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 500, 204);
    expect(await hooked.day()).toBe('0 1 1 0');
    await hooked.site.pass(10_000);
    expect(await hooked.day()).toBe('1 1 0 0');
  });

  test('leave out older events (HL-07)', async () => {
    const hooked = await hookedSite();
    await hooked.votes(1, 204);
    await hooked.votes(1, 404);
    await hooked.site.pass(DAY_MS - 1);
    expect(await hooked.day()).toBe('1 1 0 1');
    await hooked.site.pass(1);
    expect(await hooked.day()).toBe('0 0 0 0');
  });
});
