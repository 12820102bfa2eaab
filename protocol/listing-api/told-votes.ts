import { z } from 'zod';

/**
 * What a receiver needs of a vote record. How IDs and times are written is not stated, and what a receiver can read it
 * takes: votes are lost where it cannot.
 */
const ToldVote = z.object({
  id: z.union([z.string().min(1).max(128), z.int()]).transform(String),
  userId: z.string(),
  votedAt: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  metadata: z
    .object({ playerName: z.string().nullish() })
    .nullish()
    .transform((metadata) => (metadata?.playerName == null ? {} : { playerName: metadata.playerName })),
});
export interface ToldVote {
  readonly id: string;
  readonly userId: string;
  /** Milliseconds since the Unix epoch. */
  readonly votedAt: number;
  readonly metadata: { readonly playerName?: string };
}

/** A record that is no vote, as JSON, and why. */
export interface UnreadVote {
  readonly text: string;
  readonly why: string;
  /** Where that much of it can be read: the votes of a page are reached by the times of all its records. */
  readonly votedAt: number | null;
}

export interface ToldVotes {
  readonly votes: readonly ToldVote[];
  readonly unread: readonly UnreadVote[];
}

const Dated = ToldVote.pick({ votedAt: true });

/** [API-9] Each record by itself: one that cannot be read holds up no other. Where none can be, it may be no answer of the API's. */
export const ToldVotes = z.array(z.unknown()).transform((records): ToldVotes => {
  const votes: ToldVote[] = [];
  const unread: UnreadVote[] = [];
  for (const [index, record] of records.entries()) {
    const read = ToldVote.safeParse(record);
    if (read.success) votes.push(read.data);
    else {
      const votedAt = Dated.safeParse(record).data?.votedAt ?? null;
      unread.push({ text: JSON.stringify(record), why: whyOf(read.error, index), votedAt });
    }
  }
  return { votes, unread };
});

/** Why what was told is of no use at all: it has records, and none of them is a vote. null: it is of use. */
export const whyUnfit = ({ votes, unread: [first] }: ToldVotes): string | null =>
  votes.length > 0 || first === undefined ? null : first.why;

function whyOf({ issues }: z.ZodError, index: number): string {
  const { path = [], message = '' } = issues[0] ?? {};
  return `${[index, ...path].map(String).join('.')}: ${message}`;
}
