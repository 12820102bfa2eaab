/** What is promised about votes: each is recorded once, with its cast time, and is rewarded once in its window. */
import { broken, grouped, type LedgerContents, type VoteRow, voterOf } from './ledger-contents.ts';
import { NEW_SITES, SITES } from './sites.ts';
import { isUndelivered } from './traffic.ts';
import type { SentVote } from './voters.ts';

/** Rules 1, 2 and 4: every vote that was answered is recorded once, with its cast time. */
export function voteFaults(sent: readonly SentVote[], rows: readonly VoteRow[]): string[] {
  const votes = new Map(sent.map((vote) => [keyOf(vote), vote]));
  const nameOf = ({ voter, votedAt }: SentVote): string => `the vote of ${voter} at ${votedAt}`;
  return [
    ...notRecorded(sent, rows).map(
      (vote) => `${nameOf(vote)} was ${vote.isAnswered ? 'answered' : 'listed'} and is not recorded`,
    ),
    ...sent.filter(isUndelivered).map((vote) => `the webhook of ${nameOf(vote)} was never answered`),
    ...[...grouped(rows, keyOfRow).values()]
      .filter(({ length }) => length > 1)
      .map((same) => `votes ${same.map(({ id }) => id).join(', ')} of ${same[0]?.recipient} are the same`),
    ...rows.flatMap((row) => {
      const vote = votes.get(keyOfRow(row));
      if (vote === undefined) return [`vote ${row.id} was never cast`];
      const { id, castAt, decision } = row;
      const reason = decision === 'rewarded' || decision === 'cooldown' ? null : decision;
      return [
        ...broken(
          reason !== vote.expectedDecision,
          `${nameOf(vote)} is ${decision}, not ${vote.expectedDecision}`,
        ),
        ...broken(
          castTimeOf(row, vote) !== castAt,
          `${nameOf(vote)} counts as cast at ${castAt} (vote ${id})`,
        ),
      ];
    }),
  ];
}

/** Votes that are missing in the ledger. The API is not asked for votes before `payFrom`. */
export function notRecorded(sent: readonly SentVote[], rows: readonly VoteRow[]): SentVote[] {
  const recorded = new Set(rows.map(keyOfRow));
  const isListed = ({ channels, expectedDecision }: SentVote): boolean =>
    channels.includes('api') && expectedDecision !== 'before-start';
  return sent.filter((vote) => (vote.isAnswered || isListed(vote)) && !recorded.has(keyOf(vote)));
}

const CLAIMS_BELIEVED_MS = 10 * 60_000;

/** A v1 block has whole seconds here. A listener uses a claimed time that is near the receipt (rule 4). */
function castTimeOf({ channel, receivedAt }: VoteRow, { votedAt, isTimeless }: SentVote): number {
  const isListener = channel === 'listener-v1' || channel === 'listener-v2';
  if (isTimeless || (isListener && receivedAt - votedAt > CLAIMS_BELIEVED_MS)) return receivedAt;
  return channel === 'listener-v1' ? secondOf(votedAt) : votedAt;
}

const secondOf = (at: number): number => Math.floor(at / 1000) * 1000;

/** No voter here votes twice within a second, so the second identifies the vote. */
const keyAt = (site: string, voter: string, claimedAt: number | null): string =>
  `${site} ${voter.toLowerCase()} ${claimedAt === null ? 'at no time' : secondOf(claimedAt)}`;

const keyOfRow = (row: VoteRow): string => keyAt(row.service, voterOf(row), row.claimedAt);

const keyOf = ({ site, voter, votedAt, isTimeless }: SentVote): string =>
  keyAt(site.name, voter, isTimeless ? null : votedAt);

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
      return faultsOf(row, before).map((fault) => `vote ${row.id} of ${row.recipient} ${fault}`);
    });
}

function faultsOf({ service, decision, castAt, nextAt }: VoteRow, rewarded: readonly VoteRow[]): string[] {
  const windowMs = [...SITES, ...NEW_SITES].find(({ name }) => name === service)?.windowMs ?? 0;
  const distance = (row: VoteRow, at: number): number => Math.abs(row.castAt - at);
  const near = rewarded.filter((row) => distance(row, castAt) < windowMs);
  if (decision === 'rewarded')
    return near.map((row) => `is rewarded ${distance(row, castAt)} ms from vote ${row.id}`);
  if (near.length === 0) return ['is in cooldown, and nothing rewarded is near it'];
  // The stated next time must be possible, as far as was known then.
  if (nextAt === null || nextAt <= castAt) return ['has no later time for the next vote'];
  const taken = rewarded.find((row) => distance(row, nextAt) < windowMs);
  return broken(taken !== undefined, `has a next time that is in the window of vote ${taken?.id}`);
}

/**
 * Players vote once on each site that has no entry at first. When all have their entries, each of these votes is rewarded:
 * when it came, because the shared window was free, or when its site got its entry; `grant-promises.ts` checks that it is
 * paid once.
 */
export function newSiteFaults({ votes }: LedgerContents): string[] {
  const own = votes.filter(({ service }) => NEW_SITES.some(({ name }) => name === service));
  const ofDefault = own.filter(({ site }) => site === 'default');
  return [
    ...own
      .filter(({ decision }) => decision !== 'rewarded')
      .map((row) => `vote ${row.id} of ${voterOf(row)} on ${row.service} is ${row.decision}`),
    ...[...grouped(ofDefault, voterOf)]
      .filter(([, { length }]) => length > 1)
      .map(
        ([voter, rows]) => `votes ${rows.map(({ id }) => id).join(', ')} of ${voter} took the shared window`,
      ),
  ];
}
