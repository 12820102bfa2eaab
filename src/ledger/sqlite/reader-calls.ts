import type { Synchronous } from '../../platform/sqlite/calls.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { EventReader, FigureReader, LedgerReader } from '../ledger.ts';
import type { ClockKeeping } from './clock-keeping.ts';
import { CountsCheck } from './counts-check.ts';
import { damagesIn, deepParts } from './damages.ts';
import { Foreseeing } from './foreseeing.ts';
import { GrantFigures } from './grant-figures.ts';
import { LedgerFigures } from './ledger-figures.ts';
import { missingClaims } from './missing.ts';
import { Pausing } from './pausing.ts';
import { PeriodStandings } from './period-standings.ts';
import { PlayerFigureReading } from './player-figures.ts';
import { PlayerReading } from './player-reading.ts';
import { PlayersOnline } from './players-online.ts';
import { QueueLengths } from './queue-lengths.ts';
import { practiceVotes } from './practice-votes.ts';
import { Queues } from './queues.ts';
import { Reading } from './reading.ts';
import { receipts } from './receipts.ts';
import { Runs } from './runs.ts';
import { SimilarNames } from './similar-names.ts';
import { StuckReading } from './stuck-reading.ts';
import type { TimeZone } from './time-zone.ts';
import { TopPlaces } from './top-places.ts';
import { waitingVotes } from './unlisted-votes.ts';
import { VoteFigures } from './vote-figures.ts';

export function readerOf(
  database: Database,
  clockKeeping: ClockKeeping,
  timeZone: TimeZone,
): Synchronous<Omit<LedgerReader, keyof EventReader>> {
  const reading = new Reading(database);
  const players = new PlayerReading(database);
  const names = new SimilarNames(database);
  let foreseeing: Foreseeing | null = null;
  const queues = new Queues(database);
  const pausing = new Pausing(database);
  const stuck = new StuckReading(database);
  return {
    votes: (filter) => reading.votes(filter),
    votePage: (filter, lookAt) => reading.votePage(filter, lookAt),
    grantsOfVotes: (ids) => reading.grantsOfVotes(ids),
    grants: (filter) => reading.grants(filter),
    players: (name) => players.players(name),
    playerFigures: (recipient, today) => new PlayerFigureReading(database).of(recipient, today),
    similarNames: (key, prefixes, most) => names.similar(key, prefixes, most),
    namesBeginning: (key, most) => names.beginning(key, most),
    namesOfUuid: (uuid) => names.ofUuid(uuid),
    tallies: (startOfDay) => reading.tallies(startOfDay),
    practiceVotes: () => practiceVotes(database),
    waitingVotes: (since) => waitingVotes(database, since),
    sharedWindows: (site, since, limit) => reading.sharedWindows(site, since, limit),
    receipts: (page) => receipts(database, page),
    refusals: (since) => reading.refusals(since),
    signedServices: (services) => reading.signedServices(services),
    judge: (arrivals, wanted) => {
      foreseeing ??= new Foreseeing(database);
      return foreseeing.judge(arrivals, wanted);
    },
    grantStates: () => reading.grantStates(),
    stuckGroups: (filter, wanted) => stuck.groups(filter, wanted),
    stuckGrants: (filter, wanted) => stuck.grants(filter, wanted),
    stuckCount: (most) => stuck.count(most),
    grantActions: (limit) => stuck.actions(limit),
    queues: () => queues.all(),
    queueLengths: (limit) => new QueueLengths(database).all(limit),
    pauses: () => pausing.all(),
    runs: () => new Runs(database).all(),
    missing: () => missingClaims(database),
    timeZone: () => timeZone.stored(),
    clock: () => clockKeeping.history(),
    deepParts: () => deepParts(database),
    damagesIn: (part) => damagesIn(database, part),
    wrongCounts: (after) => new CountsCheck(database).wrong(after),
    isNetworkCountWrong: () => new CountsCheck(database).isNetworkWrong(),
    wrongParties: () => new CountsCheck(database).wrongParties(),
    partyProgress: () => reading.partyProgress(),
    standings: (page) => new PeriodStandings(database).page(page),
    playerTotals: (keys, kind) => new PlayersOnline(database).totals(keys, kind),
    openSites: (keys, services, now) => new PlayersOnline(database).openSites(keys, services, now),
    windowEnds: (key, services, now) => new PlayersOnline(database).windowEnds(key, services, now),
    settledPlaces: (top, period) => new TopPlaces(database).of(top, period),
    ...figuresOf(database, reading),
  };
}

function figuresOf(database: Database, reading: Reading): Synchronous<FigureReader> {
  const whole = new LedgerFigures(database);
  const votes = new VoteFigures(database);
  const grants = new GrantFigures(database);
  return {
    revision: () => whole.revision(),
    size: () => ({ ...whole.size(), grants: reading.grantStates() }),
    firstVotes: (times) => votes.firsts(times),
    firstGrants: (times) => grants.firsts(times),
    voteSums: (range) => votes.sums(range),
    decisionChanges: () => votes.decisionChanges(),
    rewardSums: (range) => grants.rewardSums(range),
    totals: (after, limit) => votes.totals(after, limit),
  };
}
