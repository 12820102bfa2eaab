import { isClockSet } from '../../../core/clock.ts';
import { type ClockDoubt, type DoubtReason, doubtReasons } from '../../../core/clock-doubt.ts';
import { durationText } from '../../../core/duration.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind } from '../kind.ts';

type Facts = { readonly reason: DoubtReason; readonly aheadMs: number };

/** The ledger doubts the clock only once a vote has come. */
export function judgeClock(doubt: ClockDoubt | null, wall: number): Seen<Facts> {
  const isUnset = doubt === null && !isClockSet(wall);
  const found = isUnset ? ({ reason: 'not-set', aheadMs: 0 } as const) : doubt;
  if (found === null) return { subject: null, state: 'over', facts: {} };
  const { reason, aheadMs } = found;
  return { subject: null, state: 'holds', since: null, facts: { reason, aheadMs } };
}

const apart = (aheadMs: number): string =>
  aheadMs === 0
    ? ''
    : ` It was ${durationText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} what was expected.`;

export const clockDoubtful: AlarmKind<Facts> = {
  code: 'clock-doubtful',
  means: 'The clock of Teller’s machine cannot be relied on, so rewards are held.',
  lastsMs: 0,
  watch:
    ({ ledger, clock }) =>
    async () => [judgeClock((await ledger.clock()).doubt, clock.now())],
  began: ({ facts }) =>
    `The clock of Teller’s machine is doubtful, so new rewards are held: ${doubtReasons[facts.reason]}.${apart(facts.aheadMs)}`,
  toDo: () =>
    'Look at `date -u` on that machine, set its clock if it is wrong, then run `teller clock release`.',
  ended: () => 'The clock of Teller’s machine is trusted again.',
};
