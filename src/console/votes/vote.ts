import { asciiJson } from '../../core/printable.ts';
import { shownService } from '../../core/service-name.ts';
import type { GrantRow, VoteRow } from '../../ledger/ledger.ts';
import type { Line } from '../../operator/trace/line.ts';
import { voteLines } from '../../operator/trace/vote-lines.ts';
import type { VoteTrace } from '../../operator/trace/vote-trace.ts';
import type { Shown } from '../../operator/trace-json.ts';
import {
  type Content,
  card,
  codeBlock,
  dated,
  disclosure,
  empty,
  facts,
  type Html,
  html,
  linkButton,
  live,
  quoted,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { becameText, grantSummary } from '../grants/grant-view.ts';
import { paths } from '../paths.ts';
import { type Typed, told, toldToDo } from '../told.ts';
import { decisionBadge, grantBadge } from './words.ts';

/** What the short words of a trace mean as headings. */
const HEADINGS: Readonly<Record<string, string>> = {
  came: 'Received',
  name: 'Name',
  cast: 'Cast',
  site: 'Site',
  decision: 'Decision',
  clock: 'Clock',
  pay: 'Payment',
  reward: 'Reward',
  party: 'Vote party',
  listed: 'Site added',
  rewarded: 'Rewarded',
  voided: 'Voided',
  again: 'Sent again',
};

/** One vote: how it came, what was decided and why, and what became of each reward. */
export function votePage(trace: VoteTrace, shown: Shown, command: Typed): Page {
  const { vote, grants } = trace;
  const player = vote.player ?? vote.recipient;
  return {
    title: `Vote ${vote.id}`,
    tabTitle: `Vote ${vote.id} by ${player}`,
    trail: [{ label: 'Votes', href: paths.votes }],
    beside: decisionBadge(vote.decision),
    lead: html`${quoted(player)} voted on ${quoted(shownService(vote.service, 128))}, ${dated(vote.castAt)}.`,
    actions: linkButton('Go to the player', paths.player(player)),
    body: live('vote', [
      card({
        title: 'How it came, and what was decided',
        body: facts(voteLines(trace, shown.config).map((line) => factOf(line, command))),
      }),
      grants.length === 0
        ? nothingGranted(vote, command)
        : grants.map((grant) => grantCard(grant, shown, command)),
      disclosure(
        'As it was received',
        codeBlock({ id: 'wire', label: 'Received', text: asciiJson(vote.wire) }),
      ),
    ]),
  };
}

const factOf = ({ about, text }: Line, command: Typed): readonly [string, Content] => [
  HEADINGS[about] ?? about,
  about === 'decision' ? toldToDo(text, command) : told(text, command),
];

const nothingGranted = (vote: VoteRow, command: Typed): Html =>
  empty({
    title: 'No reward came of this vote',
    advice: told(whyNothing(vote), command),
  });

function whyNothing({ id, decision }: VoteRow): string {
  if (decision === 'rewarded') return 'The reasons are above: each reward says why it did not apply.';
  const why = 'The decision above says why.';
  const canBeRewarded = decision !== 'practice' && decision !== 'no-player';
  return canBeRewarded ? `${why} To reward it anyway: \`teller votes reward ${id}\`.` : why;
}

/** What became of it, its commands, and what to do. */
const grantCard = (grant: GrantRow, shown: Shown, command: Typed): Html =>
  card({
    title: `${grant.reward} on ${grant.server}`,
    actions: grantBadge(grant.state),
    note: html`<a href="${paths.grant(grant.id)}">Grant ${grant.id}</a> · ${becameText(grant, shown)}`,
    body: grantSummary(grant, shown, command),
  });
