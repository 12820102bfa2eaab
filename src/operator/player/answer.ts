import { durationText } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { printable } from '../../core/printable.ts';
import { shownService } from '../../core/service-name.ts';
import type { GrantRow, VoteRow } from '../../ledger/ledger.ts';
import { explainRewards } from '../../rewards/words.ts';
import { type Explanation, queueOf } from '../explain.ts';
import { grantNote } from '../trace/grant-reasons.ts';
import type { VoteTrace } from '../trace/vote-trace.ts';

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
  /** One or two sentences about the player. */
  readonly sentence: string;
  /** The same, to send to the player: also true when it is read later. */
  readonly toPlayer: string;
}

type Said = Omit<PlayerAnswer, 'toPlayer'>;

/** How the same facts are said about a player or to them. */
interface Speaking {
  /** The subject of the sentence. */
  readonly vote: (vote: VoteRow) => string;
  readonly next: (at: number) => string;
  readonly isOn: string;
}

const aboutPlayer = (now: number): Speaking => ({
  vote: ({ service, receivedAt }) =>
    `The last vote, on ${shownService(service, 60)} ${agoText(now - receivedAt)},`,
  next: (at) => `The next one counts ${inText(at - now)}.`,
  isOn: 'the player is on',
});

const TO_PLAYER: Speaking = {
  vote: ({ service, receivedAt }) =>
    `Your last vote, on ${shownService(service, 60)} at ${timeText(receivedAt)},`,
  next: (at) => `The next one counts from ${timeText(at)} on.`,
  isOn: 'you are on',
};

/** The one sentence that answers "why did I get nothing?". */
export function answerFor(explanation: Explanation, now: number): PlayerAnswer {
  const { sentence: toPlayer } = answerAs(TO_PLAYER, explanation);
  return { ...answerAs(aboutPlayer(now), explanation), toPlayer };
}

function answerAs(
  speaking: Speaking,
  { name, traces, otherNames, refusals, queues, downtimes }: Explanation,
): Said {
  const last = traces.at(-1);
  if (last !== undefined) return answerOf(last, queues, speaking);
  const similar =
    otherNames.length === 0
      ? ''
      : ` There are votes by ${otherNames.map((key) => printable(key)).join(', ')}.`;
  const refused = refusals.length === 0 ? '' : ' Votes were refused lately, which may be the reason.';
  const missed = downtimes.length === 0 ? '' : ' It may have been cast while no vote could be received.';
  const notSent = ' The site has not sent it to this server, or has sent it under another name.';
  const sentence = `No vote by ${printable(name, 64)} has arrived.${similar || refused || missed || notSent}`;
  return { code: 'no-vote', concerns: refusals.length > 0 ? 'operator' : 'nobody', sentence };
}

function answerOf(trace: VoteTrace, queues: Explanation['queues'], speaking: Speaking): Said {
  const { vote } = trace;
  const what = speaking.vote(vote);
  const inWindow = vote.nextAt === null ? '' : ` ${speaking.next(vote.nextAt)}`;
  switch (vote.decision) {
    case 'rewarded':
      return answerOfCounted(trace, queues, speaking);
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
    case 'practice':
      return said(
        'practice',
        'nobody',
        `${what} was sent from the server’s own machine for practice, so it counts for nothing.`,
      );
  }
}

const said = (code: PlayerAnswer['code'], concerns: PlayerAnswer['concerns'], sentence: string): Said => ({
  code,
  concerns,
  sentence,
});

/** The worst of its grants says most. */
function answerOfCounted(
  { vote, grants }: VoteTrace,
  queues: Explanation['queues'],
  speaking: Speaking,
): Said {
  const what = speaking.vote(vote);
  const stuck = grants.find(({ state }) => state === 'held' || state === 'refused');
  if (stuck !== undefined)
    return said(
      'needs-operator',
      'operator',
      `${what} was counted, but the reward ${stuck.reward} is ${stuck.state}: the operator has to decide.`,
    );
  const waiting = grants.find(({ state }) => state === 'waiting');
  if (waiting !== undefined)
    return said('waiting', 'player', `${what} was counted. ${waitingText(waiting, speaking)}`);
  const pending = grants.find(({ state }) => state === 'pending');
  if (pending !== undefined) {
    const isAway = queueOf(pending.server, queues)?.reason != null;
    const when = isAway ? 'as soon as it accepts commands again' : 'soon';
    return said(
      'pending',
      isAway ? 'operator' : 'nobody',
      `${what} was counted, and ${namesOf(grants, 'pending')} will be paid on ${pending.server} ${when}.`,
    );
  }
  if (vote.isPaidElsewhere)
    return said('paid-elsewhere', 'nobody', `${what} was counted, and another listener pays it.`);
  return (
    answerOfEnded(grants, what) ??
    said('no-reward', 'nobody', `${what} was counted, but no reward applied.${missedText(vote)}`)
  );
}

/** Of grants that are all delivered or cancelled; null without grants. */
function answerOfEnded(grants: readonly GrantRow[], what: string): Said | null {
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

function waitingText({ reward, server, reason }: GrantRow, { isOn }: Speaking): string {
  const note = grantNote(reason);
  return note === null
    ? `The reward ${reward} is paid as soon as ${isOn} ${server}.`
    : `The reward ${reward} waits on ${server}: ${printable(note)}.`;
}

function missedText({ reasons }: VoteRow): string {
  const missed = explainRewards(reasons).filter(({ granted }) => !granted);
  return missed.length === 0
    ? ''
    : ` ${missed.map(({ reward, sentence }) => `${reward}: ${sentence}`).join('; ')}.`;
}

/** Such as `2026-11-23 17:54 UTC`. */
const timeText = (ms: number): string => `${isoTime(ms).slice(0, 16).replace('T', ' ')} UTC`;

const agoText = (ms: number): string => (ms < 60_000 ? 'just now' : `${durationText(ms)} ago`);

const inText = (ms: number): string => (ms <= 0 ? 'now' : `in ${durationText(ms)}`);
