import { isoTime, isoTimeOrNull } from '../core/instant.ts';
import type { GrantRow, VoteRow } from '../ledger/ledger.ts';

/** A vote in `--json`: the fields and their order are a contract with scripts. */
export const voteJson = (vote: VoteRow) => ({
  id: vote.id,
  service: vote.service,
  site: vote.site,
  recipient: vote.recipient,
  player: vote.player,
  castAt: isoTime(vote.castAt),
  claimedAt: isoTimeOrNull(vote.claimedAt),
  receivedAt: isoTime(vote.receivedAt),
  channel: vote.channel,
  address: vote.address,
  decision: vote.decision,
  nextAt: isoTimeOrNull(vote.nextAt),
});

/** A grant in `--json`; the same holds. */
export const grantJson = (grant: GrantRow) => ({
  id: grant.id,
  voteId: grant.voteId,
  player: grant.player,
  reward: grant.reward,
  server: grant.server,
  practice: grant.practice,
  state: grant.state,
  commands: grant.commands.map(({ command, outcome, attempts, reply, startedAt, endedAt }) => ({
    command,
    outcome,
    attempts,
    reply,
    startedAt: isoTimeOrNull(startedAt),
    endedAt: isoTimeOrNull(endedAt),
  })),
  note: grant.note,
  createdAt: isoTime(grant.createdAt),
  changedAt: isoTime(grant.changedAt),
  likelyPlayer: grant.likelyPlayer,
  insteadOf: grant.redirected?.insteadOf ?? null,
  redirectedAt: isoTimeOrNull(grant.redirected?.at ?? null),
});
