import type { VoteRow } from '../../src/ledger/ledger.ts';
import { voterOf } from './ledger-contents.ts';
import { isUndelivered } from './listing-traffic.ts';
import type { SentVote } from './votes.ts';

/** Rules 1, 2 and 4: every vote that was answered is recorded once, with its cast time. */
export function voteFaults(sent: readonly SentVote[], rows: readonly VoteRow[]): string[] {
  const votes = new Map(sent.map((vote) => [keyOf(vote.site.name, vote.voter, claimOf(vote)), vote]));
  return [
    ...notRecorded(sent, rows).map((vote) => `${nameOf(vote)} was ${knownAs(vote)} and is not recorded`),
    ...sent.filter(isUndelivered).map((vote) => `the webhook of ${nameOf(vote)} was never answered`),
    ...recordedTwice(rows),
    ...rows.flatMap((row) => {
      const vote = votes.get(keyOfRow(row));
      return vote === undefined ? [`vote ${row.id} was never cast`] : rowFaults(row, vote);
    }),
  ];
}

/** Votes that are missing in the ledger. The API is not asked for votes before `payFrom`. */
export function notRecorded(sent: readonly SentVote[], rows: readonly VoteRow[]): SentVote[] {
  const recorded = new Set(rows.map(keyOfRow));
  return sent
    .filter(
      (vote) =>
        vote.isAnswered || (vote.channels.includes('api') && vote.expectedDecision !== 'before-start'),
    )
    .filter((vote) => !recorded.has(keyOf(vote.site.name, vote.voter, claimOf(vote))));
}

function recordedTwice(rows: readonly VoteRow[]): string[] {
  const seen = new Map<string, number>();
  return rows.flatMap((row) => {
    const first = seen.get(keyOfRow(row));
    seen.set(keyOfRow(row), row.id);
    return first === undefined ? [] : [`votes ${first} and ${row.id} of ${row.recipient} are the same`];
  });
}

function rowFaults(row: VoteRow, vote: SentVote): string[] {
  const expectedDecision = row.decision === 'rewarded' || row.decision === 'cooldown' ? null : row.decision;
  const isOnTime = castTimesOf(row, vote).includes(row.castAt);
  return [
    ...(expectedDecision === vote.expectedDecision
      ? []
      : [`${nameOf(vote)} is ${row.decision}, not ${vote.expectedDecision}`]),
    ...(isOnTime ? [] : [`${nameOf(vote)} counts as cast at ${row.castAt} (vote ${row.id})`]),
  ];
}

const CLAIMS_BELIEVED_MS = 10 * 60_000;

/** A v1 block has whole seconds here. A listener uses a claimed time that is near the receipt (rule 4). */
function castTimesOf({ channel, receivedAt }: VoteRow, { votedAt, isTimeless }: SentVote): number[] {
  const isListener = channel === 'listener-v1' || channel === 'listener-v2';
  if (isTimeless || (isListener && receivedAt - votedAt > CLAIMS_BELIEVED_MS)) return [receivedAt];
  if (channel === 'listener-v1') return [secondOf(votedAt)];
  return [votedAt];
}

const knownAs = ({ isAnswered }: SentVote): string => (isAnswered ? 'answered' : 'listed');

const nameOf = ({ voter, votedAt }: SentVote): string => `the vote of ${voter} at ${votedAt}`;

/** No voter here votes twice within a second, so the second identifies the vote. */
const keyOf = (site: string, recipient: string, claimedAt: number | null): string =>
  `${site} ${recipient.toLowerCase()} ${claimedAt === null ? 'at no time' : secondOf(claimedAt)}`;

const keyOfRow = (row: VoteRow): string => keyOf(row.service, voterOf(row), row.claimedAt);

const claimOf = ({ isTimeless, votedAt }: SentVote): number | null => (isTimeless ? null : votedAt);

const secondOf = (at: number): number => Math.floor(at / 1000) * 1000;
