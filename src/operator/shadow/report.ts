import { playerKey } from '../../core/player-name.ts';
import { allGrants } from '../../ledger/all-grants.ts';
import type { LedgerReader, VoteRow } from '../../ledger/ledger.ts';
import { type Compared, comparePlayer, type Payment, type TheirVote } from './compare.ts';

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

export interface ComparedPlayer extends Compared {
  readonly player: string;
  /** Votes that were owed. */
  readonly owed: number;
}

/** What was decided in shadow, most first. */
export interface ShadowReport {
  readonly rewards: readonly ShadowReward[];
  readonly players: readonly ShadowPlayer[];
  /** Paid here, so that the totals of the other side lack them. */
  readonly lacking: readonly LackingPlayer[];
  /** null: there is nothing to compare with. Only players with a difference. */
  readonly compared: { readonly payments: number; readonly players: readonly ComparedPlayer[] } | null;
}

/** By player, in lower case as voted. */
export type Payments = ReadonlyMap<string, readonly Payment[]>;

interface Known {
  player: string;
  readonly theirs: TheirVote[];
  lacking: number;
  readonly rewards: Map<string, number>;
}

const PAGE = 1_000;

/** What the other side paid. */
export interface TheirPayments {
  /** The reward whose payments these are; null: of whatever a vote earns. */
  readonly reward: string | null;
  readonly by: Payments;
}

/** @param since receipt of the first votes, in ms since the Unix epoch. @param paid null: compare with nothing. */
export async function shadowReport(
  ledger: Pick<LedgerReader, 'votes' | 'grants'>,
  since: number,
  paid: TheirPayments | null,
): Promise<ShadowReport> {
  const known = await votesBy(ledger, since);
  const earning = new Set<number>();
  for await (const { reason, player, recipient, reward, voteId } of allGrants(ledger, {
    state: 'cancelled',
    since,
  })) {
    if (reason?.code !== 'shadow') continue;
    const { rewards } = knownOf(known, player ?? recipient);
    rewards.set(reward, (rewards.get(reward) ?? 0) + 1);
    if (voteId !== null && reward === paid?.reward) earning.add(voteId);
  }
  const players = [...known.values()];
  return {
    rewards: rewardsOf(players),
    players: players
      .map(({ player, theirs, rewards }) => ({ player, votes: theirs.filter(isOwed).length, rewards }))
      .filter(({ votes, rewards }) => votes > 0 || rewards.size > 0)
      .toSorted((a, b) => b.votes - a.votes || (a.player < b.player ? -1 : 1)),
    lacking: players
      .filter(({ lacking }) => lacking > 0)
      .map(({ player, lacking }) => ({ player, votes: lacking }))
      .toSorted((a, b) => b.votes - a.votes || (a.player < b.player ? -1 : 1)),
    compared: paid === null ? null : comparedWith(paid, { known, earning, since }),
  };
}

const isOwed = (vote: TheirVote): boolean => vote.isOwed;

/** Oldest first for each player. */
async function votesBy(ledger: Pick<LedgerReader, 'votes'>, since: number): Promise<Map<string, Known>> {
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
  if (vote.player === null || vote.voided !== null || vote.decision === 'test') return;
  const of = knownOf(known, vote.player);
  const isRewarded = vote.decision === 'rewarded';
  const { id, service, receivedAt } = vote;
  if (vote.isPaidElsewhere) of.theirs.push({ id, service, receivedAt, isOwed: isRewarded });
  else if (isRewarded) of.lacking += 1;
}

/** Votes are read newest first, so the first spelling is the latest. */
function knownOf(known: Map<string, Known>, player: string): Known {
  const key = playerKey(player);
  const found = known.get(key);
  if (found !== undefined) return found;
  const added: Known = { player, theirs: [], lacking: 0, rewards: new Map() };
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

interface Decided {
  readonly known: ReadonlyMap<string, Known>;
  /** The votes that earned the reward which was paid. */
  readonly earning: ReadonlySet<number>;
  readonly since: number;
}

/** Payments from before `since` belong to votes that are not compared. */
function comparedWith({ reward, by }: TheirPayments, { known, earning, since }: Decided) {
  const keys = [...new Set([...known.keys(), ...by.keys()])];
  const earned = (vote: TheirVote): TheirVote =>
    reward === null ? vote : { ...vote, isOwed: vote.isOwed && earning.has(vote.id) };
  let count = 0;
  const players = keys.map((key): ComparedPlayer => {
    const theirs = (known.get(key)?.theirs ?? []).map(earned);
    const paid = (by.get(key) ?? []).filter(({ at }) => at === null || at >= since);
    count += paid.length;
    return {
      player: known.get(key)?.player ?? key,
      owed: theirs.filter(isOwed).length,
      ...comparePlayer(theirs, paid),
    };
  });
  const differing = players.filter(
    ({ unpaid, twice, notOwed, withoutVote }) =>
      unpaid.length + twice.length + notOwed.length + withoutVote.length > 0,
  );
  return { payments: count, players: differing.toSorted((a, b) => (a.player < b.player ? -1 : 1)) };
}
