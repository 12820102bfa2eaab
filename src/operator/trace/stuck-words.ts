import { capitalized } from '../../core/capitalized.ts';
import { FORWARD } from '../../core/forward.ts';
import type { GrantCode, OwnGrantCode } from '../../core/grant-reason.ts';
import type { Facts } from '../../core/reason.ts';
import { neverSentReasons, unknownReasons } from '../../delivery/outcomes.ts';
import type { StuckGroup } from '../../ledger/ledger.ts';
import { correctTheReward, grantTodos, lookWhetherItRan, plainSentence } from './grant-reasons.ts';
import type { Ways } from './grant-ways.ts';

/** Of all grants that need the operator on one game server for one reason: why, and what to do. */
export interface StuckWords {
  readonly title: string;
  readonly todo: string;
}

type Group = Pick<StuckGroup, 'server' | 'state' | 'reason' | 'grants'>;

/** @param isServed whether the config has the game server; without it, nothing can be paid there. */
export function stuckWords(group: Group, isServed: boolean, ways: Ways): StuckWords {
  const isForward = group.grants[0]?.reward === FORWARD;
  const words = isForward ? forwardWords(group, ways) : rewardWords(group, ways);
  return isServed ? words : { ...words, todo: notServed(group, ways) };
}

/** What is held for these reasons is decided in the same way wherever it is to be paid. */
const SAME_EVERYWHERE: ReadonlySet<GrantCode | null> = new Set(['clock-doubt', 'name-taken']);

/** The codes and facts on which the words depend: where they are equal, the same is said. */
export function stuckFacts({ server, state, reason, grants }: Group, isServed: boolean): Facts {
  const isForward = grants[0]?.reward === FORWARD;
  const isSame = state === 'refused' ? !isForward : SAME_EVERYWHERE.has(reason);
  return { state, reason, server: isSame && isServed ? null : server };
}

const notServed = ({ server }: Group, ways: Ways): string =>
  `add ${server} to \`gameServers\` again, because it is not in the config, then ${ways.pay('ID')}; otherwise ${ways.cancel('ID')}`;

function rewardWords({ server, state, reason }: Group, ways: Ways): StuckWords {
  const concerned = { id: '', server, player: 'the player', command: 'the command', ways };
  if (state === 'refused') return { title: refusedTitle(reason), todo: correctTheReward(concerned) };
  if (reason !== null && mayHaveRun(reason))
    return { title: `A command may have run: ${plainSentence(reason)}`, todo: lookWhetherItRan(concerned) };
  const todo = reason !== null && reason in grantTodos ? grantTodos[reason as OwnGrantCode] : null;
  return { title: heldTitle(reason), todo: (todo ?? grantTodos['other-game-server'])(concerned) };
}

function forwardWords({ server, state, reason }: Group, ways: Ways): StuckWords {
  if (state === 'refused')
    return {
      title: `${server} refused the votes that are forwarded to it`,
      todo: `correct what ${server} says about it, then ${ways.pay('ID')} forwards them again; or ${ways.cancel('ID')}`,
    };
  if (reason === 'clock-doubt' || reason === 'other-game-server') {
    const named = { id: 'ID', server, player: 'the player', command: 'it', ways };
    return { title: heldTitle(reason), todo: grantTodos[reason](named) };
  }
  const why = reason === null ? '' : `: ${plainSentence(reason)}`;
  return {
    title: `Forwarded votes may have reached ${server}${why}`,
    todo: `look on ${server} for each vote: if it is there, ${ways.markPaid('ID')}; if not, ${ways.pay('ID')} forwards it again`,
  };
}

const refusedTitle = (reason: GrantCode | null): string =>
  reason !== null && reason in neverSentReasons
    ? `A command cannot be sent: ${plainSentence(reason)}`
    : 'The game server refused a command';

const heldTitle = (reason: GrantCode | null): string =>
  reason === null ? 'Held without a stored reason' : capitalized(plainSentence(reason));

const mayHaveRun = (reason: GrantCode): boolean => reason in unknownReasons || reason === 'process-ended';
