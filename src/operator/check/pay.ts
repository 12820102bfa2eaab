import { type Finding, ok, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import type { Subject } from './subject.ts';

/** Which votes are paid here, beside another listener. */
export async function checkPay({ config: { pay }, clock }: Subject): Promise<readonly Finding[]> {
  if (pay.mode === 'shadow') {
    const todo =
      'compare with `teller shadow report`; to pay votes from a time on, set pay.mode to "real" and pay.from to that time';
    return [warning('shadow', 'nothing is paid here, because pay.mode is "shadow"', todo)];
  }
  if (pay.from === null) return [];
  const from = isoTime(pay.from);
  return clock.now() < pay.from
    ? [
        warning(
          'hand-over',
          `nothing is paid here before ${from}, as pay.from says; until then the other side pays`,
        ),
      ]
    : [ok('hand-over', `votes received since ${from} are paid here; the other side pays earlier ones`)];
}
