import type { Config } from '../../config/config.ts';
import type { RewardReasons } from '../../core/decide.ts';
import { localDay } from '../../core/local-time.ts';
import { askedName, playerKey } from '../../core/player-name.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Recipient } from '../../core/vote.ts';
import type { GrantRow, Ledger, PlayerFigures, PlayerRow } from '../../ledger/ledger.ts';
import { matchSite, rulesOf } from '../../votes/sites.ts';
import { hypotheticalVotes, type VoteRefused } from '../preview/hypothetical-votes.ts';
import { previewVotes } from '../preview/preview.ts';

/** What a vote on one site would be now. */
export interface NextVote {
  readonly service: string;
  /** The page where players vote; null if its entry has none. */
  readonly url: string | null;
  /** When the next vote takes a window; null: now, or this site's votes are not paid at all. */
  readonly from: number | null;
  /** Why it would earn each reward now or not, with every draw won. */
  readonly reasons: RewardReasons;
}

/** What a page shows of one player, besides what `explain` says of each vote. */
export interface PlayerView {
  /** The name that was looked up: spaces are `_`, as in a vote. */
  readonly name: string;
  /** Who has or had the name: names, UUIDs, what was imported; the present one first. Empty for a user ID. */
  readonly players: readonly PlayerRow[];
  /** null: nobody has voted under the name. */
  readonly figures: PlayerFigures | null;
  /** Or why nobody can vote under the name. */
  readonly next: readonly NextVote[] | VoteRefused;
  /** The latest grants of each state that are not delivered yet, the oldest first; those that need the operator are among them. */
  readonly owed: readonly GrantRow[];
  /** Whether there are more than are shown. */
  readonly isOwedMore: boolean;
}

/** So many grants in each state are read, the latest. */
const OWED_EACH = 20;
const OWED: readonly GrantState[] = ['held', 'refused', 'pending', 'waiting'];

export async function playerView(
  asked: string,
  ledger: Ledger,
  config: Config,
  now: number,
): Promise<PlayerView> {
  const name = askedName(asked, config.players.bedrockPrefixes);
  const zone = await ledger.timeZone();
  const [players, figures, next, owed] = await Promise.all([
    ledger.players(name),
    figuresOf(name, ledger, localDay(now, zone)),
    nextVotes(name, ledger, config, zone, now),
    owedTo(name, ledger),
  ]);
  return { name, players, figures, next, ...owed };
}

/** Of the player with the name; if there is none, of the user ID. */
async function figuresOf(name: string, ledger: Ledger, today: number): Promise<PlayerFigures | null> {
  const recipients: readonly Pick<Recipient, 'kind' | 'key'>[] = [
    { kind: 'player', key: playerKey(name) },
    { kind: 'user', key: name },
  ];
  for (const recipient of recipients) {
    const figures = await ledger.playerFigures(recipient, today);
    if (figures !== null) return figures;
  }
  return null;
}

async function nextVotes(
  name: string,
  ledger: Ledger,
  config: Config,
  zone: string,
  now: number,
): Promise<PlayerView['next']> {
  const votes = hypotheticalVotes(name, undefined, now, config);
  if (votes.kind === 'refused') return votes;
  const previews = await previewVotes(votes.arrivals, rulesOf(config, zone), ledger, {
    wanted: 'reasons',
  });
  return previews.map(({ arrival, decision, reasons }) => {
    const { service } = arrival.vote;
    const { entry, isListed } = matchSite(config.sites, service);
    const isTaken = decision.kind === 'cooldown' || decision.kind === 'unlisted';
    return { service, url: isListed ? entry.url : null, from: isTaken ? decision.nextAt : null, reasons };
  });
}

async function owedTo(
  recipient: string,
  ledger: Pick<Ledger, 'grants'>,
): Promise<Pick<PlayerView, 'owed' | 'isOwedMore'>> {
  const found = await Promise.all(
    OWED.map((state) => ledger.grants({ recipient, state, limit: OWED_EACH + 1 })),
  );
  const owed = found.flatMap((grants) => grants.slice(0, OWED_EACH));
  return {
    owed: owed.sort((one, other) => one.id - other.id),
    isOwedMore: found.some((grants) => grants.length > OWED_EACH),
  };
}
