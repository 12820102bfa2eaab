import { durationText, durationWords } from '../core/duration.ts';
import { occasion } from '../core/occasion.ts';
import { periodName } from '../core/period.ts';
import { condition } from './condition.ts';

/** Holds if the player's last counted vote was cast longer ago than a duration; never for a first vote. */
export const returning = condition({
  schema: ({ duration }) =>
    duration('1h', '3660d').describe('Paid to a player whose last vote was longer ago than this.'),
  example: '30d',
  decidedFor: 'rewarded',
  period: () => 'day',
  holds: (afterMs, { vote, history }) => {
    const last = history.lastCounted(vote.castAt);
    const awayMs = last === null ? null : vote.castAt - last;
    const because = { awayMs, afterMs };
    if (awayMs === null || awayMs <= afterMs) return { held: false, because };
    return { held: true, because, ways: [[occasion(`return ${periodName('day', vote.day)}`)]] };
  },
  explain: {
    held: ({ awayMs }) => (typeof awayMs === 'number' ? `away for ${durationText(awayMs)}` : null),
    notHeld: ({ awayMs, afterMs }) =>
      awayMs === null
        ? 'a first vote'
        : `away for ${durationText(awayMs)}, needed more than ${durationText(afterMs)}`,
  },
  phrase: (afterMs) => `when they come back after more than ${durationWords(afterMs)} without a vote`,
});
