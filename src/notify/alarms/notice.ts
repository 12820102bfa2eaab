import { localDay, localTime, minuteText } from '../../core/local-time.ts';
import { type Alarm, keyOf } from './alarm.ts';
import { kindOfAlarm } from './kinds.ts';

/** One message to the operator. It stays as it is on all attempts, so that a receiver can drop a copy. */
export interface Notice {
  readonly eventId: string;
  /** When it was composed. */
  readonly at: number;
  readonly began: readonly Alarm[];
  readonly ended: readonly Alarm[];
}

/** The next message; null if there is no news. An alarm that was over before anyone was notified is only told as over. */
export function composeNotice(alarms: readonly Alarm[], at: number, eventId: () => string): Notice | null {
  const began = alarms.filter(({ notifiedAt, end }) => notifiedAt === null && end === null);
  const ended = alarms.filter(({ end }) => end !== null);
  return began.length + ended.length === 0 ? null : { eventId: eventId(), at, began, ended };
}

/** The alarms once a message about them has arrived: what it told is not told again. */
export function afterNotice(
  alarms: readonly Alarm[],
  { began, ended }: Notice,
  at: number,
): readonly Alarm[] {
  const [told, over] = [began, ended].map((each) => new Set(each.map(nameOf)));
  return alarms
    .filter((alarm) => !over?.has(nameOf(alarm)))
    .map((alarm) => (told?.has(nameOf(alarm)) ? { ...alarm, notifiedAt: at } : alarm));
}

/** The alarms if the message is given up: what is over is forgotten, and what holds is told by the next message. */
export const withoutNotice = (alarms: readonly Alarm[]): readonly Alarm[] =>
  alarms.filter(({ end }) => end === null);

/** The same kind of alarm about the same subject may begin again while a message waits to be sent. */
export const nameOf = (alarm: Alarm): string => `${keyOf(alarm)} ${alarm.since}`;

/** One alarm as people are told it. */
export interface ToldAlarm {
  readonly alarm: Alarm;
  readonly sentence: string;
  /** What to do; empty when it is over. */
  readonly toDo: string;
}

/** @param now when it is told. */
export function toldAlarm(alarm: Alarm, now: number, zone: string): ToldAlarm {
  const kind = kindOfAlarm(alarm.code);
  const say = (at: number): string => saidTime(at, now, zone);
  if (kind === undefined) return { alarm, sentence: alarm.code, toDo: '' };
  if (alarm.end === null) return { alarm, sentence: kind.began(alarm, say), toDo: kind.toDo(alarm) };
  const { isGone } = alarm.end;
  const sentence = isGone
    ? `${alarm.subject} is gone from the config, so its alarm is over.`
    : kind.ended(alarm, say);
  return { alarm, sentence, toDo: '' };
}

export interface ToldNotice extends Omit<Notice, 'began' | 'ended'> {
  readonly began: readonly ToldAlarm[];
  readonly ended: readonly ToldAlarm[];
}

export function toldNotice({ began, ended, ...notice }: Notice, zone: string): ToldNotice {
  const told = (alarm: Alarm): ToldAlarm => toldAlarm(alarm, notice.at, zone);
  return { ...notice, began: began.map(told), ended: ended.map(told) };
}

/** One paragraph for each alarm, what began first. */
export const paragraphsOf = ({ began, ended }: ToldNotice): readonly string[] => [
  ...began.map(({ sentence, toDo }) => `⚠️ ${sentence} ${toDo}`),
  ...ended.map(({ sentence }) => `✅ ${sentence}`),
];

/**
 * A time for people, on the day of the message without its date: `14:05 UTC`, `22 Nov 14:05 GMT+1`.
 *
 * @param zone an IANA name.
 */
function saidTime(at: number, now: number, zone: string): string {
  const date = localDay(at, zone) === localDay(now, zone) ? '' : `${partsOf(at, zone, DATE)} `;
  return `${date}${minuteText(localTime(at, zone).minute)} ${zoneName(at, zone)}`;
}

const DATE = { day: 'numeric', month: 'short' } as const;

const partsOf = (at: number, zone: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at);

const zoneName = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone;
