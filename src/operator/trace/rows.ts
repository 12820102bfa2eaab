import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import type { Pause } from '../../core/pause.ts';
import { serversIn } from '../../core/pool.ts';
import type { Reason } from '../../core/reason.ts';
import type { GrantRow, VoteRow } from '../../ledger/ledger.ts';
import { grantNote } from './grant-reasons.ts';
import type { TracedGrant } from './vote-trace.ts';

/** A vote in `--json`. Scripts rely on the fields and their order. */
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
  voided: vote.voided === null ? null : { ...vote.voided, at: isoTime(vote.voided.at) },
  decidedAgain: vote.listed === null ? null : { at: isoTime(vote.listed.at), takenBy: vote.listed.takenBy },
  paidElsewhere: vote.isPaidElsewhere,
});

/** A grant in `--json`. Scripts rely on the fields and their order. */
export const grantJson = (grant: GrantRow & Partial<TracedGrant>) => ({
  id: grant.id,
  voteId: grant.voteId,
  player: grant.player,
  reward: grant.reward,
  server: grant.server,
  practice: grant.practice,
  state: grant.state,
  commands: grant.commands.map(({ command, outcome, attempts, reply, reason, startedAt, endedAt }) => ({
    command,
    outcome,
    attempts,
    reply: reply ?? reason?.code ?? null,
    startedAt: isoTimeOrNull(startedAt),
    endedAt: isoTimeOrNull(endedAt),
    ...reasonJson(reason),
  })),
  note: grantNote(grant.reason),
  createdAt: isoTime(grant.createdAt),
  changedAt: isoTime(grant.changedAt),
  ...(grant.likelyPlayer === undefined ? {} : { likelyPlayer: grant.likelyPlayer }),
  insteadOf: grant.redirected?.insteadOf ?? null,
  redirectedAt: isoTimeOrNull(grant.redirected?.at ?? null),
  ...reasonJson(grant.reason),
  occasion: grant.occasion,
  choice: grant.choice,
  cause: grant.cause,
  given: grant.given === null ? null : { ...grant.given, at: isoTime(grant.given.at) },
  dueFrom: isoTimeOrNull(grant.dueFrom),
  expiresAt: isoTimeOrNull(grant.expiresAt),
  whereOnline: grant.pool === null ? null : serversIn(grant.pool),
  actions: grant.actions.map((action) => ({ ...action, at: isoTime(action.at) })),
});

/** A pause in `--json`. */
export const pauseJson = ({ server, reward, at, by }: Pause) => ({ server, reward, at: isoTime(at), by });

const reasonJson = (reason: Reason | null) => ({
  reason: reason?.code ?? null,
  facts: reason?.facts ?? null,
});
