import type { PlayerBalance } from '../core/player-balance.ts';

const NO_RUN = { current: null, best: null, lastAt: null } as const;

/** A balance that says nothing, to be filled with what is known. */
export const NO_BALANCE: Omit<PlayerBalance, 'player'> = {
  ...{ kind: 'player', uuid: null },
  totals: { all: null, month: null, week: null, day: null },
  streaks: { day: NO_RUN, week: NO_RUN, month: NO_RUN },
  lastVotes: new Map(),
  ...{ unpaidVotes: [], unpaidRewards: [] },
};
