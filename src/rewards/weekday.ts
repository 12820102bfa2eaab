import { listText } from '../core/list-text.ts';
import { weekdayOf } from '../core/period.ts';
import { condition } from './condition.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Holds for votes that were cast on these days of the week. */
export const weekday = condition({
  schema: ({ z, distinct }) =>
    distinct(z.enum(WEEKDAYS), 1, 7).describe('Only votes that were cast on these days of the week.'),
  example: ['sat', 'sun'],
  holds: (wanted, { vote }) => {
    const day = weekdayOf(vote.day);
    return { held: wanted.some((name) => WEEKDAYS.indexOf(name) === day), because: { day } };
  },
  explain: { held: () => null, notHeld: ({ day }) => `is ${NAMES[day]?.slice(0, 3)}` },
  phrase: (wanted) => {
    const days = wanted.map((day) => NAMES[WEEKDAYS.indexOf(day)] ?? day);
    return `on ${listText(days, 'or')}`;
  },
});
