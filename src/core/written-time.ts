import { parseInstant } from './instant.ts';
import { instantOf, type LocalTime, localTime, parseMinute } from './local-time.ts';
import { parseDay } from './period.ts';

/** A time as an example has it: without a zone it is what a clock on the wall shows in the config's time zone. */
const LOCAL = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d))?$/;

const SECOND_MS = 1000;

interface WallTime {
  readonly shown: LocalTime;
  /** After the minute. */
  readonly restMs: number;
}

function parseLocal(text: string): WallTime | null {
  const [, date = '', time = '', seconds = '0'] = LOCAL.exec(text) ?? [];
  const [day, minute] = [parseDay(date), parseMinute(time)];
  return day === null || minute === null || Number(seconds) > 59
    ? null
    : { shown: { day, minute }, restMs: Number(seconds) * SECOND_MS };
}

export const isWrittenTime = (text: string): boolean =>
  parseLocal(text) !== null || (text.includes('T') && !LOCAL.test(text) && parseInstant(text) !== null);

const instantAt = ({ shown, restMs }: WallTime, zone: string): number => instantOf(shown, zone) + restMs;

/** In milliseconds since the Unix epoch. @param text for which `isWrittenTime` holds. */
export function readTime(text: string, zone: string): number {
  const local = parseLocal(text);
  return local === null ? (parseInstant(text) as number) : instantAt(local, zone);
}

/** The same time of day on this and the following days: when clocks change, it is the time on the wall that stays. */
export function daily(text: string, days: number, zone: string): { day: number; at: number }[] {
  const first = readTime(text, zone);
  const shown = localTime(first, zone);
  const restMs = first - instantOf(shown, zone);
  return Array.from({ length: days }, (_, later) => {
    const day = shown.day + later;
    return { day, at: instantAt({ shown: { ...shown, day }, restMs }, zone) };
  });
}
