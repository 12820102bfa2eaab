import type { EventData } from '../../../../protocol/webhook/events.ts';
import type { EventDescriptor } from '../kind.ts';
import { voteOf, voterOf } from './vote.ts';

type Reached = Pick<EventData<'party'>, 'party' | 'number' | 'votes'>;

export const partyReached: EventDescriptor<'party'> = {
  data: async ({ subject, facts }, source) => ({
    ...(facts as unknown as Reached),
    vote: await voteOf(subject, source),
  }),
  sentence: ({ party, number, votes, vote }) =>
    `Party ${party} was reached: number ${number}, with ${votes} votes${vote === null ? '' : `, the last one by ${voterOf(vote)}`}.`,
};
