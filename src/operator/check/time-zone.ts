import { zoneOf } from '../../config/config.ts';
import { type Finding, ok, problem } from '../../core/finding.ts';
import type { Subject } from './subject.ts';

/** A process that records votes must begin its days in the time zone of the one that delivers. */
export async function checkTimeZone({
  ledger,
  config,
  clock,
  isRunning,
}: Subject): Promise<readonly Finding[]> {
  const zone = zoneOf(config, clock);
  const inForce = (await ledger?.timeZone()) ?? zone;
  if (inForce === zone || !isRunning) return [ok('time-zone', `days begin at midnight in ${zone}`)];
  return [
    problem(
      'time-zone-differs',
      `the running Teller begins its days in ${inForce}, and this config in ${zone}`,
      'set the same `timeZone`, or restart Teller',
    ),
  ];
}
