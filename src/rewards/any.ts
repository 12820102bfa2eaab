import { listText } from '../core/list-text.ts';
import { condition, type NestedIf } from './condition.ts';

const ARMS_MAX = 10;

/** Holds if one of several `if` holds; the first of them whose occasion was not granted yet gives it. */
export const any = condition({
  schema: ({ list, nestedIf }) =>
    list(nestedIf(), 1, ARMS_MAX)
      .meta({ title: 'list of `if`' })
      .describe('At least one of these has to hold; each is written like an `if`, without `chance`.'),
  example: [{ weekday: ['sat'] }, { firstVote: 'day' }],
  holds: (arms, judging) => {
    const { vote, nested } = judging;
    const decided = arms.filter(
      (arm) => vote.standing === 'rewarded' || nested.isDecided(arm, vote.standing),
    );
    const judged = decided.map((arm) => nested.judge(arm, judging));
    const ways = judged.flatMap((each) => (each.held ? each.ways : []));
    const held = judged.some((each) => each.held);
    const because = { arms: judged.map(({ sentence }) => sentence) };
    if (held) return { held, because: {} as typeof because, ways };
    const beforeStart = judged.map((each) => (each.held ? undefined : each.beforeStart));
    return { held, because, beforeStart: beforeStart.includes(undefined) ? undefined : beforeStart[0] };
  },
  passed: (arms, joining) => arms.flatMap((arm) => joining.passedIn(arm)),
  explain: {
    held: () => null,
    notHeld: ({ arms }) => (arms.length === 0 ? 'none applies' : arms.join('; ')),
  },
  phrase: (arms, nested) => `${arms.length > 1 ? 'either ' : ''}${listText(arms.map(nested), 'or')}`,
  nested: (arms: readonly NestedIf[]) => arms,
});
