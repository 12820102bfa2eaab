import type { JudgedArrival } from '../../core/decide.ts';
import { forwardText } from '../../core/forward.ts';
import { identifyingTime } from '../../core/same-vote.ts';
import type { Arrival, Rules } from '../../rewards/reward.ts';

/**
 * What is forwarded of a vote: nothing if the config has no target, or if the vote names no player.
 *
 * @param voterAddress as the site stated it; empty if it did not.
 */
export function forwardOf(
  { vote }: JudgedArrival,
  voterAddress: string,
  { targets }: Rules,
): Pick<Arrival, 'forward'> {
  if (targets === undefined || vote.recipient.kind !== 'player') return {};
  const { service, recipient, claim, receivedAt } = vote;
  const at = identifyingTime(claim, receivedAt);
  return { forward: forwardText({ service, player: recipient.player, address: voterAddress, at }) };
}
