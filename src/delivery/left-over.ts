import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Ledger } from '../ledger/ledger.ts';

interface LeftOverParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a process was sending when it died may have run. Rejects with the ledger's Problem. */
export async function settleInterrupted({ ledger, clock, log }: LeftOverParts): Promise<void> {
  const unknown = await ledger.settleInterrupted(clock.now());
  if (unknown > 0) {
    const what = `${unknown} command(s) were being sent when the previous Teller stopped, so they may have run`;
    log.warn({ code: 'unknown', commands: unknown }, `${what}; see \`teller grants --state held\``);
  }
}

/**
 * Holds what is owed on game servers that are gone from the config, or of another kind. Rejects with the ledger's Problem.
 *
 * @param kindByServer those of the first portion are used for all: a reload in between holds grants by itself, after this.
 */
export async function holdOrphaned(
  { ledger, clock, log }: LeftOverParts,
  kindByServer: ReadonlyMap<string, string>,
): Promise<void> {
  let held = 0;
  for (let upTo: number | null | undefined; upTo !== null; ) {
    const portion = await ledger.holdOrphaned(kindByServer, clock.now(), upTo);
    held += portion.held;
    upTo = portion.upTo;
  }
  if (held > 0) {
    const what = `${held} grant(s) are held because their game server was removed from the config or changed its kind`;
    log.warn({ code: 'held', grants: held }, `${what}; see \`teller grants --state held\``);
  }
}
