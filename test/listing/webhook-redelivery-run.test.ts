import { describe, expect, test } from 'vitest';
import { MINUTE_MS, turns, type WebhookFixture, webhookFixture } from '../support/webhook-fixture.ts';

const runOf = ({ deliveries, listing }: WebhookFixture) => deliveries.runs.find(listing.id)!;
const begin = ({ deliveries, listing }: WebhookFixture, since = 0) =>
  deliveries.runs.begin(listing.id, since);

/** So many votes that the receiver rejected; from now on it takes everything. */
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

/** Lets so many minutes pass in small steps, so that what one redelivery leads to can happen. */
async function minutes(scene: WebhookFixture, count: number): Promise<void> {
  for (let second = 0; second < count * 60; second++) {
    scene.clock.advance(1_000);
    await settled(scene);
  }
}

/** Until the run waits for the limit, or is over. */
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
  test('it asks first: how many events there are since then, and how long they take', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 19);
    const { runs } = scene.deliveries;
    expect(runs.plan(scene.listing.id, 0)).toEqual({ events: 19, minutes: 3, refusal: null });
    expect(runs.plan(scene.listing.id, votes[17]!.castAt)).toEqual({ events: 2, minutes: 1, refusal: null });
    expect(runs.plan(scene.listing.id, scene.clock.now() + 1).refusal).toMatchObject({ code: 'none' });
    expect(scene.sink.requests).toHaveLength(19);
  });

  test('it sends each event once, in the order of the votes, and says what came of them', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 3);
    scene.sink.answers = [...votes.map(() => 0), 204, 500, 204];
    expect(begin(scene, votes[0]!.castAt)).toMatchObject({
      kind: 'started',
      run: { total: 3, state: 'running' },
    });
    await settled(scene);
    const sent = scene.sink.requests.slice(3).map(({ json }) => json.eventId);
    expect(sent).toEqual(votes.map(({ id }) => id));
    expect(runOf(scene)).toMatchObject({ total: 3, delivered: 2, failed: 1, skipped: 0, state: 'done' });
  });

  test('it keeps to its share of the ten a minute, so that the owner can still redeliver by hand (RD-04)', async () => {
    const scene = await webhookFixture();
    const [first] = await rejected(scene, 12);
    begin(scene);
    await settled(scene);
    expect(runOf(scene)).toMatchObject({ delivered: 8, state: 'running' });
    const byHand = () => scene.deliveries.redeliver(scene.listing.id, first!.id);
    expect([await byHand(), await byHand()]).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
    expect(await byHand()).toMatchObject({ kind: 'refused', code: 'too-many' });
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ delivered: 12, state: 'done' });
  });

  test('a second one is refused while one runs', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    begin(scene);
    expect(begin(scene)).toMatchObject({ kind: 'refused', code: 'running' });
  });

  test('it goes on after a restart, and sends nothing twice that was delivered', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    begin(scene);
    await settled(scene);
    await scene.restart();
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ total: 12, delivered: 12, state: 'done' });
    expect(scene.sink.requests).toHaveLength(24);
  });

  test('stopped, it sends no more', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 12);
    begin(scene);
    await settled(scene);
    scene.deliveries.runs.stop(scene.listing.id);
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ delivered: 8, state: 'stopped' });
    expect(scene.sink.requests).toHaveLength(20);
  });

  test('disabled, paused or gone, the webhook takes none, and a page can say why (RD-03)', async () => {
    const scene = await webhookFixture();
    await rejected(scene, 19);
    expect(scene.deliveries.redeliveryBlock(scene.listing.id)).toBeNull();
    scene.sink.answers = [404];
    begin(scene);
    await settled(scene);
    expect(runOf(scene)).toMatchObject({ failed: 1, state: 'disabled' });
    expect(begin(scene)).toMatchObject({ kind: 'refused', code: 'disabled' });
    expect(scene.deliveries.redeliveryBlock(scene.listing.id)).toMatchObject({ code: 'disabled' });
    scene.save({ isActive: false });
    expect(begin(scene)).toMatchObject({ kind: 'refused', code: 'paused' });
    scene.database.prepare('DELETE FROM webhooks').run();
    expect(begin(scene)).toMatchObject({ kind: 'refused', code: 'no-webhook' });
    await scene.pass(MINUTE_MS);
    expect(scene.sink.requests).toHaveLength(20);
  });

  test('an event that was delivered by hand meanwhile is passed over', async () => {
    const scene = await webhookFixture();
    const votes = await rejected(scene, 10);
    begin(scene);
    await settled(scene);
    await scene.deliveries.redeliver(scene.listing.id, votes[9]!.id);
    await minutes(scene, 2);
    expect(runOf(scene)).toMatchObject({ total: 10, delivered: 9, state: 'done' });
    expect(scene.sink.requests).toHaveLength(20);
  });
});
