import type { PlannedGrant } from '../core/decide.ts';
import { NO_SERVICE_NAME } from '../core/service-name.ts';
import { cleanService, openCommand } from '../core/template.ts';
import type { Vote } from '../core/vote.ts';
import type { Reward, Rules } from './reward.ts';

/** What a reward owes for a vote and an occasion: a grant on each of its game servers. */
export function planGrants(
  reward: Reward,
  occasion: string,
  vote: Pick<Vote, 'service' | 'site' | 'recipient'>,
  rules: Rules,
): readonly PlannedGrant[] {
  const userId = vote.recipient.kind === 'user' ? vote.recipient.key : null;
  const commands = openCommands(reward, { ...vote, userId }, rules.labels);
  const { name, when, safeToRunTwice } = reward;
  return reward.servers.map((server) => ({
    reward: name,
    occasion,
    server,
    practice: rules.practiceServers.has(server),
    when,
    safeToRunTwice,
    commands,
  }));
}

/** What a reward's commands need to know of a vote. */
export interface VoteInCommands {
  readonly service: string;
  readonly site: string;
  /** null for a recipient with a player name. */
  readonly userId: string | null;
}

/** A reward's commands for a vote, with `{player}` not replaced yet. */
export function openCommands(reward: Reward, vote: VoteInCommands, labels: Rules['labels']): string[] {
  const service = cleanService(vote.service);
  const values = {
    site: labels.get(vote.site) ?? (vote.service === '' ? NO_SERVICE_NAME : service),
    service,
    ...(vote.userId === null ? {} : { userId: vote.userId }),
  };
  return reward.commands.map((template) => openCommand(template, values));
}
