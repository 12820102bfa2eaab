import type { EventData, VoteData } from '../../../../protocol/webhook/events.ts';
import type { RewardReasons } from '../../../core/decide.ts';
import { isoTime, isoTimeOrNull } from '../../../core/instant.ts';
import { listText } from '../../../core/list-text.ts';
import type { VoteRow } from '../../../ledger/ledger.ts';
import type { EventDescriptor, EventSource } from '../kind.ts';

type Decided = EventData<'vote.rewarded'>;

export const voteRewarded: EventDescriptor<'vote.rewarded'> = {
  data: (row, source) => decided(row.subject, source),
  sentence: (data) => `${voterOf(data.vote)} voted on ${data.vote.site}${earned(data)}.`,
};

export const voteCooldown: EventDescriptor<'vote.cooldown'> = {
  data: (row, source) => decided(row.subject, source),
  sentence: (data) =>
    `${voterOf(data.vote)} voted on ${data.vote.site} again before the cooldown was over${earned(data)}.`,
};

async function decided(id: number | null, source: EventSource): Promise<Decided> {
  const row = await voteRow(id, source);
  return {
    vote: voteData(row),
    nextVoteAt: isoTimeOrNull(row.nextAt),
    rewards: grantedIn(row.reasons),
    paidElsewhere: row.isPaidElsewhere,
  };
}

const grantedIn = (reasons: RewardReasons): string[] =>
  [...reasons].flatMap(([reward, { code }]) => (code === 'granted' ? [reward] : []));

function earned({ rewards, paidElsewhere }: Decided): string {
  if (rewards.length === 0) return '';
  return ` and earned ${listText(rewards, 'and')}${paidElsewhere ? ', which the other listener pays' : ''}`;
}

/** The vote of an event that is about one: votes are never removed. */
async function voteRow(id: number | null, source: EventSource): Promise<VoteRow> {
  const [row] = id === null ? [] : await source.votes({ id, limit: 1 });
  if (row === undefined) throw new Error(`the ledger has no vote ${id}`);
  return row;
}

export const voteOf = async (id: number | null, source: EventSource): Promise<VoteData | null> =>
  id === null ? null : voteData(await voteRow(id, source));

const voteData = ({ id, service, player, recipient, channel, castAt, receivedAt }: VoteRow): VoteData => ({
  id,
  site: service,
  player,
  userId: player === null ? recipient : null,
  channel,
  votedAt: isoTime(castAt),
  receivedAt: isoTime(receivedAt),
});

/** Whom a sentence names. */
export const voterOf = ({ player, userId }: Pick<VoteData, 'player' | 'userId'>): string =>
  player ?? userId ?? 'someone';
