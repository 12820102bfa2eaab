import type { NewEvent } from '../../ledger/ledger.ts';
import type { Alarm } from './alarm.ts';
import { nameOf, toldAlarm } from './notice.ts';

/**
 * What other programs are told of the alarms after a look: each one that began, and each one that ended. An alarm that was
 * over and holds again before the operator was notified has begun again. Pure.
 *
 * @param at the time of the look.
 * @param zone the time zone in which the sentences tell times, an IANA name.
 */
export function healthEvents(
  before: readonly Alarm[],
  after: readonly Alarm[],
  at: number,
  zone: string,
): readonly NewEvent[] {
  const held = new Set(before.filter(isHolding).map(nameOf));
  const news = after.filter((alarm) => isHolding(alarm) !== held.has(nameOf(alarm)));
  return news.map((alarm) => eventOf(alarm, at, zone));
}

const isHolding = ({ end }: Alarm): boolean => end === null;

function eventOf(alarm: Alarm, at: number, zone: string): NewEvent {
  const { code, subject, since, end } = alarm;
  const { sentence, toDo } = toldAlarm(alarm, at, zone);
  const state = end === null ? 'began' : 'over';
  const until = end?.at ?? null;
  return {
    kind: 'health',
    at,
    facts: { state, alarm: code, subject, since, until, sentence, toDo },
    key: JSON.stringify(['health', code, subject, since, state, at]),
  };
}
