import { expect, test } from 'vitest';
import type { ReportAnswer } from '../../src/votes/intake/intake.ts';
import { DAY_MS, SCHEDULE_MS, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';
import { SECRET, SITES, siteWith, type WebhookScene, webhookIn } from './receiving.ts';

/** The listing service's own sender, and a receiver with its secret and its listing. */
async function both(secret = SECRET): Promise<{ sender: WebhookFixture; place: WebhookScene; url: string }> {
  const sender = await webhookFixture({ secret });
  const sites = new Map([...SITES, ['List.example', siteWith('/vote', SECRET, sender.listing.id)]]);
  const place = await webhookIn({ sites });
  const url = `http://127.0.0.1:${place.port}/vote`;
  sender.save({ url });
  return { sender, place, url };
}

test('RC-01, RC-02: records what the listing service sends, once even if it is sent again', async () => {
  const { sender, place } = await both();
  const vote = sender.vote({ player: 'Steve' });
  await sender.quiet();
  expect(sender.state(vote)).toBe('delivered');
  expect(place.votes()).toEqual([`${vote.id} steve rewarded`]);
  await sender.pass(89 * DAY_MS);
  place.clock.advance(89 * DAY_MS);
  expect(await sender.deliveries.redeliver(sender.listing.id, vote.id)).toMatchObject({
    kind: 'sent',
    result: { delivered: true, httpStatus: 200 },
  });
  expect([place.votes().length, place.grants()]).toEqual([1, 1]);
});

test('many votes at once are all recorded, each once', async () => {
  const { sender, place } = await both();
  for (let n = 0; n < 40; n++) sender.vote({ player: `Voter${n}` });
  await sender.quiet();
  expect([place.votes().length, place.grants()]).toEqual([40, 40]);
});

test('RC-03: a test delivery from the listing service is answered 200 and leaves nothing behind', async () => {
  const { sender, place, url } = await both();
  expect(await sender.deliveries.test(sender.listing, new URL(url))).toMatchObject({
    delivered: true,
    httpStatus: 200,
  });
  expect([place.votes(), place.grants()]).toEqual([[], 0]);
});

test('a vote that could not be stored is sent again, and then recorded', async () => {
  const { sender, place } = await both();
  place.database.pragma('query_only = 1');
  const vote = sender.vote({ player: 'Steve' });
  await sender.quiet();
  expect(sender.state(vote)).toBe('pending');
  place.database.pragma('query_only = 0');
  // Retry-After is honoured within twice the delay.
  await sender.pass(2 * (SCHEDULE_MS[0] as number));
  expect(sender.state(vote)).toBe('delivered');
  expect(place.votes()).toEqual([`${vote.id} steve rewarded`]);
});

test('RC-01: every delivery signed with another secret is refused for good, and nothing is recorded', async () => {
  const { sender, place } = await both('whsec_another');
  const vote = sender.vote({ player: 'Steve' });
  await sender.quiet();
  expect(sender.state(vote)).toBe('undelivered');
  expect(place.votes()).toEqual([]);
});

test('a delivery that is answered too late is still stored, and counts once when it is sent again', async () => {
  const { sender, place, url } = await both();
  let answer: (answer: ReportAnswer) => void = () => {};
  let begun = (): void => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const slow = await webhookIn({
    sites: new Map([['List.example', siteWith('/vote', SECRET, sender.listing.id)]]),
    intake: {
      acceptReport: () => {
        begun();
        return new Promise((resolve) => (answer = resolve));
      },
    },
  });
  sender.save({ url: `http://127.0.0.1:${slow.port}/vote` });
  const vote = sender.vote({ player: 'Steve' });
  await hasBegun;
  await sender.pass(10_000); // the sender gives up
  answer({ kind: 'unable' });
  sender.save({ url });
  await sender.pass(2 * (SCHEDULE_MS[0] as number));
  expect(sender.state(vote)).toBe('delivered');
  expect(place.votes()).toEqual([`${vote.id} steve rewarded`]);
});
