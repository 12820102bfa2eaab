import type { ImportSource, PlayerBalance } from '../../src/core/player-balance.ts';

/** A balance that says nothing, to be filled with what is known. */
export const NO_BALANCE: Omit<PlayerBalance, 'player'> = {
  ...{ kind: 'player', uuid: null },
  totals: { all: null, month: null },
  streak: { current: null, best: null, lastAt: null },
  lastVotes: new Map(),
};

/** When the plugin of `sourceOf` last wrote: noon on 20 June 2026. */
export const AS_OF = Date.UTC(2026, 5, 20, 12);

/** A plugin that knows these players. */
export const sourceOf = (players: Iterable<PlayerBalance>, name = 'votingplugin'): ImportSource => ({
  ...{ name, file: 'players', asOf: AS_OF },
  balances: async function* balances() {
    yield* players;
  },
});

/** So many players with a total, a run of days and a last vote each. */
export function* manyPlayers(count: number): Generator<PlayerBalance> {
  for (let number = 1; number <= count; number++) {
    const lastAt = AS_OF - number * 1_000;
    yield {
      ...NO_BALANCE,
      player: `Player${number}`,
      totals: { all: 100 + (number % 50), month: 12 },
      streak: { current: 5, best: 20, lastAt },
      lastVotes: new Map([['List', lastAt]]),
    };
  }
}
