import { describe, expect, test } from 'vitest';
import { MINUTE_MS, turns, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const runOf = ({ deliveries, listing }: WebhookFixture) => deliveries.runs.find(listing.id)!;
const begin = ({ deliveries, listing }: WebhookFixture, since = 0) =>
  deliveries.runs.begin(listing.id, since);

/** Casts `count` votes that the receiver rejects. From then on, it accepts everything. */
async function rejected(scene: WebhookFixture, votes: number) {
  scene.sink.answers = [404];
  const cast = Array.from({ length: votes }, () => {
    scene.clock.advance(1);
    return scene.vote();
  });
  await scene.quiet();
  scene.sink.answers = [204];
  return cast;
}

/** Lets these minutes pass in small steps, so that each redelivery can finish. */
async function minutes(scene: WebhookFixture, count: number): Promise<void> {
  for (let second = 0; second < count * 60; second++) {
    scene.clock.advance(1_000);
    await settled(scene);
  }
}

/** Waits until the run pauses at the limit, or ends. */
async function settled(scene: WebhookFixture): Promise<void> {
  for (let before = -1; before !== scene.sink.requests.length; ) {
    before = scene.sink.requests.length;
    for (let step = 0; step < 10; step++) {
      scene.clock.advance(0);
      await scene.quiet();
      await turns(1);
    }
  }
}

describe('Redeliver all', () => {
  test('first shows how many events there are and how long sending them will take', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 19);
    const { runs } = scene.deliveries;
    expect(await runs.plan(scene.listing.id, 0)).toEqual({ events: 19, minutes: 3, refusal: null });
    expect(await runs.plan(scene.listing.id, votes[17]!.castAt)).toEqual({
      events: 2,
      minutes: 1,
      refusal: null,
    });
    expect((await runs.plan(scene.listing.id, scene.clock.now() + 1)).refusal).toMatchObject({
      code: 'none',
    });
    expect(scene.sink.requests).toHaveLength(19);
  });

  test('sends each event once, in the order of the votes, and counts the results', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 3);
    scene.sink.answers = [...votes.map(() => 0), 204, 500, 204];
    expect(await begin(scene, votes[0]!.castAt)).toMatchObject({
      kind: 'started',
      run: { total: 3, state: 'running' },
    });
    await settled(scene);
    const sent = scene.sink.requests.slice(3).map(({ json }) => json.eventId);
    expect(sent).toEqual(votes.map(({ id }) => id));
    expect(runOf(scene)).toMatchObject({ total: 3, delivered: 2, failed: 1, skipped: 0, state: 'done' });
  });

  test('leaves part of the ten a minute for single redeliveries by the owner (RD-04)', async () => {
    const scene = await webhookFixture();
    const [first] = await rejected(scene, 12);
    await begin(scene);
    await settled(scene);
    expect(runOf(scene)).toMatchObject({ delivered: 8, state: 'running' });
    const byHand = () => scene.deliveries.redeliver(scene.listing.id, first!.id);
    expect([await byHand(), await byHand()]).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
    expect(await byHand()).toMatchObject({ kind: 'refused', code: 'too-many' });
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ delivered: 12, state: 'done' });
  });

  test('is refused while another run is in progress', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    await begin(scene);
    expect(await begin(scene)).toMatchObject({ kind: 'refused', code: 'running' });
  });

  test('continues after a restart without sending delivered events again', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    await begin(scene);
    await settled(scene);
    await scene.restart();
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ total: 12, delivered: 12, state: 'done' });
    expect(scene.sink.requests).toHaveLength(24);
  });

  test('sends nothing once the service begins to stop', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 2);
    await begin(scene);
    scene.clock.advance(0);
    await scene.restart(() => expect(scene.sink.requests).toHaveLength(2));
    await settled(scene);
    expect(runOf(scene)).toMatchObject({ delivered: 2, state: 'done' });
    expect(scene.logged).not.toContain('deliveries-cut-off');
  });

  test('sends nothing after it is stopped', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    await begin(scene);
    await settled(scene);
    await scene.deliveries.runs.stop(scene.listing.id);
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ delivered: 8, state: 'stopped' });
    expect(scene.sink.requests).toHaveLength(20);
  });

  test('ends with the reason if the webhook is disabled, paused or removed (RD-03)', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 19);
    expect(scene.deliveries.redeliveryBlock(scene.listing.id)).toBeNull();
    scene.sink.answers = [404];
    await begin(scene);
    await settled(scene);
    expect(runOf(scene)).toMatchObject({ failed: 1, state: 'disabled' });
    expect(await begin(scene)).toMatchObject({ kind: 'refused', code: 'disabled' });
    expect(scene.deliveries.redeliveryBlock(scene.listing.id)).toMatchObject({ code: 'disabled' });
    scene.save({ isActive: false });
    expect(await begin(scene)).toMatchObject({ kind: 'refused', code: 'paused' });
    scene.database.prepare('DELETE FROM webhooks').run();
    expect(await begin(scene)).toMatchObject({ kind: 'refused', code: 'no-webhook' });
    await scene.pass(MINUTE_MS);
    expect(scene.sink.requests).toHaveLength(20);
  });

  test('skips an event that was redelivered separately', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 10);
    await begin(scene);
    await settled(scene);
    await scene.deliveries.redeliver(scene.listing.id, votes[9]!.id);
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ total: 10, delivered: 9, state: 'done' });
    expect(scene.sink.requests).toHaveLength(20);
  });
});
