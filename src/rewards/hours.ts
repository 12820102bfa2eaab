import { localTime, minuteText, parseMinute } from '../core/local-time.ts';
import { condition } from './condition.ts';

const EXPECTED = 'must be two different times such as "18:00-02:00"';

/** Holds for votes that were cast from one time of day to another, which is excluded. It may be past midnight. */
export const hours = condition({
  schema: ({ z, errorSentence }) => {
    const wrong = errorSentence(EXPECTED);
    return z
      .string(wrong)
      .meta({ title: 'hours' })
      .transform((text) => text.split('-').map((time) => parseMinute(time) ?? Number.NaN))
      .refine(([from, to, ...rest]) => isTime(from) && isTime(to) && from !== to && rest.length === 0, wrong)
      .transform((times) => times as [number, number])
      .describe(
        'Only votes that were cast at this time of day; the end is excluded, and may be past midnight.',
      );
  },
  example: '18:00-02:00',
  holds: ([from, to], { vote: { castAt, zone } }) => {
    const { minute } = localTime(castAt, zone);
    const held = from < to ? minute >= from && minute < to : minute >= from || minute < to;
    return { held, because: { minute } };
  },
  explain: { held: () => null, notHeld: ({ minute }) => `is ${minuteText(minute)}` },
  phrase: ([from, to]) => `between ${minuteText(from)} and ${minuteText(to)}`,
});

const isTime = (minute: number | undefined): boolean => minute !== undefined && !Number.isNaN(minute);
