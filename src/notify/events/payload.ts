import type { EventData, EventName, EventPayload, VoteData } from '../../../protocol/events.ts';
import { PAYLOAD_VERSION } from '../../../protocol/webhook.ts';
import type { RewardReasons } from '../../core/decide.ts';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import type { EventRow, VoteRow } from '../../ledger/ledger.ts';
import type { EventDescriptor, EventSource } from './kind.ts';

/** An event as receivers get it. What it tells is read when it is sent. Rejects with the ledger's Problem. */
export async function payloadOf(row: EventRow, source: EventSource): Promise<EventPayload> {
  const { eventId, kind, at } = row;
  const data = await descriptorOf(kind).data(row, source);
  const envelope = { version: PAYLOAD_VERSION, eventId, timestamp: isoTime(at), test: false };
  return { event: kind, ...envelope, data } as EventPayload;
}

/** One or two sentences for people. */
export const eventSentence = ({ event, data }: EventPayload): string => descriptorOf(event).sentence(data);

/** A descriptor takes the data of its own kind, which the compiler cannot see for a union. */
const descriptorOf = <Name extends EventName>(
  kind: Name,
): EventDescriptor<Name> & { sentence(data: EventData<EventName>): string } =>
  eventDescriptors[kind] as never;

type Decided = EventData<'vote.rewarded'>;

const voteRewarded: EventDescriptor<'vote.rewarded'> = {
  data: (row, source) => decided(row.subject, source),
  sentence: (data) => `${voterOf(data.vote)} voted on ${data.vote.site}${earned(data)}.`,
};

const voteCooldown: EventDescriptor<'vote.cooldown'> = {
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

const voteOf = async (id: number | null, source: EventSource): Promise<VoteData | null> =>
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
const voterOf = ({ player, userId }: Pick<VoteData, 'player' | 'userId'>): string =>
  player ?? userId ?? 'someone';

type Health = EventData<'health'>;

/** As the ledger stores it, with times in milliseconds. */
type Stored = Omit<Health, 'since' | 'until'> & { readonly since: number; readonly until: number | null };

const health: EventDescriptor<'health'> = {
  data: async ({ facts }) => {
    const { since, until, ...rest } = facts as unknown as Stored;
    return { ...rest, since: isoTime(since), until: isoTimeOrNull(until) };
  },
  sentence: ({ state, sentence, toDo }) => (state === 'began' ? `⚠️ ${sentence} ${toDo}` : `✅ ${sentence}`),
};

type Granted = EventData<'grant.held'>;

const grantDelivered: EventDescriptor<'grant.delivered'> = {
  data: granted,
  sentence: ({ grant }) =>
    grant.reason === 'marked-paid'
      ? `${grant.reward} for ${voterOf(grant)} was marked as paid.`
      : `${voterOf(grant)} was paid ${grant.reward} on ${grant.server}.`,
};

const grantHeld: EventDescriptor<'grant.held'> = {
  data: granted,
  sentence: ({ grant }) => {
    const what = `${grant.reward} for ${voterOf(grant)} on ${grant.server}`;
    const toDo = `\`teller explain ${voterOf(grant)}\` says what is known and what to do.`;
    return grant.state === 'refused'
      ? `${what} was refused. ${toDo}`
      : `${what} is held [${grant.reason}]. ${toDo}`;
  },
};

async function granted({ subject, facts }: EventRow, source: EventSource): Promise<Granted> {
  const [row] = subject === null ? [] : await source.grants({ id: subject, limit: 1 });
  if (row === undefined) throw new Error(`the ledger has no grant ${subject}`);
  const { id, reward, occasion, server, practice, player, recipient } = row;
  return {
    grant: {
      ...{ id, reward, occasion, server, practice, player },
      userId: player === null ? recipient : null,
      state: facts?.state as Granted['grant']['state'],
      reason: (facts?.reason ?? null) as string | null,
      commands: row.commands.map(({ command }) => command),
    },
    vote: await voteOf(row.voteId, source),
  };
}

type Reached = Pick<EventData<'party'>, 'party' | 'number' | 'votes'>;

const partyReached: EventDescriptor<'party'> = {
  data: async ({ subject, facts }, source) => ({
    ...(facts as unknown as Reached),
    vote: await voteOf(subject, source),
  }),
  sentence: ({ party, number, votes, vote }) =>
    `Party ${party} was reached: number ${number}, with ${votes} votes${vote === null ? '' : `, the last one by ${voterOf(vote)}`}.`,
};

type Refused = EventData<'vote.refused'>;

/** The hour as the ledger stores it, in milliseconds since the Unix epoch. */
interface RefusedHour {
  readonly from: number;
  readonly until: number;
}
type StoredRefused = Omit<Refused, keyof RefusedHour> & RefusedHour;

/** So many causes are named in a sentence. */
const NAMED = 3;

const voteRefused: EventDescriptor<'vote.refused'> = {
  data: async ({ facts }) => {
    const { from, until, ...sums } = facts as unknown as StoredRefused;
    return { from: isoTime(from), until: isoTime(until), ...sums };
  },
  sentence: ({ from, until, total, refusals, others }) => {
    const named = refusals.slice(0, NAMED);
    const rest = others + refusals.slice(NAMED).reduce((sum, { count }) => sum + count, 0);
    const causes = [...named.map(cause), ...(rest === 0 ? [] : [`${rest} for other causes`])];
    const votes = total === 1 ? '1 vote was' : `${total} votes were`;
    return `${votes} refused from ${timeOfDay(from)} to ${timeOfDay(until)} UTC: ${causes.join(', ')}. \`teller check\` says what to do.`;
  },
};

const cause = ({ code, site, count }: Refused['refusals'][number]): string =>
  `${count} ${code}${site === null || site === '' ? '' : ` of ${site}`}`;

const timeOfDay = (instant: string): string => instant.slice(11, 16);

const eventDescriptors: { readonly [Name in EventName]: EventDescriptor<Name> } = {
  'vote.rewarded': voteRewarded,
  'vote.cooldown': voteCooldown,
  'vote.refused': voteRefused,
  'grant.delivered': grantDelivered,
  'grant.held': grantHeld,
  party: partyReached,
  health,
};
