import { poolOf } from '../../core/pool.ts';
import { markFileOf, openMark } from '../../platform/sqlite/mark.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { sameFileCheck } from '../../platform/sqlite/same-file.ts';
import type { DatabaseWork } from '../../platform/sqlite/work.ts';
import type { LedgerCalls } from '../ledger.ts';
import { ClockJudging } from './clock-judging.ts';
import { ClockKeeping } from './clock-keeping.ts';
import { eventsOf, once } from './events/event-calls.ts';
import { EventReceivers } from './events/event-receivers.ts';
import { type Claims, deliveringOf, grantsOf } from './grant-calls.ts';
import { importsOf } from './import-calls.ts';
import { ledgerKinds } from './kinds.ts';
import type { Known } from './known.ts';
import { KnownRewards } from './known-rewards.ts';
import { operatorOf } from './operator-calls.ts';
import { Pools } from './pools.ts';
import { endPracticeIf } from './practice-votes.ts';
import { asProblem, replaced } from './problems.ts';
import { readerOf } from './reader-calls.ts';
import { Recovering } from './recovering.ts';
import { StoredReasons } from './reward-reasons.ts';
import { Runs } from './runs.ts';
import { TimeZone } from './time-zone.ts';
import { togetherOf } from './together-calls.ts';
import { judgeFor, unlistedOf, votesOf } from './vote-calls.ts';

export type LedgerWork = DatabaseWork<LedgerCalls>;

/** The calls of the ledger on an open database, which `close` closes. */
export function ledgerWork(database: Database): LedgerWork {
  const timeZone = new TimeZone(database);
  const known: Known = { rewards: new KnownRewards(database), reasons: new StoredReasons(database) };
  const clockKeeping = new ClockKeeping(database, timeZone);
  const judging = new ClockJudging(clockKeeping);
  const recovering = new Recovering(database);
  const runs = new Runs(database);
  const receivers = once(() => new EventReceivers(database));
  const pools = new Pools(database);
  const claims: Claims = { made: null };
  const delivering = deliveringOf(database);
  const mark = openMark(markFileOf(database.name));
  const isSameFile = sameFileCheck(database);
  return {
    database,
    kinds: ledgerKinds,
    calls: {
      ...votesOf(database, known, judging),
      ...unlistedOf(database, known, clockKeeping),
      useTimeZone: (zone) => timeZone.use(zone),
      useConfig: ({ rewards, tops = [], today, seen, told, isReal }) => {
        for (const reward of rewards ?? []) known.rewards.use(reward, today);
        if (rewards !== undefined)
          pools.keep(rewards.flatMap(({ whereOnline, servers }) => (whereOnline ? [poolOf(servers)] : [])));
        for (const top of tops) known.rewards.startTop(top, today);
        if (seen !== undefined) for (const site of seen.sites) recovering.firstSeen(site, seen.at);
        endPracticeIf(database, isReal);
        if (told !== undefined) receivers().use(told.receivers, told.at);
      },
      ...grantsOf(database, known, claims),
      ...delivering.calls,
      ...togetherOf(database, known, clockKeeping),
      ...operatorOf(database, known, clockKeeping),
      ...importsOf(database, known),
      keepRun: (id, now) => runs.keep(id, now),
      endRun: (id, now) => runs.end(id, now),
      firstSeen: (site, now) => recovering.firstSeen(site, now),
      recoveredUntil: (site) => recovering.recoveredUntil(site),
      setRecoveredUntil: (site, until) => recovering.setRecoveredUntil(site, until),
      knownEvents: (service, eventIds) => recovering.knownEvents(service, eventIds),
      ...readerOf(database, clockKeeping, timeZone),
      ...eventsOf(database, receivers),
    },
    beforeWriting: () => {
      if (!isSameFile()) throw replaced(database.name);
    },
    begin: (calls) => {
      claims.made = null;
      known.rewards.begin();
      known.reasons.begin();
      judgeFor(judging, calls);
    },
    committed: () => {
      // After the commit, so that the mark is never ahead of the ledger; before the command is sent, so that it is
      // included.
      if (claims.made !== null) mark.set(claims.made);
      return judging.news();
    },
    asProblem,
    close: () => {
      delivering.end();
      mark.close();
      database.close();
    },
  };
}
