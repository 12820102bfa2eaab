import type { Config } from '../config/config.ts';
import { type Clock, pause } from '../core/clock.ts';
import { DAY_MS } from '../core/duration.ts';
import { isoTime } from '../core/instant.ts';
import { localTime, minuteText } from '../core/local-time.ts';
import type { GrantRow } from '../ledger/ledger.ts';
import { contextOf, type Explanation } from '../operator/explain.ts';
import { isBeingSent } from '../operator/trace/grant-lines.ts';
import type { Terminal } from '../platform/terminal.ts';

/** How long a person waits at most, and how often it is looked whether everything is paid. */
const WAIT_MS = 3_000;
const LOOK_MS = 200;
/** What has changed so lately is likely to change again at once. */
const JUST_NOW_MS = 5_000;

/** What is being paid at this moment is shown once it is paid: somebody who tries Teller looks at once. */
export async function whenPaid(
  look: () => Promise<Explanation>,
  config: Config,
  clock: Clock,
): Promise<Explanation> {
  const until = clock.monotonic() + WAIT_MS;
  for (;;) {
    const explanation = await look();
    if (!isPaying(explanation, config, clock.now()) || clock.monotonic() >= until) return explanation;
    await pause(clock, LOOK_MS);
  }
}

function isPaying(explanation: Explanation, config: Config, now: number): boolean {
  if (!explanation.isRunning) return false;
  const { traces, given, together } = explanation;
  const grants = [...traces.flatMap((trace) => trace.grants), ...given, ...together];
  return grants.some((grant) => isBeingPaid(grant, explanation, config, now));
}

function isBeingPaid(grant: GrantRow, explanation: Explanation, config: Config, now: number): boolean {
  if (grant.commands.some(isBeingSent)) return true;
  // On a practice server the player joins a moment after the vote.
  const isNext = grant.state === 'pending' || (grant.state === 'waiting' && grant.practice);
  const { queue, pauses } = contextOf(grant, config, explanation);
  const isStopped = queue?.reason != null || pauses.length > 0;
  return isNext && !isStopped && now - grant.changedAt < JUST_NOW_MS;
}

/** A terminal on which each time is shown as a clock on the wall shows it, to the second. */
export const withLocalTimes = (terminal: Terminal, zone: string): Terminal => ({
  ...terminal,
  out: (line) => terminal.out(line.replace(INSTANT, (instant) => localText(Date.parse(instant), zone))),
});

/** As `isoTime` writes it. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

function localText(at: number, zone: string): string {
  const { day, minute } = localTime(at, zone);
  return `${isoTime(day * DAY_MS).slice(0, 10)} ${minuteText(minute)}:${isoTime(at).slice(17, 19)}`;
}
