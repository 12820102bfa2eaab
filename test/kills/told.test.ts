/** What comes from several channels, and what goes elsewhere: announcements, forwarded votes, and posts to receivers. */
import { expect } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { voting } from '../kit/each-write.ts';
import { API_TOKEN, type Reported, record, reporting, scriptedServer } from '../kit/listing-api.ts';
import { type Place, rewrite } from '../kit/place.ts';
import { receiver } from '../kit/receiver.ts';
import { sendV1, TOKEN } from '../kit/vote.ts';
import { votifierGame } from '../kit/votifier.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { expectPaidOrHeld, recorded, SAY, story } from './story.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Teller reads the API at its start. */
for (const [order, version] of [
  ['from its API first', 'v2'],
  ['from its API last', 'v1'],
] as const)
  story(
    `a vote that its listing reports over the listener, a webhook and an API is one vote, ${order}, by ${version}`,
    4,
    async (_, at) => {
      const vote = record(1, at, 'Steve');
      const listed: Reported[] = order === 'from its API first' ? [vote] : [];
      const { root } = await scriptedServer((response, request) => reporting(listed)(response, request));
      const api = { baseUrl: root, token: API_TOKEN, payFrom: new Date(at - HOUR_MS).toISOString() };
      return {
        deaths: 3,
        config: {
          sites: { default: { token: TOKEN }, List: { api, ...hooked() } },
          webhook: { host: '127.0.0.1', port: 0 },
        },
        act: async (scene) => {
          const teller = await scene.start();
          const { listener, webhook } = teller.ready;
          if (version === 'v1') await sendV1(listener.port, { player: 'Steve', at }, scene.folder);
          else expect(await teller.vote({ player: 'Steve', at })).toBe('ok');
          listed.splice(0, listed.length, vote);
          const times = { votedAt: vote.votedAt, nextVoteAt: new Date(at + DAY_MS).toISOString() };
          const body = payload({ eventId: vote.id }, { ...times, userId: vote.userId });
          expect(await post({ webhookPort: webhook?.port ?? 0 }, body)).toMatchObject({ status: 200 });
          await teller.settled();
        },
        same: (after) => {
          expect(after.votes).toEqual(['Steve on List: rewarded']);
          expectPaidOrHeld(after, 'Steve thanks main', 'say Steve voted on List');
          if (order === 'from its API last') listed.length = 0;
        },
      };
    },
  );

story(
  'an announcement is sent at most once and never held, and the reward beside it is paid',
  4,
  (game, at) => {
    game.show('Steve');
    const spoken = { name: 'spoken', when: 'always', announce: true, commands: ['say {player} has voted'] };
    return {
      config: { rewards: [SAY, spoken] },
      act: voting({ player: 'Steve', at }),
      same: ({ grants, ran }) => {
        for (const said of ['say Steve has voted', 'say Steve voted on List'])
          expect(ran.filter((command) => command === said).length).toBeLessThanOrEqual(1);
        expect(grants[0]).toMatch(/^Steve thanks main: (?:delivered|held)$/);
        expect(grants[1]).not.toMatch(/: held$/);
      },
    };
  },
);

story('a vote is forwarded once, or held if nobody knows, and votes keep their order', 4, async (_, at) => {
  const old = await votifierGame();
  const players = ['Steve', 'Alex', 'Kim'];
  return {
    config: { gameServers: { old: old.entry }, rewards: [] },
    act: voting(...players.map((player) => ({ player, at }))),
    same: ({ grants }) => {
      const ran = old.ran.splice(0);
      expect([grants.length, ran]).toEqual([3, players.filter((player) => ran.includes(player))]);
      expect(grants.filter((grant) => grant.endsWith(': held')).length).toBeLessThanOrEqual(1);
      for (const [place, player] of players.entries())
        expect(grants[place]).toMatch(ran.includes(player) ? /: (?:delivered|held)$/ : /: held$/);
    },
  };
});

story('rule 6: each event arrives, and a copy of it has the same ID', 4, async (_, at) => {
  const to = await receiver();
  let before = 0;
  const receiverOf = async (scene: Place) =>
    (await typedHere(scene, 'events', '--json')).json[0].receivers[0];
  return {
    config: { events: [{ url: to.url, on: ['vote.rewarded'], secret: 'the-secret-of-the-receiver' }] },
    act: async (scene) => {
      const teller = await scene.start();
      for (const player of ['Steve', 'Alex']) expect(await teller.vote({ player, at })).toBe('ok');
      await teller.until(async () => (await receiverOf(scene)).waiting === 0);
    },
    same: async ({ scene }) => {
      expect(await receiverOf(scene)).toMatchObject({ waiting: 0, undelivered: 0, delivered: 2 });
      const since = to.requests.slice(before).map(({ json }) => json);
      const byId = new Map(
        since.map(({ event, eventId, data }) => [eventId, `${event} of ${data.vote.player}`]),
      );
      expect([...byId.values()].toSorted()).toEqual(['vote.rewarded of Alex', 'vote.rewarded of Steve']);
      before = to.requests.length;
    },
  };
});

story(
  'an alarm is told, and a message that is repeated has the same ID and the same bytes',
  6,
  async (game) => {
    const to = await receiver();
    let before = 0;
    return {
      prepare: async (place) => {
        game.fault('run-and-close');
        await recorded(place, [{ player: 'Steve' }]);
        rewrite(place, { gameServers: { main: game.entry }, alarms: { url: to.url } });
      },
      act: async (scene) => {
        const teller = await scene.start();
        await teller.until(async () => {
          const [{ waiting, sent }] = (await typedHere(scene, 'alarms', '--json')).json;
          return waiting === null && sent.length > 0;
        });
      },
      same: async ({ scene }) => {
        const since = to.requests.slice(before);
        const began = since.map(({ json }) => json.data.began.map(({ alarm }: { alarm: string }) => alarm));
        expect(new Set(began.map(String))).toEqual(new Set(['grants-held']));
        expect(new Set(since.map(({ json }) => json.eventId)).size).toBe(1);
        expect(new Set(since.map(({ body }) => String(body))).size).toBe(1);
        expect(await typedHere(scene, 'alarms')).toMatchObject({
          exit: 1,
          out: expect.stringContaining('A reward has been held since'),
        });
        before = to.requests.length;
      },
    };
  },
);
