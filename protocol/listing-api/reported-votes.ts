import * as z from 'zod';

/**
 * What a receiver needs from a vote record. The API's specification does not say how IDs and times are written, so every
 * form that can be read is accepted: a vote that cannot be read is lost.
 */
const ReportedVote = z.object({
  id: z.union([z.string().min(1).max(128), z.int()]).transform(String),
  userId: z.string(),
  votedAt: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  metadata: z
    .object({ playerName: z.string().nullish() })
    .nullish()
    .transform((metadata) => (metadata?.playerName == null ? {} : { playerName: metadata.playerName })),
});
export interface ReportedVote {
  readonly id: string;
  readonly userId: string;
  /** Milliseconds since the Unix epoch. */
  readonly votedAt: number;
  readonly metadata: { readonly playerName?: string };
}

/** A record that is not a vote, as JSON, and why. */
export interface UnreadVote {
  readonly text: string;
  readonly why: string;
  /** If at least this can be read: the next page is asked for by the times of all records of this one. */
  readonly votedAt: number | null;
}

export interface ReportedVotes {
  readonly votes: readonly ReportedVote[];
  readonly unread: readonly UnreadVote[];
}

const Dated = ReportedVote.pick({ votedAt: true });

/** [API-9] Reads each record separately, so that one that cannot be read does not hold up the others. */
export const ReportedVotes = z.array(z.unknown()).transform((records): ReportedVotes => {
  const votes: ReportedVote[] = [];
  const unread: UnreadVote[] = [];
  for (const [index, record] of records.entries()) {
    const read = ReportedVote.safeParse(record);
    if (read.success) votes.push(read.data);
    else {
      const votedAt = Dated.safeParse(record).data?.votedAt ?? null;
      unread.push({ text: JSON.stringify(record), why: whyOf(read.error, index), votedAt });
    }
  }
  return { votes, unread };
});

/** Why no record of a response is a vote; then it may not come from the API at all. null: the response can be used. */
export const whyUnfit = ({ votes, unread: [first] }: ReportedVotes): string | null =>
  votes.length > 0 || first === undefined ? null : first.why;

function whyOf({ issues }: z.ZodError, index: number): string {
  const { path = [], message = '' } = issues[0] ?? {};
  return `${[index, ...path].map(String).join('.')}: ${message}`;
}
