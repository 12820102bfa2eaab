import type { PlannedGrant } from '../../core/decide.ts';
import { FORWARD, type ForwardTarget } from '../../core/forward.ts';
import type { Arrival } from '../../rewards/reward.ts';
import type { GrantCause, InitialState, NewGrants } from './new-grants.ts';

/** Owes a new vote to each target, as a grant. The caller holds the transaction, which also records the vote. */
export function storeForwards(
  newGrants: NewGrants,
  { rules, forward }: Pick<Arrival, 'rules' | 'forward'>,
  { causeId, recipientId }: Pick<GrantCause, 'causeId' | 'recipientId'>,
  { initial, isPaidElsewhere }: { readonly initial: InitialState; readonly isPaidElsewhere: boolean },
  now: number,
): void {
  if (forward === undefined) return;
  // Without a player: a forward is not paid to whoever has the name later, but names the player that the site named.
  const cause = { cause: 'vote', causeId, recipientId, player: null } as const;
  for (const target of rules.targets ?? [])
    if (isPaidElsewhere || !target.pays) newGrants.insert(cause, grantFor(target, forward), initial, now);
}

/**
 * Takes the voter's address out of the forwards of votes.
 *
 * @param votes a condition for `cause_id`.
 */
export const withoutAddress = (votes: string): string => `
  UPDATE commands SET text = json_set(text, '$.address', '')
  WHERE grant_id IN (SELECT id FROM grants WHERE ${votes} AND cause = 'vote' AND reward = '${FORWARD}') AND json_valid(text)`;

const grantFor = ({ server, maxAgeMs }: ForwardTarget, forward: string): PlannedGrant => ({
  reward: FORWARD,
  ...{ occasion: '', server, practice: false, when: 'always', safeToRunTwice: false },
  terms: { delayMs: 0, expiresAfterMs: maxAgeMs },
  ...{ announcement: null, choice: null, filled: {} },
  commands: [forward],
});
