/** A vote that the other side had to decide about. */
export interface TheirVote {
  readonly id: number;
  readonly service: string;
  /** Its receipt here, in ms since the Unix epoch. */
  readonly receivedAt: number;
  /** Whether it took its window here, so that it has to be paid. */
  readonly isOwed: boolean;
}

/** Something that the other side paid to the player. */
export interface Payment {
  readonly line: number;
  readonly service: string | null;
  readonly at: number | null;
}

export interface Compared {
  /** Votes that are owed and were not paid. */
  readonly unpaid: readonly TheirVote[];
  /** Payments right after a vote that was paid already. */
  readonly twice: readonly Payment[];
  /** Payments of votes within the cooldown, too old or otherwise not owed. */
  readonly notOwed: readonly Payment[];
  /** Payments for which there is no vote: what was owed before, or paid for other reasons. */
  readonly withoutVote: readonly Payment[];
}

/** Two programs on one machine write down the same moment up to this far apart. */
const CLOCKS_APART_MS = 5_000;
/** A payment this soon after a vote is of this vote. */
const PROMPT_MS = 60_000;

/**
 * Which votes of one player were paid. First, payments right after a vote are its own. The others, such as those of a player
 * who was away, belong to the oldest votes before them that are not paid yet.
 */
export function comparePlayer(votes: readonly TheirVote[], payments: readonly Payment[]): Compared {
  const paid = new Set<TheirVote>();
  const twice: Payment[] = [];
  const notOwed: Payment[] = [];
  const rest: Payment[] = [];
  const byTime = votes.toSorted((a, b) => a.receivedAt - b.receivedAt);
  const settle = (payment: Payment, vote: TheirVote): void => {
    paid.add(vote);
    if (!vote.isOwed) notOwed.push(payment);
  };
  for (const payment of payments.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))) {
    const prompt = byTime.filter((vote) => isOfService(payment, vote) && isPrompt(payment, vote));
    const vote = bestOf(prompt, paid, payment);
    if (vote !== undefined) settle(payment, vote);
    else if (prompt.length > 0) twice.push(payment);
    else rest.push(payment);
  }
  const withoutVote = rest.filter((payment) => {
    const vote = byTime.find(
      (each) => each.isOwed && !paid.has(each) && isOfService(payment, each) && isBefore(each, payment),
    );
    if (vote !== undefined) settle(payment, vote);
    return vote === undefined;
  });
  return { unpaid: byTime.filter((vote) => vote.isOwed && !paid.has(vote)), twice, notOwed, withoutVote };
}

/** The latest that is owed and not paid yet; otherwise the one right before the payment, if that is not paid yet. */
const bestOf = (
  prompt: readonly TheirVote[],
  paid: ReadonlySet<TheirVote>,
  { at }: Payment,
): TheirVote | undefined => {
  const owed = prompt.findLast((vote) => vote.isOwed && !paid.has(vote));
  const before = prompt.findLast(({ receivedAt }) => at !== null && receivedAt <= at) ?? prompt.at(-1);
  return owed ?? (before === undefined || paid.has(before) ? undefined : before);
};

const isOfService = ({ service }: Payment, vote: TheirVote): boolean =>
  service === null || service === vote.service;

const isBefore = ({ receivedAt }: TheirVote, { at }: Payment): boolean =>
  at === null || receivedAt <= at + CLOCKS_APART_MS;

const isPrompt = ({ at }: Payment, { receivedAt }: TheirVote): boolean =>
  at !== null && receivedAt <= at + CLOCKS_APART_MS && at <= receivedAt + PROMPT_MS;
