import { weekdayOf } from '../core/period.ts';
import { condition } from './condition.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const SHOWN = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Holds for votes that were cast on these days of the week. */
export const weekday = condition({
  schema: ({ z, distinct }) =>
    distinct(z.enum(WEEKDAYS), 1, 7).describe('Only votes that were cast on these days of the week.'),
  example: ['sat', 'sun'],
  holds: (wanted, { vote }) => {
    const day = weekdayOf(vote.day);
    return { held: wanted.some((name) => WEEKDAYS.indexOf(name) === day), because: { day } };
  },
  explain: { held: () => null, notHeld: ({ day }) => `is ${SHOWN[day]}` },
});
