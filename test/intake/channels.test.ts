import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { here } from '../kit/here.ts';
import { listingApi, record } from '../kit/listing-api.ts';
import { TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { FakeClock } from '../support/fake-clock.ts';

const DAY_MS = 86_400_000;

type Channel = 'listener' | 'webhook' | 'api';

const ORDERS: readonly (readonly [Channel, Channel, Channel])[] = [
  ['listener', 'webhook', 'api'],
  ['listener', 'api', 'webhook'],
  ['webhook', 'listener', 'api'],
  ['webhook', 'api', 'listener'],
  ['api', 'listener', 'webhook'],
  ['api', 'webhook', 'listener'],
];

/** A Teller and a listing with one vote of Steve, which it reports over any channel when the test says so. */
async function oneVote() {
  const clock = new FakeClock(Date.parse('2026-06-01T12:00:00Z'));
  const at = clock.now();
  const game = await rconGame();
  const api = await listingApi(clock);
  const teller = await here(
    {
      gameServers: { main: game.entry },
      sites: { default: { token: TOKEN }, List: api.site({ payFrom: '2026-06-01T00:00:00Z' }, hooked()) },
      webhook: { host: '127.0.0.1', port: 0 },
    },
    clock,
  );
  const vote = record(1, at, 'Steve');
  const times = { votedAt: vote.votedAt, nextVoteAt: new Date(at + DAY_MS).toISOString() };
  const body = payload({ eventId: vote.id }, { ...times, userId: vote.userId });
  const channels: Readonly<Record<Channel, (stepMs?: number) => Promise<unknown>>> = {
    listener: async () => expect(await teller.vote({ player: 'Steve', at })).toBe('ok'),
    webhook: async () => expect(await post(teller, body)).toMatchObject({ status: 200 }),
    api: async (stepMs = 60_000) => {
      api.votes.splice(0, 1, vote);
      const asked = api.asked.length;
      await teller.until(() => api.asked.length > asked + 1, stepMs);
    },
  };
  const expectOneReward = async (): Promise<void> => {
    await teller.untilGrants('delivered');
    expect((await teller.run('votes', '--json')).json).toMatchObject([
      { player: 'Steve', service: 'List', decision: 'rewarded' },
    ]);
    expect(game.ran).toEqual(['say Steve voted on List']);
  };
  return { teller, channels, expectOneReward };
}

test.each(ORDERS)('the same vote by %s, then %s, then %s is one record and one reward', async (...order) => {
  const { channels, expectOneReward } = await oneVote();
  for (const channel of [...order, ...order]) await channels[channel]();
  await expectOneReward();
});

test.each(ORDERS)(
  'the same vote with a restart after %s, %s and %s is one record and one reward',
  async (...order) => {
    const { teller, channels, expectOneReward } = await oneVote();
    for (const channel of order) {
      await channels[channel]();
      await teller.restart();
    }
    await expectOneReward();
  },
);

test('the same vote is one record and one reward when it arrives over all channels at once', async () => {
  const { channels, expectOneReward } = await oneVote();
  const { api, listener, webhook } = channels;
  // Time passes in steps that are shorter than a sender's deadline.
  await Promise.all([api(4_000), listener(), webhook(), webhook(), listener()]);
  await expectOneReward();
});
