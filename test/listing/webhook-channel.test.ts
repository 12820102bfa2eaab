import { describe, expect, test } from 'vitest';
import type { WebhookFixtureWanted } from '../support/webhook-fixture.ts';
import { SCHEDULE_MS, webhookFixture } from '../support/webhook-fixture.ts';

interface ChannelMessage {
  readonly embeds: readonly {
    readonly title: string;
    readonly url?: string;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly allowed_mentions: { readonly parse: readonly string[] };
}

const TOKEN = 'token-of-the-channel';

/** A listing whose webhook is a chat channel's; the sink plays the chat platform. */
async function channelScene(wanted: WebhookFixtureWanted = {}) {
  const scene = await webhookFixture({ ...wanted, channelHosts: ['127.0.0.1'] });
  scene.save({ url: `http://127.0.0.1:${scene.sink.port}/api/webhooks/42/${TOKEN}` });
  const message = (n: number) => scene.sink.requests[n - 1]!.json as unknown as ChannelMessage;
  return { ...scene, message };
}

test('CH-01, NS-49: the channel gets an embed with voter, player, count and link, and no payload', async () => {
  const scene = await channelScene();
  scene.vote({ userId: '80351110224678912', player: 'Steve' });
  const request = await scene.sink.request(1);
  expect(request.path).toBe(`/api/webhooks/42/${TOKEN}`);
  expect(request.headers['content-type']).toBe('application/json');
  expect(request.json).not.toHaveProperty('eventId');
  expect(request.json).not.toHaveProperty('data');
  const [embed] = scene.message(1).embeds;
  expect(embed).toMatchObject({
    title: 'New vote for Survival',
    url: `https://list.example/l/${scene.listing.id}`,
  });
  expect(embed!.fields.map(({ name, value }) => [name, value])).toEqual([
    ['Voter', '<@80351110224678912>'],
    ['Player', 'Steve'],
    ['Votes', '1'],
  ]);
});

test('CH-01: a test delivery is an embed marked as a test', async () => {
  const scene = await channelScene();
  await scene.deliveries.test(
    scene.listing,
    new URL(`http://127.0.0.1:${scene.sink.port}/api/webhooks/42/t`),
  );
  expect(scene.message(1).embeds[0]!.title).toMatch(/^Test\b.*\bSurvival$/);
});

describe('CH-02: the outcome rules apply, and the log shows the outcome', () => {
  test('CH-02: a 204 answer counts as delivered', async () => {
    const scene = await channelScene();
    const vote = scene.vote();
    await scene.quiet();
    expect(scene.state(vote)).toBe('delivered');
  });

  test('CH-02: a 500 answer is retried', async () => {
    const scene = await channelScene();
    scene.sink.answers = [500, 204];
    const vote = scene.vote();
    await scene.quiet();
    expect(scene.state(vote)).toBe('pending');
    await scene.pass(SCHEDULE_MS[0]!);
    expect(scene.state(vote)).toBe('delivered');
    expect(scene.sink.requests[1]!.body.equals(scene.sink.requests[0]!.body)).toBe(true);
  });

  test('CH-02: a 404 answer is final', async () => {
    const scene = await channelScene();
    scene.sink.answers = [404];
    const vote = scene.vote();
    await scene.quiet();
    expect(scene.state(vote)).toBe('undelivered');
  });

  test('CH-02: the log has the attempt, and its URL without the channel’s token', async () => {
    const scene = await channelScene();
    scene.vote();
    await scene.quiet();
    const { log } = scene.deliveries;
    const [row] = (await log.page(scene.listing.id, { limit: 1 })).rows;
    expect(row).toMatchObject({ status: 'delivered', httpStatus: 204 });
    const detail = (await log.detail(scene.listing.id, row!.deliveryId))!;
    expect(detail.url).toBe(`http://127.0.0.1:${scene.sink.port}/api/webhooks/42/…`);
    expect(JSON.stringify(scene.database.prepare('SELECT * FROM deliveries').all())).not.toContain(TOKEN);
    expect((await log.health(scene.listing.id))!.label).toBe('Healthy');
  });
});

describe('CH-03: an embed mentions no one and contains no markup from names', () => {
  test('CH-03: a name that contains a mention pings no one', async () => {
    const scene = await channelScene({ name: '@everyone <@&1> **bold** [x](https://evil.example)' });
    scene.vote({ player: '__Bob__' });
    await scene.sink.request(1);
    const { embeds, allowed_mentions } = scene.message(1);
    expect(allowed_mentions).toEqual({ parse: [] });
    expect(embeds[0]!.title).not.toContain('@everyone');
    expect(embeds[0]!.title).not.toMatch(/(?<!\\)[<>*[\]()]/);
    expect(embeds[0]!.fields[1]!.value).toBe(String.raw`\_\_Bob\_\_`);
  });

  test('CH-03: control characters and line breaks become spaces, and a long name is shortened', async () => {
    const scene = await channelScene({ name: `a\u202eb\nc${'x'.repeat(400)}` });
    scene.vote();
    await scene.sink.request(1);
    const { title } = scene.message(1).embeds[0]!;
    expect(title).toMatch(/ a b cx+$/);
    expect(title).toHaveLength(256);
  });
});
