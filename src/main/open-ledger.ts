import { type Config, zoneOf } from '../config/config.ts';
import { Problem } from '../core/problem.ts';
import type { ClockNews, Ledger } from '../ledger/ledger.ts';
import { reportClock } from '../votes/vote-log.ts';
import type { Environment } from './environment.ts';
import { usedConfig } from './parts.ts';

/** Opens the ledger of a config for `teller run`. Throws a Problem (`ledger-…`, `time-zone-differs`). */
export async function openLedgerIn(
  config: Config,
  around: Environment,
  onEnded: (problem: Problem) => void,
): Promise<Ledger> {
  const onClockNews = (news: ClockNews): void => reportClock(news, around.log);
  const ledger = await around.openLedger(config.ledger, { onClockNews, onEnded });
  await useTimeZone(ledger, zoneOf(config, around.clock));
  await ledger.useConfig(usedConfig(config, around.clock));
  if (ledger.replacesLost) {
    const sentence = `the ledger at ${config.ledger} is gone, so a new one was created, which does not know what was paid before; if you did not remove it, stop Teller and put the old ledger back`;
    around.log.warn({ code: 'ledger-made' }, sentence);
  }
  return ledger;
}

/** Throws a Problem: `time-zone-differs`. */
async function useTimeZone(ledger: Ledger, zone: string): Promise<void> {
  const inForce = await ledger.useTimeZone(zone);
  if (inForce === zone) return;
  await ledger.close();
  throw new Problem(
    'time-zone-differs',
    `Another Teller records votes into this ledger with the time zone ${inForce}, and this one has ${zone}; set the same "timeZone" in both configs.`,
  );
}
