import { playerKey } from '../../core/player-name.ts';
import type { Ledger, VoteRow } from '../../ledger/ledger.ts';
import { allGrants } from '../grants/selection.ts';

/** What the votes of one player would have been paid here. */
export interface ShadowPlayer {
  /** In the spelling of the latest vote. */
  readonly player: string;
  /** Votes that the other side had to pay. */
  readonly votes: number;
  /** Grants by reward, in the order in which they were first earned. */
  readonly rewards: ReadonlyMap<string, number>;
}

export interface ShadowReward {
  readonly reward: string;
  readonly grants: number;
  readonly players: number;
}

/** A player's votes that the other side never had. */
export interface LackingPlayer {
  readonly player: string;
  readonly votes: number;
}

/** What was decided in shadow, most first. */
export interface ShadowReport {
  readonly rewards: readonly ShadowReward[];
  readonly players: readonly ShadowPlayer[];
  /** Paid here, so that the totals of the other side lack them. */
  readonly lacking: readonly LackingPlayer[];
}

interface Known {
  player: string;
  /** Votes that the other side had to pay. */
  owed: number;
  lacking: number;
  readonly rewards: Map<string, number>;
}

const PAGE = 1_000;

/** @param since receipt of the first votes, in ms since the Unix epoch. */
export async function shadowReport(
  ledger: Pick<Ledger, 'votes' | 'grants'>,
  since: number,
): Promise<ShadowReport> {
  const known = await votesBy(ledger, since);
  for await (const { reason, player, recipient, reward } of allGrants(ledger, {
    state: 'cancelled',
    since,
  })) {
    if (reason?.code !== 'shadow') continue;
    const { rewards } = knownOf(known, player ?? recipient);
    rewards.set(reward, (rewards.get(reward) ?? 0) + 1);
  }
  const players = [...known.values()];
  return {
    rewards: rewardsOf(players),
    players: players
      .map(({ player, owed, rewards }) => ({ player, votes: owed, rewards }))
      .filter(({ votes, rewards }) => votes > 0 || rewards.size > 0)
      .toSorted((a, b) => b.votes - a.votes || (a.player < b.player ? -1 : 1)),
    lacking: players
      .filter(({ lacking }) => lacking > 0)
      .map(({ player, lacking }) => ({ player, votes: lacking }))
      .toSorted((a, b) => b.votes - a.votes || (a.player < b.player ? -1 : 1)),
  };
}

/** Oldest first for each player. */
async function votesBy(ledger: Pick<Ledger, 'votes'>, since: number): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  let after: number | undefined;
  for (;;) {
    const page = await ledger.votes({ since, limit: PAGE, ...(after === undefined ? {} : { after }) });
    for (const vote of page) addVote(known, vote);
    if (page.length < PAGE) return known;
    after = page.at(-1)?.id;
  }
}

function addVote(known: Map<string, Known>, vote: VoteRow): void {
  if (vote.player === null || vote.voided !== null) return;
  const of = knownOf(known, vote.player);
  if (vote.decision !== 'rewarded') return;
  if (vote.isPaidElsewhere) of.owed += 1;
  else of.lacking += 1;
}

/** Votes are read newest first, so the first spelling is the latest. */
function knownOf(known: Map<string, Known>, player: string): Known {
  const key = playerKey(player);
  const found = known.get(key);
  if (found !== undefined) return found;
  const added: Known = { player, owed: 0, lacking: 0, rewards: new Map() };
  known.set(key, added);
  return added;
}

function rewardsOf(players: readonly Known[]): ShadowReward[] {
  const sums = new Map<string, { grants: number; players: number }>();
  for (const { rewards } of players) {
    for (const [reward, grants] of rewards) {
      const sum = sums.get(reward) ?? { grants: 0, players: 0 };
      sums.set(reward, { grants: sum.grants + grants, players: sum.players + 1 });
    }
  }
  return [...sums]
    .map(([reward, sum]) => ({ reward, ...sum }))
    .toSorted((a, b) => b.grants - a.grants || (a.reward < b.reward ? -1 : 1));
}
