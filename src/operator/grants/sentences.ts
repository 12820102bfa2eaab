import type { Choice } from '../../core/choice.ts';
import { printable } from '../../core/printable.ts';
import type { Ways } from '../trace/grant-ways.ts';
import { type GrantActionName, grantActions } from './actions.ts';
import type { ChangedState, GrantChange, GrantChangeRefusal } from './change.ts';
import type { GrantFault, RerenderFault } from './rerender.ts';

/** What became of changes of grants, for commands and pages. */

/** Follows `grant 7`. */
const doneTexts: Readonly<Record<GrantActionName, string>> = {
  pay: 'will be paid by the running Teller',
  ran: 'continues after the command that ran',
  'mark-paid': 'counts as paid',
  cancel: 'is cancelled',
};

/** Why no grant was changed. */
export const refusalText = (refusal: GrantChangeRefusal): string =>
  refusal.kind === 'player-not-allowed'
    ? notAllowedText(refusal.payee, refusal.bedrockPrefixes)
    : `${refusal.faults.map(faultText).join('; ')}; nothing was changed`;

function notAllowedText(payee: string, bedrockPrefixes: readonly string[]): string {
  const prefixes = bedrockPrefixes.map((prefix) => `"${prefix}"`).join(' or ');
  const bedrock = prefixes === '' ? '' : ` (after ${prefixes} for a Bedrock player)`;
  return `“${printable(payee, 64)}” cannot be a player's name: use 1 to 16 characters from A-Z a-z 0-9 _${bedrock}, spelled as the game server shows the name.`;
}

export const faultText = ({ grantId, fault }: GrantFault): string =>
  `grant ${grantId}: ${rerenderText(fault)}`;

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
  const done = isFinished ? 'counts as paid: it has no commands left to run' : doneTexts[name];
  const payee = redirected === null ? '' : `: to ${redirected.to} instead of ${redirected.insteadOf}`;
  return `grant ${id} ${done}${payee}`;
}

/** `3 grants will be paid by the running Teller` */
export const allChangedText = (name: GrantActionName, count: number): string =>
  `${count} grants ${pluralOf[name]}`;

const pluralOf: Readonly<Record<GrantActionName, string>> = {
  pay: 'will be paid by the running Teller',
  ran: 'continue after the command that ran',
  'mark-paid': 'count as paid',
  cancel: 'are cancelled',
};

export function unchangedText(
  name: GrantActionName,
  change: Extract<GrantChange, { kind: 'unchanged' }>,
  ways: Ways,
): string {
  const { id } = change;
  switch (change.problem) {
    case 'grant-missing':
      return `there is no grant ${id} in the ledger`;
    case 'grant-nowhere':
      return `grant ${id} is for ${change.server}, a game server that is not in the config, or not of its kind: add it to gameServers again, or cancel the grant`;
    case 'grant-for-user':
      return `grant ${id} names no player to pay, because it is for a user ID or forwards a vote: ${ways.pay(id)} pays it as it is`;
    case 'grant-none-ran':
      return `no command of grant ${id} may have run, so none can be counted as run: use ${ways.pay(id)} or ${ways.markPaid(id)}`;
    case 'grant-moved-on':
      return movedOnText(name, change, ways);
  }
}

function movedOnText(
  name: GrantActionName,
  { id, state }: { readonly id: number; readonly state: ChangedState },
  ways: Ways,
): string {
  const { from } = grantActions[name];
  if (from.some((allowed) => allowed === state))
    return `grant ${id} has changed since it was shown, and is ${state}: look at it again; nothing was changed`;
  return `grant ${id} is ${stateText(state)}, but ${wayOf[name](ways, id)} is only for grants that are ${from.join(' or ')}; nothing was changed`;
}

const wayOf: Readonly<Record<GrantActionName, (ways: Ways, id: number) => string>> = {
  pay: (ways, id) => ways.pay(id),
  ran: (ways, id) => ways.ran(id),
  'mark-paid': (ways, id) => ways.markPaid(id),
  cancel: (ways, id) => ways.cancel(id),
};

const stateText = (state: ChangedState): string =>
  state === 'sending' ? 'being sent right now (sending)' : state;
