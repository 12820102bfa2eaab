import { parseDay, periodName } from '../core/period.ts';

const TIME_OF_DAY = /^(\d\d):(\d\d)(?::(\d\d))?$/;
/** Lines of several threads may be this much out of order. */
const OUT_OF_ORDER_S = 60;

/** Gives the times of a log their days: game servers log `18:00:01`, and begin a file each day. */
export class LogDays {
  private day: number | null;
  private last = 0;

  /** @param first the day of the first time, such as `2026-11-20`; null: not known. */
  constructor(first: string | null) {
    this.day = first === null ? null : parseDay(first);
  }

  /** @returns the time with its day; as it is written if it has one already, or if no day is known. */
  dated(text: string): string {
    const [, hour, minute, second = '0'] = TIME_OF_DAY.exec(text) ?? [];
    if (hour === undefined || this.day === null) return text;
    const at = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
    if (at < this.last - OUT_OF_ORDER_S) this.day += 1;
    this.last = at;
    return `${periodName('day', this.day)}T${text}`;
  }
}

/** Game servers name the logs of earlier days like `2026-11-20-1.log`. */
export const dayInName = (name: string): string | null => /^(\d{4}-\d\d-\d\d)\D/.exec(name)?.[1] ?? null;
