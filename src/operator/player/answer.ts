import { durationText } from '../../core/duration.ts';
import { printable } from '../../core/printable.ts';
import { shownService } from '../../core/service-name.ts';
import type { GrantRow, VoteRow } from '../../ledger/ledger.ts';
import { explainRewards } from '../../rewards/reasons.ts';
import { grantNote } from '../../trace/grant-reasons.ts';
import type { VoteTrace } from '../../trace/vote-trace.ts';
import type { Explanation } from '../explain.ts';

/** Why a player got what they got for their last vote, or nothing. */
export interface PlayerAnswer {
  readonly code:
    | 'no-vote'
    | 'needs-operator'
    | 'waiting'
    | 'pending'
    | 'paid'
    | 'paid-elsewhere'
    | 'cancelled'
    | 'no-reward'
    | VoteRow['decision'];
  /** Whether somebody has to do something: the operator, or the player. */
  readonly concerns: 'operator' | 'player' | 'nobody';
  /** One or two sentences that can be sent to the player. */
  readonly sentence: string;
}

/** The one sentence that answers "why did I get nothing?". */
export function answerFor({ name, traces, otherNames, refusals }: Explanation, now: number): PlayerAnswer {
  const last = traces.at(-1);
  if (last !== undefined) return answerOf(last, now);
  const similar =
    otherNames.length === 0
      ? ''
      : ` There are votes by ${otherNames.map((key) => printable(key)).join(', ')}.`;
  const refused =
    refusals.length === 0
      ? ' The site has not sent it to this server, or under another name.'
      : ' Votes were refused lately, which may be the reason.';
  const sentence = `No vote by ${printable(name, 64)} has arrived.${similar || refused}`;
  return { code: 'no-vote', concerns: refusals.length > 0 ? 'operator' : 'nobody', sentence };
}

function answerOf(trace: VoteTrace, now: number): PlayerAnswer {
  const { vote } = trace;
  const what = `The last vote, on ${shownService(vote.service, 60)} ${agoText(now - vote.receivedAt)},`;
  const inWindow = vote.nextAt === null ? '' : ` The next one counts ${inText(vote.nextAt - now)}.`;
  switch (vote.decision) {
    case 'rewarded':
      return answerOfCounted(trace, what);
    case 'cooldown':
      return said(
        'cooldown',
        'player',
        `${what} came too early: an earlier vote there still counts.${inWindow}`,
      );
    case 'unlisted':
      return said(
        'unlisted',
        'operator',
        `${what} came from a site that is not set up here, and shares its window with others.${inWindow} Once the operator adds the site, it is paid.`,
      );
    case 'too-old':
      return said('too-old', 'nobody', `${what} is older than what is paid.`);
    case 'before-start':
      return said(
        'before-start',
        'nobody',
        `${what} was cast before this server began to pay votes of that site.`,
      );
    case 'no-player':
      return said('no-player', 'operator', `${what} named no player who can be paid.`);
    case 'test':
      return said('test', 'nobody', `${what} was a test, which is not paid on real game servers.`);
  }
}

const said = (
  code: PlayerAnswer['code'],
  concerns: PlayerAnswer['concerns'],
  sentence: string,
): PlayerAnswer => ({ code, concerns, sentence });

/** The worst of its grants says most. */
function answerOfCounted({ vote, grants }: VoteTrace, what: string): PlayerAnswer {
  const stuck = grants.find(({ state }) => state === 'held' || state === 'refused');
  if (stuck !== undefined)
    return said(
      'needs-operator',
      'operator',
      `${what} was counted, but the reward ${stuck.reward} is ${stuck.state}: the operator has to decide.`,
    );
  const waiting = grants.find(({ state }) => state === 'waiting');
  if (waiting !== undefined) return said('waiting', 'player', `${what} was counted. ${waitingText(waiting)}`);
  const pending = grants.find(({ state }) => state === 'pending');
  if (pending !== undefined)
    return said(
      'pending',
      'nobody',
      `${what} was counted, and ${namesOf(grants, 'pending')} will be paid on ${pending.server} soon.`,
    );
  if (vote.isPaidElsewhere)
    return said('paid-elsewhere', 'nobody', `${what} was counted, and another listener pays it.`);
  return (
    answerOfEnded(grants, what) ??
    said('no-reward', 'nobody', `${what} was counted, but no reward applied.${missedText(vote)}`)
  );
}

/** Of grants that are all delivered or cancelled; null without grants. */
function answerOfEnded(grants: readonly GrantRow[], what: string): PlayerAnswer | null {
  const paid = namesOf(grants, 'delivered');
  const cancelled = grants
    .filter(({ state }) => state === 'cancelled')
    .map(cancelledText)
    .join(', ');
  if (paid !== '')
    return said(
      'paid',
      'nobody',
      `${what} was counted and paid: ${paid}.${cancelled && ` Not paid: ${cancelled}.`}`,
    );
  return cancelled === ''
    ? null
    : said('cancelled', 'nobody', `${what} was counted, but not paid: ${cancelled}.`);
}

function cancelledText({ reward, reason }: GrantRow): string {
  const note = grantNote(reason);
  return note === null ? reward : `${reward} (${printable(note)})`;
}

const namesOf = (grants: readonly GrantRow[], wanted: GrantRow['state']): string =>
  [...new Set(grants.filter(({ state }) => state === wanted).map(({ reward }) => reward))].join(', ');

function waitingText({ reward, server, reason }: GrantRow): string {
  const note = grantNote(reason);
  return note === null
    ? `The reward ${reward} is paid as soon as the player is on ${server}.`
    : `The reward ${reward} waits on ${server}: ${printable(note)}.`;
}

function missedText({ reasons }: VoteRow): string {
  const missed = explainRewards(reasons).filter(({ granted }) => !granted);
  return missed.length === 0
    ? ''
    : ` ${missed.map(({ reward, sentence }) => `${reward}: ${sentence}`).join('; ')}.`;
}

const agoText = (ms: number): string => (ms < 60_000 ? 'just now' : `${durationText(ms)} ago`);

const inText = (ms: number): string => (ms <= 0 ? 'now' : `in ${durationText(ms)}`);
