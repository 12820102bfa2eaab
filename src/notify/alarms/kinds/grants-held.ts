import type { GrantRow } from '../../../ledger/ledger.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind } from '../kind.ts';

type Facts = {
  readonly held: number;
  /** Those that are held because the clock was doubtful when their votes came. */
  readonly ofClock: number;
  /** The latest of them, without its player: messages go to another company's servers. */
  readonly latest: { readonly id: number; readonly reward: string; readonly server: string };
};

/** While the clock is doubted, the grants that are held because of it have an alarm of their own. */
function judgeHeld(
  held: number,
  ofClock: number,
  isClockDoubted: boolean,
  { id, reward, server }: Pick<GrantRow, 'id' | 'reward' | 'server'>,
): Seen<Facts> {
  const count = isClockDoubted ? held - ofClock : held;
  if (count <= 0) return NONE;
  const facts = { held: count, ofClock: isClockDoubted ? 0 : ofClock, latest: { id, reward, server } };
  return { subject: null, state: 'holds', since: null, facts };
}

const NONE: Seen<Facts> = { subject: null, state: 'over', facts: {} };

export const grantsHeld: AlarmKind<Facts> = {
  code: 'grants-held',
  means: 'A grant is held and waits for your decision.',
  lastsMs: 0,
  watch:
    ({ ledger }) =>
    async () => {
      const [latest] = await ledger.grants({ state: 'held', limit: 1 });
      // Counting reads every open grant, so it is done only if there is something to count.
      if (latest === undefined) return [NONE];
      const { held = 0 } = await ledger.grantStates();
      const { held: ofClock, doubt } = await ledger.clock();
      return [judgeHeld(held, ofClock, doubt !== null, latest)];
    },
  began: ({ since, facts: { held, ofClock, latest } }, say) => {
    const which = `${latest.reward} on ${latest.server}, grant ${latest.id}`;
    const what =
      held === 1
        ? `A reward has been held since ${say(since)}: ${which}. It waits for your decision.`
        : `${held} rewards are held, the first since ${say(since)}; the latest is ${which}. They wait for your decision.`;
    return what + clockText(ofClock);
  },
  toDo: ({ facts: { held, ofClock } }) =>
    ofClock === held
      ? 'Look at `teller clock`, then run `teller clock release`.'
      : 'See `teller grants --state held`. Then `teller grants pay`, `ran`, `mark-paid` or `cancel` decides.',
  ended: () => 'No reward is held any more.',
};

function clockText(ofClock: number): string {
  if (ofClock === 0) return '';
  const which = ofClock === 1 ? '1 is' : `${ofClock} are`;
  return ` Of these, ${which} held because the clock was doubtful when the vote came.`;
}
