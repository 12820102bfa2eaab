import type { EventData } from '../../../../protocol/webhook/events.ts';
import { isoTime, isoTimeOrNull } from '../../../core/instant.ts';
import type { EventDescriptor } from '../kind.ts';

type Health = EventData<'health'>;

/** As the ledger stores it, with times in milliseconds. */
type Stored = Omit<Health, 'since' | 'until'> & { readonly since: number; readonly until: number | null };

export const health: EventDescriptor<'health'> = {
  data: async ({ facts }) => {
    const { since, until, ...rest } = facts as unknown as Stored;
    return { ...rest, since: isoTime(since), until: isoTimeOrNull(until) };
  },
  sentence: ({ state, sentence, toDo }) => (state === 'began' ? `⚠️ ${sentence} ${toDo}` : `✅ ${sentence}`),
};
