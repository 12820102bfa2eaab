import type { EventData } from '../../../../protocol/webhook/events.ts';
import type { EventRow } from '../../../ledger/ledger.ts';
import type { EventDescriptor, EventSource } from '../kind.ts';
import { voteOf, voterOf } from './vote.ts';

type Granted = EventData<'grant.held'>;

export const grantDelivered: EventDescriptor<'grant.delivered'> = {
  data: granted,
  sentence: ({ grant }) =>
    grant.reason === 'marked-paid'
      ? `${grant.reward} for ${voterOf(grant)} was marked as paid.`
      : `${voterOf(grant)} was paid ${grant.reward} on ${grant.server}.`,
};

export const grantHeld: EventDescriptor<'grant.held'> = {
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
