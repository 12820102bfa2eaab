import type { SiteConfig } from '../config/config.ts';
import { baseTime, type Clock } from '../core/clock.ts';
import { DAY_MS, durationText, HEARTBEAT_MS, MINUTE_MS } from '../core/duration.ts';
import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import { shownService } from '../core/service-name.ts';
import type { Ledger, Run } from '../ledger/ledger.ts';

/** A time in which no Teller recorded votes, so that a vote may be missing. */
export interface Downtime {
  /** After a process was killed: its last heartbeat, up to a minute before. */
  readonly from: number;
  /** null: none is running. */
  readonly to: number | null;
}

/** Whether votes can arrive now, and when they could not. */
export interface Uptime {
  /** Whether a Teller that uses this ledger is running. */
  readonly isRunning: boolean;
  /** Those of the last 30 days, oldest first. If none is running, the last one lasts, unless it is not known since when. */
  readonly downtimes: readonly Downtime[];
}

const LOOK_BACK_MS = 30 * DAY_MS;
/** A restart takes less. */
const SHORTEST_MS = MINUTE_MS;

export async function uptimeOf(
  ledger: Pick<Ledger, 'runs'>,
  clock: Clock,
  isRunning: boolean,
): Promise<Uptime> {
  // Practice has moved the times of the votes, and nobody outside votes in practice.
  if ((clock.practice?.offsetMs ?? 0) > 0) return { isRunning, downtimes: [] };
  const now = baseTime(clock);
  // A clock that was ahead has left times that are not over yet.
  const runs = (await ledger.runs()).filter(({ startedAt }) => startedAt <= now);
  const lastAt = Math.max(...runs.map(endOf));
  const present = isRunning || runs.length === 0 ? [] : [{ from: Math.min(lastAt, now), to: null }];
  const downtimes = [...downtimesBetween(runs), ...present];
  return { isRunning, downtimes: downtimes.filter(({ to }) => (to ?? now) > now - LOOK_BACK_MS) };
}

/** @param runs by their start; several may overlap. */
function downtimesBetween(runs: readonly Run[]): readonly Downtime[] {
  let last: Run | undefined;
  const found: Downtime[] = [];
  for (const run of runs) {
    if (last !== undefined && run.startedAt - surelyOver(last) >= SHORTEST_MS)
      found.push({ from: endOf(last), to: run.startedAt });
    if (last === undefined || surelyOver(run) > surelyOver(last)) last = run;
  }
  return found;
}

const endOf = ({ seenAt, endedAt }: Run): number => endedAt ?? seenAt;

/** A process that was killed may have run until just before its next heartbeat. */
const surelyOver = ({ seenAt, endedAt }: Run): number => endedAt ?? seenAt + HEARTBEAT_MS;

export const uptimeJson = ({ isRunning, downtimes }: Uptime) => ({
  isRunning,
  downtimes: downtimes.map(({ from, to }) => ({ from: isoTime(from), to: isoTimeOrNull(to) })),
});

export const TO_START = 'start it: `teller run`';

/** null while one is running. */
export function notRunningSentence({ isRunning, downtimes }: Uptime): string | null {
  if (isRunning) return null;
  const last = downtimes.at(-1);
  const since = last?.to === null ? ` has been running since ${isoTime(last.from)}` : ' is running';
  return `no Teller${since}, so no vote can arrive and no reward is paid`;
}

/** At most this many are shown, the latest. */
export const DOWNTIMES_SHOWN_MAX = 8;

/** Those that are over: `from 2026-… to 2026-… (2 h)`, the latest last. */
export const downtimeTexts = ({ downtimes }: Pick<Uptime, 'downtimes'>): readonly string[] =>
  downtimes.flatMap(({ from, to }) =>
    to === null ? [] : [`from ${isoTime(from)} to ${isoTime(to)} (${durationText(to - from)})`],
  );

/** How a vote that is missing gets into the ledger. */
export function toAddMissed(sites: ReadonlyMap<string, SiteConfig>): string {
  const add = '`teller votes add --player NAME --site SITE --at TIME`';
  const caughtUp = [...sites].filter(([, { api }]) => api !== null).map(([name]) => shownService(name, 64));
  return caughtUp.length === 0
    ? `add a vote that is missing with ${add}`
    : `votes on ${caughtUp.join(', ')} are fetched from the listing’s API while Teller runs; add a missing vote of another site with ${add}`;
}
