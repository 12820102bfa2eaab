import { describe, expect, test } from 'vitest';
import type { NewDelivery } from '../../src/listing/webhooks/delivery-store.ts';
import { type EventState, eventStates } from '../../src/listing/webhooks/event-state.ts';
import { logDelivery } from '../../src/listing/webhooks/webhook-deliveries.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { SCHEDULE_MS, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const rows = async ({ deliveries, listing }: WebhookFixture, state: EventState | null = null) =>
  (await deliveries.events.page(listing.id, state, { limit: 50 })).rows;

/** Casts a vote and answers its attempts with these statuses, each when it is due. */
async function voted(scene: WebhookFixture, player: string, ...answers: number[]) {
  scene.clock.advance(1);
  scene.sink.answers = [...scene.sink.requests.map(() => 0), ...answers];
  const vote = scene.vote({ player });
  await scene.quiet();
  for (const pause of SCHEDULE_MS.slice(0, answers.length - 1)) await scene.pass(pause);
  return vote;
}

describe('the log of deliveries, by event', () => {
  test('has one row for six attempts of an event, with the player, the voter and the last attempt', async () => {
    const scene = await webhookFixture();
    const vote = await voted(scene, 'Steve', 500, 500, 500, 500, 500, 500);
    expect(await rows(scene)).toMatchObject([
      {
        ...{ id: vote.id, kind: 'vote', at: vote.castAt, player: 'Steve', userId: vote.userId },
        ...{ state: 'undelivered', attempts: 6, nextAttemptAt: null, canRedeliver: true },
        lastAttempt: { status: 'failed', httpStatus: 500 },
      },
    ]);
  });

  test('lists an event’s attempts, oldest first, each with its own ID', async () => {
    const scene = await webhookFixture();
    const vote = await voted(scene, 'Steve', 503, 204);
    const event = (await scene.deliveries.events.event(scene.listing.id, vote.id))!;
    const sent = scene.sink.requests.map(({ headers }) => headers['x-service-delivery']);
    expect(event.history.map(({ deliveryId }) => deliveryId)).toEqual(sent);
    expect(event.history).toMatchObject([
      { attempt: 1, status: 'failed', httpStatus: 503 },
      { attempt: 2, status: 'delivered', httpStatus: 204 },
    ]);
    expect(event.body).toBe(scene.sink.requests[0]!.body.toString());
  });

  test('gives each event one state: sending, retrying, delivered or undelivered', async () => {
    const scene = await webhookFixture();
    await voted(scene, 'Rejected', 404);
    await voted(scene, 'GaveUp', 500, 500, 500, 500, 500, 500);
    await voted(scene, 'Delivered', 200);
    await voted(scene, 'Retry', 503);
    scene.clock.advance(1);
    scene.sink.answers = [() => {}];
    scene.vote({ player: 'Sending' });
    await scene.sink.request(scene.sink.requests.length + 1);
    expect((await rows(scene)).map(({ player, state }) => `${player} ${state}`)).toEqual([
      'Sending sending',
      'Retry retrying',
      'Delivered delivered',
      'GaveUp undelivered',
      'Rejected undelivered',
    ]);
    expect((await rows(scene))[1]!.nextAttemptAt).toBeGreaterThan(scene.clock.now());
    const names = async (state: EventState) => (await rows(scene, state)).map(({ player }) => player);
    for (const [state, found] of [
      ['sending', ['Sending']],
      ['retrying', ['Retry']],
      ['delivered', ['Delivered']],
      ['undelivered', ['GaveUp', 'Rejected']],
    ] as const) {
      expect([state, await names(state)]).toEqual([state, found]);
    }
  });

  test('has a row of its own for each test', async () => {
    const scene = await webhookFixture();
    await voted(scene, 'Steve', 404);
    scene.sink.answers = [204];
    scene.clock.advance(1);
    await scene.deliveries.test(scene.listing, new URL(scene.sink.url));
    const kinds = async (state: EventState | null) => (await rows(scene, state)).map(({ kind }) => kind);
    expect(await kinds(null)).toEqual(['test', 'vote']);
    expect([await kinds('delivered'), await kinds('undelivered')]).toEqual([['test'], ['vote']]);
  });

  test('has pages that do not shift when attempts are added, and shows no events of other listings', async () => {
    const scene = await webhookFixture();
    const votes = [];
    for (const player of ['A', 'B', 'C', 'D', 'E']) votes.push(await voted(scene, player, 404));
    const { events } = scene.deliveries;
    const { listing } = scene;
    const first = await events.page(listing.id, null, { limit: 2 });
    scene.sink.answers = [204];
    await scene.deliveries.redeliver(listing.id, votes[0]!.id);
    const second = await events.page(listing.id, null, { limit: 2, before: first.older });
    const third = await events.page(listing.id, null, { limit: 2, before: second.older });
    const players = [first, second, third].map(({ rows }) => rows.map(({ player }) => player).join(''));
    expect(players).toEqual(['ED', 'CB', 'A']);
    expect(third.older).toBeNull();
    expect((await events.page('another', null, { limit: 9 })).rows).toEqual([]);
    expect(await events.event('another', votes[0]!.id)).toBeNull();
    expect((await events.attemptsOf('another', [votes[0]!.id])).get(votes[0]!.id)).toEqual([]);
  });
});

test('after a failed attempt, the service’s log names the event’s state in the same words', () => {
  const { log, lines } = loggedLines();
  const result = { deliveryId: 'd', delivered: false, httpStatus: 503, durationMs: 1, error: null };
  const delivery: NewDelivery = {
    ...{ deliveryId: 'd', eventId: 'e', attempt: 1, shownUrl: '', headers: {}, startedAt: 0 },
    kind: 'vote',
    listing: { id: 'l', name: 'Survival', type: 'game', game: 'minecraft', weight: 1 },
  };
  for (const state of ['retrying', 'undelivered', null] as const) {
    logDelivery(log, delivery, { result, state, hasDisabled: false });
  }
  expect(lines.map(({ code, fields }) => [code, (fields as { state: unknown }).state])).toEqual([
    ['delivery-failed', 'retrying'],
    ['delivery-failed', 'undelivered'],
    ['delivery-failed', null],
  ]);
  expect(lines[1]!.sentence).toContain(eventStates.undelivered.label.toLowerCase());
});
