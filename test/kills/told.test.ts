/** What goes elsewhere: announcements, forwarded votes, and posts to receivers. */
import { expect, test } from 'vitest';
import { apart, typedHere } from '../kit/apart.ts';
import { eachWrite, voting } from '../kit/each-write.ts';
import { type Game, rconGame } from '../kit/game.ts';
import { furnish, type Place, rewrite } from '../kit/place.ts';
import { receiver } from '../kit/receiver.ts';
import { votifierGame } from '../kit/votifier.ts';
import { witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };

/** What ran since the last question. */
const ranOn = (game: Pick<Game, 'ran'>): readonly string[] => game.ran.splice(0);

test(
  'an announcement is sent at most once and never held, and the reward beside it is paid',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    const at = Date.now();
    await eachWrite({
      prepare: async (folder) => {
        game.show('Steve');
        const spoken = {
          name: 'spoken',
          when: 'always',
          announce: true,
          commands: ['say {player} has voted'],
        };
        return furnish(folder, { gameServers: { main: game.entry }, rewards: [SAY, spoken] });
      },
      act: voting({ player: 'Steve', at }),
      same: async (scene) => {
        const { grants, faults } = await witness(scene);
        expect(faults).toEqual([]);
        const ran = ranOn(game);
        expect(ran.filter((command) => command === 'say Steve has voted').length).toBeLessThanOrEqual(1);
        expect(ran.filter((command) => command === 'say Steve voted on List').length).toBeLessThanOrEqual(1);
        expect(grants[0]).toMatch(/^Steve thanks main: (?:delivered|held)$/);
        expect(grants[1]).not.toMatch(/: held$/);
      },
    });
  },
);

test('a vote is forwarded once, or held if nobody knows, and votes keep their order', TIMEOUT, async () => {
  const old = await votifierGame();
  const at = Date.now();
  const players = ['Steve', 'Alex', 'Kim'];
  await eachWrite({
    prepare: async (folder) => furnish(folder, { gameServers: { old: old.entry }, rewards: [] }),
    act: voting(...players.map((player) => ({ player, at }))),
    same: async (scene) => {
      const { grants, faults } = await witness(scene);
      expect([grants.length, faults]).toEqual([3, []]);
      const ran = ranOn(old);
      expect(ran).toEqual(players.filter((player) => ran.includes(player)));
      expect(grants.filter((grant) => grant.endsWith(': held')).length).toBeLessThanOrEqual(1);
      for (const [place, player] of players.entries())
        expect(grants[place]).toMatch(ran.includes(player) ? /: (?:delivered|held)$/ : /: held$/);
    },
  });
});

test('rule 6: each event arrives, and a copy of it has the same ID', TIMEOUT, async () => {
  const game = await rconGame();
  const to = await receiver();
  let before = 0;
  const events = [{ url: to.url, on: ['vote.rewarded'], secret: 'the-secret-of-the-receiver' }];
  const at = Date.now();
  const receiverOf = async (scene: Place) =>
    (await typedHere(scene, 'events', '--json')).json[0].receivers[0];
  await eachWrite({
    prepare: async (folder) => furnish(folder, { gameServers: { main: game.entry }, rewards: [SAY], events }),
    act: async (scene) => {
      const teller = await scene.start();
      for (const player of ['Steve', 'Alex']) expect(await teller.vote({ player, at })).toBe('ok');
      await teller.until(async () => (await receiverOf(scene)).waiting === 0);
    },
    same: async (scene) => {
      expect((await witness(scene)).faults).toEqual([]);
      expect(await receiverOf(scene)).toMatchObject({ waiting: 0, undelivered: 0, delivered: 2 });
      const since = to.requests.slice(before).map(({ json }) => json);
      const byId = new Map(
        since.map(({ event, eventId, data }) => [eventId, `${event} of ${data.vote.player}`]),
      );
      expect([...byId.values()].toSorted()).toEqual(['vote.rewarded of Alex', 'vote.rewarded of Steve']);
      before = to.requests.length;
    },
  });
});

test(
  'an alarm is told, and a message that is repeated has the same ID and the same bytes',
  TIMEOUT,
  async () => {
    const game = await rconGame();
    const to = await receiver();
    let before = 0;
    await eachWrite({
      points: 6,
      prepare: async (folder) => {
        const config = { gameServers: { main: game.entry }, rewards: [SAY] };
        const place = furnish(folder, config);
        const teller = await apart(place);
        game.fault('run-and-close');
        expect(await teller.vote({ player: 'Steve' })).toBe('ok');
        await teller.settled();
        await teller.stop();
        return rewrite(place, { ...config, alarms: { url: to.url } });
      },
      act: async (scene) => {
        const teller = await scene.start();
        const isTold = async () => {
          const [{ waiting, sent }] = (await typedHere(scene, 'alarms', '--json')).json;
          return waiting === null && sent.length > 0;
        };
        await teller.until(isTold);
      },
      same: async (scene) => {
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
    });
  },
);
