import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../src/core/player-name.ts';
import { settlePeriod } from '../../src/delivery/together/settle-period.ts';
import { forgetPlayer } from '../../src/operator/change-player.ts';
import type { Party } from '../../src/rewards/reward.ts';
import { record } from '../support/ledgers.ts';
import { party, rulesWith, top } from '../support/parties.ts';
import { type Start, startTogether } from '../support/together.ts';
import { arrival, at } from '../support/votes.ts';

const MINUTE = 60_000;
const JUNE = 677;

/** `forget` as the command does it, with Kim as an example. */
function start(settings: Start) {
  const started = startTogether(settings);
  const { ledger, clock } = started;
  const forget = (name: string) => forgetPlayer(ledger, name as PlayerName, { by: 'ann', now: clock.now() });
  /** Every command that is owed, or was paid, in the order in which it came to be. */
  const commands = async (): Promise<readonly string[]> =>
    (await ledger.grants({ limit: 99 }))
      .filter(({ state }) => state !== 'cancelled')
      .toReversed()
      .flatMap((grant) => grant.commands.map(({ command }) => command));
  return { ...started, forget, commands };
}

describe('a party that was reached before a player was forgotten, and is paid after it', () => {
  const reached = async (more: Partial<Party>, ...voters: readonly string[]) => {
    const started = start({ parties: [party('all', more)] });
    await started.vote(...voters);
    await started.forget('Kim');
    await started.pass(2_000);
    return started;
  };

  test('for voters is owed to the others', async () => {
    const { paid, commands } = await reached({ for: 'voters' }, 'Kim', 'Alex', 'Steve');
    expect(await paid()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
    expect(await commands()).toEqual(['give Alex cake 1', 'give Steve cake 1']);
  });

  test('that is paid once names who voted last before them', async () => {
    const { ledger } = await reached(
      { for: 'once', commands: ['say {player} did it'] },
      'Steve',
      'Alex',
      'Kim',
    );
    expect(await ledger.grants({ limit: 9 })).toMatchObject([{ recipient: 'alex', state: 'pending' }]);
  });

  test('that is paid once is owed to nobody if nobody else has voted', async () => {
    const { commands, ledger } = await reached(
      { for: 'once', commands: ['say {player} did it'] },
      'Kim',
      'Kim',
      'Kim',
    );
    expect(await commands()).toEqual([]);
    expect(await ledger.reachedParties()).toEqual([]);
  });

  test('is paid to a new player of that name if they vote for the next one', async () => {
    const { vote, pass, paid } = await reached({ for: 'voters' }, 'Kim', 'Alex', 'Steve');
    await vote('Kim', 'Alex', 'Steve');
    await pass(2_000);
    expect((await paid()).slice(2)).toEqual(
      ['Kim', 'Alex', 'Steve'].map((name) => `${name}: party 2 on main`),
    );
  });
});

test('the votes of a player who was forgotten still count for a party', async () => {
  const { vote, forget, pass, paid } = start({ parties: [party('all', { for: 'voters' })] });
  await vote('Kim', 'Alex');
  await forget('Kim');
  await vote('Steve');
  await pass(2_000);
  expect(await paid()).toEqual(['Alex: party 1 on main', 'Steve: party 1 on main']);
});

describe('a top', () => {
  const settledAfter = async (more: Start = {}) => {
    const best = top('best');
    const started = start({ tops: [best], ...more });
    const { ledger, clock } = started;
    await ledger.useConfig({ rewards: [best], tops: [best], today: 20_605 });
    for (const [index, player] of ['Kim', 'Kim', 'Kim', 'Alex', 'Alex', 'Steve'].entries()) {
      const castAt = at('2026-06-02T10:00:00Z') + index;
      await record(
        ledger,
        [arrival({ player, site: `Site ${index}`, claim: null, castAt, receivedAt: castAt })],
        rulesWith(),
      );
    }
    clock.jump(at('2026-07-01T02:00:00Z') - clock.now());
    const places = async () =>
      (await ledger.settledPlaces(best, JUNE))?.map(
        ({ place, player, votes }) => `${place} ${player} ${votes}`,
      );
    return { ...started, places };
  };

  test('that is settled after a player was forgotten has the next one on their place', async () => {
    const { forget, pass, commands, places } = await settledAfter();
    await forget('Kim');
    await pass(40_000);
    expect(await places()).toEqual(['1 Alex 2', '2 Steve 1']);
    expect(await commands()).toEqual([
      ...['give Alex beacon 1', 'say Alex won top 2026-06 place 1 with 2 votes', 'give Steve diamond 5'],
    ]);
  });

  test('that was settled before stays as it is, and what is still owed to them is cancelled', async () => {
    const { forget, pass, commands, paid, places } = await settledAfter();
    await pass(40_000);
    await forget('Kim');
    await pass(40_000);
    expect(await places()).toEqual(['1 forgotten-1 3', '2 Alex 2', '3 Steve 1']);
    expect(await commands()).toEqual(['give Alex diamond 5', 'give Steve diamond 5']);
    expect(await paid()).toHaveLength(3);
  });

  test('is counted again if somebody is forgotten while it is settled', async () => {
    const { ledger, forget } = await settledAfter({ tops: [] });
    const best = top('best');
    let isForgotten = false;
    const around = {
      standings: ledger.standings,
      settleTop: async (...args: Parameters<typeof ledger.settleTop>) => {
        if (!isForgotten) await forget('Kim');
        isForgotten = true;
        return ledger.settleTop(...args);
      },
    };
    const settling = {
      top: best,
      period: JUNE,
      rules: rulesWith(),
      draws: { kind: 'drawn', seed: 0.5 } as const,
    };
    expect(await settlePeriod(around, settling, at('2026-07-01T02:00:00Z'))).toBe(2);
    expect((await ledger.settledPlaces(best, JUNE))?.map(({ player }) => player)).toEqual(['Alex', 'Steve']);
  });
});

test('published figures name the next player, and a rank does not count who was forgotten', async () => {
  const board = {
    ...{ name: 'board', if: {}, servers: ['main'], everyMs: MINUTE, party: null },
    commands: ['board {top1} {top1Votes} {top2}', 'rank {player} {rank}'],
  };
  const { vote, forget, pass, servers } = start({ publish: [board] });
  await vote('Kim', 'Kim', 'Alex');
  await pass(MINUTE);
  expect(servers.main.commands.at(-1)).toBe('board Kim 2 Alex');
  await forget('Kim');
  servers.main.online = ['Alex'];
  await pass(MINUTE);
  expect(servers.main.commands.slice(-2)).toEqual(['board Alex 1 -', 'rank Alex 1']);
});

test('a new player of the name is reminded of every site, and of none on which they then voted', async () => {
  const { vote, forget, pass, servers } = start({
    listed: { player: ['List 1', 'List 2'], user: [] },
    remind: [
      {
        name: 'now',
        servers: ['main'],
        onJoin: true,
        everyMs: null,
        commands: ['tell {player} {sitesLeft} left'],
      },
    ],
  });
  await pass(MINUTE);
  await vote('Kim', 'Kim');
  await forget('Kim');
  servers.main.online = ['Kim'];
  await pass(5 * MINUTE);
  expect(servers.main.commands).toEqual(['tell Kim 2 left']);
});
