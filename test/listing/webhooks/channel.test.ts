/** A chat channel as the target of a webhook: it gets embeds. The receiver plays the chat platform. */
import { expect, test } from 'vitest';
import { listing } from '../../kit/listing.ts';
import { type Hooked, type HookedWanted, hook } from '../../kit/listing-webhook.ts';

interface Message {
  readonly embeds: readonly {
    readonly title: string;
    readonly url?: string;
    readonly fields: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly allowed_mentions: { readonly parse: readonly string[] };
}

const TOKEN = 'token-of-the-channel';

async function channel(name = 'Survival'): Promise<Hooked & { message: (n: number) => Message }> {
  const wanted: HookedWanted = { channelHosts: ['127.0.0.1'], publicUrl: 'http://list.example' };
  const site = await listing(wanted);
  const owner = await site.person();
  const scene = await hook(site, owner, await owner.list('minecraft', { name }));
  await owner.saveWebhook(scene.listed, `http://127.0.0.1:${scene.receiver.port}/api/webhooks/42/${TOKEN}`);
  const message = (n: number) => scene.receiver.requests[n - 1]!.json as unknown as Message;
  return { ...scene, message };
}

test('CH-01, NS-49: it gets an embed with voter, player, count and link, and no payload', async () => {
  const { vote, receiver, message, listed } = await channel();
  const { userId } = await vote('Steve');
  const [request] = receiver.requests;
  expect(request!.path).toBe(`/api/webhooks/42/${TOKEN}`);
  expect(request!.headers['content-type']).toBe('application/json');
  expect(request!.json).not.toHaveProperty('eventId');
  expect(request!.json).not.toHaveProperty('data');
  expect(message(1).embeds).toMatchObject([
    {
      title: 'New vote for Survival',
      url: `http://list.example/listings/${listed.id}`,
      fields: [
        { name: 'Voter', value: `<@${userId}>` },
        { name: 'Player', value: 'Steve' },
        { name: 'Votes', value: '1' },
      ],
    },
  ]);
});

test('CH-01: a test delivery is an embed marked as a test', async () => {
  const { test: sendTest, message } = await channel();
  await sendTest();
  expect(message(1).embeds[0]!.title).toMatch(/^Test\b.*\bSurvival$/);
});

test('CH-02: a 204 delivers, a 500 is retried with the same bytes, and a 404 is final', async () => {
  const { site, votes, receiver, states } = await channel();
  await votes(1, 204);
  site.clock.advance(1);
  await votes(1, 404);
  site.clock.advance(1);
  await votes(1, 500, 204);
  expect(await states()).toEqual(['retrying', 'undelivered', 'delivered']);
  await site.pass(10_000);
  expect(await states()).toEqual(['delivered', 'undelivered', 'delivered']);
  expect(receiver.requests[3]!.body.equals(receiver.requests[2]!.body)).toBe(true);
});

test('CH-02: the log has the attempt, and its URL without the channel’s token', async () => {
  const { site, votes, attempts, owner, deliveries, receiver, health } = await channel();
  await votes(1);
  const [row] = await attempts();
  expect(row).toMatchObject({ status: 'delivered', httpStatus: 204 });
  const { delivery } = await owner.values(`${deliveries}/${row.deliveryId}`);
  expect(delivery.url).toBe(`http://127.0.0.1:${receiver.port}/api/webhooks/42/…`);
  expect([await health(), JSON.stringify(site.log).includes(TOKEN)]).toEqual(['Healthy', false]);
});

test('CH-03: a name that contains a mention pings no one, and cannot change the format', async () => {
  const { vote, message } = await channel('@everyone <@&1> **bold** [x](https://evil.example)');
  await vote('__Bob__');
  const { embeds, allowed_mentions } = message(1);
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(embeds[0]!.title).not.toContain('@everyone');
  expect(embeds[0]!.title).not.toMatch(/(?<!\\)[<>*[\]()]/);
  expect(embeds[0]!.fields[1]!.value).toBe(String.raw`\_\_Bob\_\_`);
});
