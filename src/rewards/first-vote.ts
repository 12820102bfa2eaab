import { condition } from './condition.ts';
import { countVerdict } from './count.ts';

/** Holds for the first counted vote: of the player, or of the player on this site or day. */
export const firstVote = condition({
  schema: ({ z }) =>
    z
      .union([z.literal(true), z.enum(['site', 'day'])], { error: 'must be true, "site" or "day"' })
      .meta({ title: 'true, "site" or "day"' })
      .describe(
        'Paid for the first vote of a player; "site": the first on this site; "day": the first of the day.',
      ),
  example: true,
  decidedFor: 'counted',
  hasThreshold: true,
  period: (first) => (first === 'day' ? first : null),
  holds: (first, judging) =>
    countVerdict({ of: first === true ? 'total' : first, numbers: [{ from: 1, to: 1, step: 1 }] }, judging),
  explain: { held: () => null, notHeld: () => 'not the first' },
  phrase: (first) => `on their first vote${first === true ? '' : FIRST_OF[first]}`,
});

const FIRST_OF = { site: ' on a site', day: ' of the day' } as const;
