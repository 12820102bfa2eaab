/** What is promised about votes: each is recorded once, with its cast time, and is rewarded once in its window. */
import { type LedgerContents, type VoteRow, voterOf } from './ledger-contents.ts';
import { NEW_SITES, SITES } from './sites.ts';
import { isUndelivered } from './traffic.ts';
import type { SentVote } from './voters.ts';

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

/**
 * Rule 3, written independently: two rewarded votes of one site and recipient are at least a window apart, and a vote in
 * cooldown is less than a window from a rewarded vote that was recorded before it.
 *
 * @param rows in the order in which they were recorded.
 */
export function windowFaults(rows: readonly VoteRow[]): string[] {
  const rewarded = new Map<string, VoteRow[]>();
  return rows
    .filter(({ decision }) => decision === 'rewarded' || decision === 'cooldown')
    .flatMap((row) => {
      const key = `${row.service} ${voterOf(row)}`;
      const before = rewarded.get(key) ?? [];
      if (row.decision === 'rewarded') rewarded.set(key, [...before, row]);
      return faultsOf(row, before);
    });
}

function faultsOf(row: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const near = rewarded.filter(({ castAt }) => distance(castAt, row.castAt) < windowOf(row));
  const who = `vote ${row.id} of ${row.recipient}`;
  if (row.decision === 'rewarded') {
    return near.map(
      ({ id, castAt }) => `${who} is rewarded ${distance(castAt, row.castAt)} ms from vote ${id}`,
    );
  }
  if (near.length === 0) return [`${who} is in cooldown, and nothing rewarded is near it`];
  return nextFaults(row, rewarded).map((fault) => `${who} ${fault}`);
}

/** The stated next time must be possible, as far as was known then. */
function nextFaults(row: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const { castAt, nextAt } = row;
  if (nextAt === null || nextAt <= castAt) return ['has no later time for the next vote'];
  const taken = rewarded.find((other) => distance(other.castAt, nextAt) < windowOf(row));
  return taken === undefined ? [] : [`has a next time that is in the window of vote ${taken.id}`];
}

const distance = (a: number, b: number): number => Math.abs(a - b);

const windowOf = ({ service }: VoteRow): number =>
  [...SITES, ...NEW_SITES].find(({ name }) => name === service)?.windowMs ?? 0;

/**
 * Players vote once on each site that has no entry at first. When all have their entries, each of these votes is rewarded:
 * when it came, because the shared window was free, or when its site got its entry; `grant-promises.ts` checks that it is
 * paid once.
 */
export function newSiteFaults({ votes }: LedgerContents): string[] {
  const isNew = new Set(NEW_SITES.map(({ name }) => name));
  const own = votes.filter(({ service }) => isNew.has(service));
  const shared = new Map<string, number>();
  return own.flatMap((row) => {
    const who = `vote ${row.id} of ${voterOf(row)} on ${row.service}`;
    const isShared = row.site === 'default';
    const before = shared.get(voterOf(row));
    if (isShared) shared.set(voterOf(row), row.id);
    return [
      ...(row.decision === 'rewarded' ? [] : [`${who} is ${row.decision}`]),
      ...(isShared && before !== undefined ? [`${who} took the shared window, as did vote ${before}`] : []),
    ];
  });
}
