import { expect, test } from 'vitest';
import { eachWrite } from '../kit/each-write.ts';
import { rconGame } from '../kit/game.ts';
import { API_TOKEN, type Reported, record, reporting, scriptedServer } from '../kit/listing-api.ts';
import { furnish } from '../kit/place.ts';
import { sendV1, TOKEN } from '../kit/vote.ts';
import { hooked, payload, post } from '../kit/webhook.ts';
import { witness } from '../kit/witness.ts';

const TIMEOUT = { timeout: 600_000 };
const SAY = { name: 'thanks', when: 'always', commands: ['say {player} voted on {site}'] };
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Teller reads the API at its start. */
test.each([
  ['from its API first', 'v2'],
  ['from its API last', 'v1'],
] as const)(
  'a vote that its listing reports over the listener, a webhook and an API is one vote, %s, by %s',
  TIMEOUT,
  async (order, version) => {
    const game = await rconGame();
    const at = Date.now();
    const vote = record(1, at, 'Steve');
    const listed: Reported[] = [];
    const { root } = await scriptedServer((response, request) => reporting(listed)(response, request));
    const api = { baseUrl: root, token: API_TOKEN, payFrom: new Date(at - HOUR_MS).toISOString() };
    const killed = await eachWrite({
      prepare: async (folder) => {
        if (order === 'from its API first') listed.push(vote);
        return furnish(folder, {
          gameServers: { main: game.entry },
          rewards: [SAY],
          sites: { default: { token: TOKEN }, List: { api, ...hooked() } },
          webhook: { host: '127.0.0.1', port: 0 },
        });
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
      same: async (scene) => {
        const { votes, grants, faults } = await witness(scene);
        expect([votes, faults]).toEqual([['Steve on List: rewarded'], []]);
        const ran = game.ran.splice(0);
        if (grants[0] === 'Steve thanks main: delivered') expect(ran).toEqual(['say Steve voted on List']);
        else expect([grants, ran.length <= 1]).toEqual([['Steve thanks main: held'], true]);
        if (order === 'from its API last') listed.length = 0;
      },
    });
    expect(killed).toBeGreaterThan(2);
  },
);
