import type { VoteRow } from '../../src/ledger/ledger.ts';
import { isUndelivered } from './telling.ts';
import type { SentVote } from './votes.ts';

/** Rules 1, 2 and 4: every vote that was answered is recorded, once, at its time. */
export function voteFaults(sent: readonly SentVote[], rows: readonly VoteRow[]): string[] {
  const votes = new Map(sent.map((vote) => [keyOf(vote.site.name, vote.voter, claimOf(vote)), vote]));
  return [
    ...notRecorded(sent, rows).map((vote) => `${nameOf(vote)} was ${heardOf(vote)} and is not recorded`),
    ...sent.filter(isUndelivered).map((vote) => `the webhook of ${nameOf(vote)} is refused for ever`),
    ...recordedTwice(rows),
    ...rows.flatMap((row) => {
      const vote = votes.get(keyOfRow(row));
      return vote === undefined ? [`vote ${row.id} was cast by nobody`] : rowFaults(row, vote);
    }),
  ];
}

/** Those that must be there once a Teller has lived long enough. The API is not asked for votes before `payFrom`. */
export function notRecorded(sent: readonly SentVote[], rows: readonly VoteRow[]): SentVote[] {
  const recorded = new Set(rows.map(keyOfRow));
  return sent
    .filter((vote) => vote.isAnswered || (vote.roads.includes('api') && vote.ruling !== 'before-start'))
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
  const ruling = row.decision === 'rewarded' || row.decision === 'cooldown' ? null : row.decision;
  const isOnTime = castTimesOf(row, vote).includes(row.castAt);
  return [
    ...(ruling === vote.ruling ? [] : [`${nameOf(vote)} is ${row.decision}, not ${vote.ruling}`]),
    ...(isOnTime ? [] : [`${nameOf(vote)} counts as cast at ${row.castAt} (vote ${row.id})`]),
  ];
}

/** A v1 block tells whole seconds here, and a listener believes what lies near the receipt. */
function castTimesOf({ channel, receivedAt }: VoteRow, { votedAt, isTimeless }: SentVote): number[] {
  if (isTimeless) return [receivedAt];
  if (channel === 'listener-v1') return [secondOf(votedAt)];
  return [votedAt];
}

const heardOf = ({ isAnswered }: SentVote): string => (isAnswered ? 'answered' : 'listed');

const nameOf = ({ voter, votedAt }: SentVote): string => `the vote of ${voter} at ${votedAt}`;

/** Nobody here votes twice in a second, so that a second is enough to know a vote by. */
const keyOf = (site: string, recipient: string, claimedAt: number | null): string =>
  `${site} ${recipient.toLowerCase()} ${claimedAt === null ? 'at no time' : secondOf(claimedAt)}`;

const keyOfRow = ({ site, recipient, claimedAt }: VoteRow): string => keyOf(site, recipient, claimedAt);

const claimOf = ({ isTimeless, votedAt }: SentVote): number | null => (isTimeless ? null : votedAt);

const secondOf = (at: number): number => Math.floor(at / 1000) * 1000;
