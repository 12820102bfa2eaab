import { DAY_MS } from '../../core/duration.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import { takesCommands } from '../../delivery/kinds.ts';
import type { GrantRow, Ledger } from '../../ledger/ledger.ts';
import { type PracticeServers, type PracticeWorld, practiceWorlds } from '../trial/practice-worlds.ts';
import type { GameServerNow } from './game-servers.ts';
import type { SiteNow } from './sites.ts';

/** How far a first start has come, from what has happened. */
export interface GuideNow {
  /** The newest test vote; null: none. */
  readonly testVote: { readonly id: number; readonly player: string } | null;
  /** For whom the next one is, so that it is not too soon after another. */
  readonly nextPlayer: string;
  readonly worlds: readonly PracticeWorld[];
  /** Whether any reward was ever paid. */
  readonly isPaid: boolean;
  /** Whether there is no game server but practice servers. */
  readonly isPracticeOnly: boolean;
  /** Those that are no practice servers and take commands. */
  readonly realServers: readonly GameServerNow[];
  /** One of the newest rewards that a real game server paid; null: none yet, or a listing has sent a vote already. */
  readonly realReward: Pick<GrantRow, 'id' | 'reward' | 'server' | 'player' | 'recipient'> | null;
  readonly hasListingVote: boolean;
}

interface Known {
  readonly servers: readonly GameServerNow[];
  readonly sites: readonly SiteNow[];
  readonly isPaid: boolean;
}

/** Whom test votes are for. */
const TEST_PLAYERS = ['Steve', 'Alex', 'Ari', 'Efe', 'Kai', 'Makena', 'Noor', 'Sunny', 'Zuri'];

export async function guideNow(
  ledger: Pick<Ledger, 'votes' | 'grants'>,
  practice: PracticeServers,
  { servers, sites, isPaid }: Known,
  now: number,
): Promise<GuideNow> {
  const realServers = servers.filter(({ isPractice, kind }) => !isPractice && takesCommands(kind));
  const hasListingVote = sites.some(
    ({ service, lastVoteAt }) => service !== STAND_IN_SERVICE && lastVoteAt !== null,
  );
  const [tests, realReward] = await Promise.all([
    ledger.votes({ site: STAND_IN_SERVICE, limit: TEST_PLAYERS.length }),
    realServers.length === 0 || hasListingVote ? null : newestRealReward(ledger),
  ]);
  const worlds = practiceWorlds(practice);
  const late = new Set(tests.filter(({ castAt }) => now - castAt < DAY_MS).map(({ recipient }) => recipient));
  const [last] = tests;
  return {
    testVote: last === undefined ? null : { id: last.id, player: last.player ?? last.recipient },
    nextPlayer: TEST_PLAYERS.find((name) => !late.has(name.toLowerCase())) ?? 'Steve',
    worlds,
    isPaid: isPaid || worlds.some(hasItems),
    isPracticeOnly: servers.every(({ isPractice }) => isPractice),
    realServers,
    realReward,
    hasListingVote,
  };
}

/** Among how many of the newest paid rewards it is looked for: beside a real game server, a practice server may pay too. */
const LOOKED_AT = 20;

async function newestRealReward(ledger: Pick<Ledger, 'grants'>): Promise<GrantRow | null> {
  const paid = await ledger.grants({ state: 'delivered', limit: LOOKED_AT });
  return paid.find(({ practice }) => !practice) ?? null;
}

const hasItems = ({ players }: PracticeWorld): boolean =>
  players.some(({ items }) => Object.keys(items).length > 0);

/** Of one whose kind has no connection, nothing is known before the first reward. */
export const isConnected = ({ realServers }: GuideNow): boolean =>
  realServers.some(
    ({ connection, kind }) =>
      connection.kind === 'connected' || (connection.kind === 'untried' && kind !== 'rcon'),
  );

/**
 * Whether an operator is still at the beginning.
 *
 * @param canConnect false if no real game server can be connected, as in the loop
 */
export const isBeginning = (guide: GuideNow, canConnect: boolean): boolean =>
  canConnect ? guide.isPracticeOnly || !guide.hasListingVote : !guide.isPaid;
