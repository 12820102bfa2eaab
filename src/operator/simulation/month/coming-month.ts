import { type Config, zoneOf } from '../../../config/config.ts';
import type { Clock } from '../../../core/clock.ts';
import { instantOf, localDay } from '../../../core/local-time.ts';
import { daysOf, periodOf } from '../../../core/period.ts';
import type { LedgerReader } from '../../../ledger/ledger.ts';
import { ownModule } from '../../../platform/own-module.ts';
import { startThread } from '../../../platform/thread.ts';
import { rulesOf } from '../../../votes/intake/rules.ts';
import type { MonthCalendar } from './calendar.ts';
import type { ComingOrder, Progress } from './coming.ts';
import { PAST_DAYS } from './past.ts';
import { type MonthAnswer, type MonthMessage, type MonthTask, newStop, stopIt } from './thread-messages.ts';

/** What a coming month would be paid. */
export type ComingMonth =
  | { readonly kind: 'calendar'; readonly calendar: MonthCalendar; readonly seed: number }
  /** Nobody voted in the weeks before today. */
  | { readonly kind: 'no-votes' }
  | { readonly kind: 'too-many'; readonly votes: number; readonly most: number }
  | { readonly kind: 'stopped' };

export interface MonthWish {
  readonly days: number;
  readonly seed: number;
  /** So many players are made up; null: everyone votes as in the last weeks. */
  readonly voters: number | null;
}

interface Parts {
  readonly ledger: Pick<LedgerReader, 'firstVotes' | 'votesCast' | 'playerTotals'>;
  readonly clock: Clock;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Votes of the last weeks, at most. */
const VOTES_MAX = 100_000;
/** So many are read at once, on the ledger's reader: some milliseconds there, and less on this thread. */
const VOTES_AT_ONCE = 1_000;
const PLAYERS_AT_ONCE = 500;

const MODULE = ownModule('month-thread', import.meta.url);

/**
 * Simulates the coming month on a thread of its own, so that a running Teller can show it: this thread only passes on what
 * the ledger's reader finds.
 */
export async function comingMonth(config: Config, wish: MonthWish, parts: Parts): Promise<ComingMonth> {
  const { ledger, clock, signal } = parts;
  const order = orderOf(config, wish, clock);
  if (wish.voters !== null) return simulatedBy(order, wish, async () => {}, parts);
  const times = [firstNeeded(order), ...pastWeeks(order), Number.MAX_SAFE_INTEGER];
  const [from = 1, past = 1, present = 1, end = 1] = await ledger.firstVotes(times);
  if (present === past) return { kind: 'no-votes' };
  if (end - from > VOTES_MAX) return { kind: 'too-many', votes: end - from, most: VOTES_MAX };
  return simulatedBy(
    order,
    wish,
    async (send) => {
      const keys = new Set<string>();
      for (let at = from; at < end && signal?.aborted !== true; at += VOTES_AT_ONCE) {
        const votes = await ledger.votesCast({ from: at, to: Math.min(at + VOTES_AT_ONCE, end) - 1 });
        for (const { kind, key } of votes) if (kind === 'player') keys.add(key);
        send({ kind: 'votes', votes });
      }
      const players = [...keys];
      for (let at = 0; at < players.length && signal?.aborted !== true; at += PLAYERS_AT_ONCE)
        send({
          kind: 'totals',
          totals: await ledger.playerTotals(players.slice(at, at + PLAYERS_AT_ONCE)),
        });
    },
    parts,
  );
}

/** The first instant of the weeks that are cast again, and the first one after them. */
const pastWeeks = ({ today, rules: { zone } }: ComingOrder): readonly number[] =>
  [today - PAST_DAYS, today].map((day) => instantOf({ day, minute: 0 }, zone));

/** The weeks that are cast again, and the whole month, week and day that are in progress. */
function firstNeeded({ today, rules: { zone } }: ComingOrder): number {
  const monthStart = daysOf('month', periodOf('month', today)).from;
  return instantOf({ day: Math.min(today - PAST_DAYS, monthStart), minute: 0 }, zone);
}

function orderOf(config: Config, { days, seed }: MonthWish, clock: Clock): ComingOrder {
  const rules = rulesOf(config, zoneOf(config, clock));
  const now = clock.now();
  const { players, tops } = config;
  return {
    ...{ rules, tops, now, days, seed, today: localDay(now, rules.zone) },
    config: { players, sites: withoutSecrets(config) },
  };
}

/** What says which votes are accepted stays out too: functions cannot be sent to a thread. */
const withoutSecrets = ({ sites }: Config): Config['sites'] =>
  new Map(
    [...sites].map(([key, site]) => [
      key,
      { ...site, token: null, api: null, webhook: null, isFrom: null, protocols: null },
    ]),
  );

async function simulatedBy(
  order: ComingOrder,
  { voters, seed }: MonthWish,
  feed: (send: (message: MonthMessage) => void) => Promise<void>,
  { onProgress = () => {}, signal }: Parts,
): Promise<ComingMonth> {
  const stop = newStop();
  const thread = startThread(MODULE, { order, voters, stop } satisfies MonthTask);
  const onAbort = (): void => stopIt(stop);
  signal?.addEventListener('abort', onAbort);
  const ended = new Promise<ComingMonth>((resolve, reject) => {
    thread.on('message', (answer: MonthAnswer) => {
      if (answer.kind === 'progress') onProgress(answer.progress);
      else resolve({ kind: 'calendar', calendar: answer.calendar, seed });
    });
    thread.on('error', reject);
    thread.on('exit', () => resolve({ kind: 'stopped' }));
  });
  // Awaited below, but it may fail before that.
  ended.catch(() => {});
  try {
    await feed((message) => thread.postMessage(message));
    thread.postMessage({ kind: 'start' } satisfies MonthMessage);
    return await ended;
  } catch (error) {
    await thread.terminate();
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}
