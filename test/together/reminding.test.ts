import { describe, expect, test } from 'vitest';
import type { Remind } from '../../src/rewards/reward.ts';
import { rulesWith } from '../support/parties.ts';
import { startTogether } from '../support/together.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The sites `List 1` and `List 2`, on which the first two votes of a test are cast. */
const start = (more: Partial<Remind> = {}) =>
  startTogether({
    ...rulesWith(),
    listed: { player: ['List 1', 'List 2'], user: [] },
    links: { player: ['https://one.example/vote', 'https://two.example/vote'], user: [] },
    remind: [
      {
        name: 'vote-now',
        servers: ['main'],
        onJoin: true,
        everyMs: null,
        commands: ['tell {player} {sitesLeft} left: {voteLinks}, {nextVote}'],
        ...more,
      },
    ],
  });

const reminder = (player: string, left: number): string =>
  `tell ${player} ${left} left: https://one.example/vote https://two.example/vote, now`;

describe('a reminder', () => {
  test('goes to players who join and may vote on some site, once', async () => {
    const { pass, servers, vote, close, again } = start();
    servers.main.online = ['Early'];
    await close();
    again();
    await vote('Alex', 'Alex', 'Steve');
    await pass(MINUTE);
    servers.main.online = ['Early', 'Alex', 'Steve', 'New'];
    await pass(5 * MINUTE);
    expect(servers.main.commands).toEqual([reminder('Steve', 2), reminder('New', 2)]);
  });

  test('is repeated in each interval while the player is online and may vote', async () => {
    const { pass, servers, vote } = start({ onJoin: false, everyMs: HOUR });
    servers.main.online = ['Alex'];
    await vote('Alex', 'Alex');
    await pass(23 * HOUR, 10_000);
    expect(servers.main.commands).toEqual([]);
    await pass(3 * HOUR, 10_000);
    expect(servers.main.commands).toEqual([reminder('Alex', 2), reminder('Alex', 2)]);
  }, 60_000);

  // Servers without plugins do not know the first form.
  test.each(['minecraft:execute', 'execute'])(
    'does not go to players with the tag teller.quiet, by %s',
    async (known) => {
      const { pass, servers } = start();
      servers.main.reply = (question) => {
        if (!question.startsWith(`${known} if `)) return 'Unknown or incomplete command, see below for error';
        return question.endsWith(' if entity @a[name=Quiet,tag=teller.quiet]')
          ? 'Test passed'
          : 'Test failed';
      };
      await pass(MINUTE);
      servers.main.online = ['Quiet', 'Alex'];
      await pass(MINUTE);
      expect(servers.main.commands).toEqual([reminder('Alex', 2)]);
    },
  );

  test('is not sent later, and a list that could not be read makes nobody join again', async () => {
    const { pass, servers, ledger } = start();
    await pass(MINUTE);
    servers.main.opening = async () => ({ kind: 'resting', reason: 'unreachable', restMs: 1_000 });
    servers.main.online = ['Alex'];
    await pass(MINUTE);
    servers.main.opening = async () => ({ kind: 'open' });
    servers.main.answer = () => ({ kind: 'unreachable', reason: 'unreachable' });
    await pass(MINUTE);
    servers.main.answer = null;
    await pass(MINUTE);
    expect(servers.main.commands).toEqual([]);
    expect(await ledger.grantStates()).toEqual({});
  });
});
