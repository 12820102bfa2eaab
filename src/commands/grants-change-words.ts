import type { Choice } from '../core/choice.ts';
import { printable } from '../core/printable.ts';
import { Problem } from '../core/problem.ts';
import { type GrantActionName, grantActions } from '../operator/grants/actions.ts';
import type { ChangedState, GrantChange, GrantChangeRefusal } from '../operator/grants/change.ts';
import type { GrantFault, RerenderFault } from '../operator/grants/rerender.ts';

interface ActionWords {
  readonly description: string;
  /** Followed by the number of grants. */
  readonly question: string;
  /** Follows `grant 7`. */
  readonly done: string;
}

export const words: Readonly<Record<GrantActionName, ActionWords>> = {
  pay: {
    description:
      'pay held or refused grants: resume each one at the command where it stopped (that command is run again); with an ID, --player pays another player',
    question: 'Pay',
    done: 'will be paid by the running Teller',
  },
  ran: {
    description: 'confirm that the command a grant stopped at did run, and run the remaining ones',
    question: 'Count the command that stopped it as run, and pay the rest, for',
    done: 'continues after the command that ran',
  },
  'mark-paid': {
    description: 'mark held or refused grants as paid; nothing more is run',
    question: 'Count as paid',
    done: 'counts as paid',
  },
  cancel: {
    description: 'cancel open grants; nothing more is run',
    question: 'Cancel',
    done: 'is cancelled',
  },
};

/** Why no grant was changed. */
export function refused(refusal: GrantChangeRefusal): Problem {
  if (refusal.kind === 'player-not-allowed') {
    return new Problem(refusal.kind, notAllowedText(refusal.payee, refusal.bedrockPrefixes));
  }
  const faults = refusal.faults.map(faultText).join('; ');
  return new Problem(refusal.kind, `${faults}; nothing was changed`);
}

function notAllowedText(payee: string, bedrockPrefixes: readonly string[]): string {
  const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  const bedrock = prefixes === '' ? '' : ` (after ${prefixes} for a Bedrock player)`;
  return `“${printable(payee, 64)}” cannot be a player's name: use 1 to 16 characters from A-Z a-z 0-9 _${bedrock}, spelled as the game server shows the name.`;
}

const faultText = ({ grantId, fault }: GrantFault): string => `grant ${grantId}: ${rerenderText(fault)}`;

function rerenderText(fault: RerenderFault): string {
  switch (fault.kind) {
    case 'reward-gone':
      return `the reward ${fault.reward} is no longer in the config`;
    case 'choice-gone':
      return `the reward ${fault.reward} no longer has ${choiceKey(fault.choice)} in the config, which the grant was given`;
    case 'value-unknown':
      return `the reward ${fault.reward} now uses ${fault.placeholder} in the config, but its value at the time of the vote was not stored`;
    case 'more-commands':
      return `the reward ${fault.reward} now has ${fault.has} commands in the config, but the grant owes ${fault.owed}`;
    case 'vote-missing':
      return `vote ${fault.voteId} is not in the ledger`;
    case 'nothing-to-fill-in':
      return `the reward ${fault.reward} now uses {${fault.placeholder}} in the config, but ${fault.voteId === null ? 'a reward without a vote' : `vote ${fault.voteId}`} has none`;
  }
}

/** As it is called in the config. */
const choiceKey = (choice: Choice): string =>
  'name' in choice ? `${JSON.stringify(choice.name)} in \`${choice.from}\`` : `\`${choice.from}\``;

/** `grant 7 will be paid by the running Teller: to .BedHead instead of BedHead` */
export function changedText(
  name: GrantActionName,
  { id, state, redirected }: Extract<GrantChange, { kind: 'changed' }>,
): string {
  const isFinished = grantActions[name].to === 'pending' && state === 'delivered';
  const done = isFinished ? 'counts as paid: it has no commands left to run' : words[name].done;
  const payee = redirected === null ? '' : `: to ${redirected.to} instead of ${redirected.insteadOf}`;
  return `grant ${id} ${done}${payee}`;
}

export function unchangedText(
  name: GrantActionName,
  change: Extract<GrantChange, { kind: 'unchanged' }>,
  ledger: string,
): string {
  const { id, state } = change;
  switch (change.problem) {
    case 'grant-missing':
      return `there is no grant ${id} in ${ledger}`;
    case 'grant-nowhere':
      return `grant ${id} is for ${change.server}, a game server that is not in the config, or not of its kind: add it to gameServers again, or cancel the grant`;
    case 'grant-for-user':
      return `grant ${id} names no player to pay, because it is for a user ID or forwards a vote: leave out --player`;
    case 'grant-none-ran':
      return `no command of grant ${id} may have run, so none can be counted as run: use \`teller grants pay ${id}\` or \`teller grants mark-paid ${id}\``;
    case 'grant-moved-on':
      return `grant ${id} is ${stateText(state)}, but ${name} is only for grants that are ${grantActions[name].from.join(' or ')}; nothing was changed`;
  }
}

const stateText = (state: ChangedState): string =>
  state === 'sending' ? 'being sent right now (sending)' : state;
