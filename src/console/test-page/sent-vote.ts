import { shownService } from '../../core/service-name.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import { voteLines } from '../../operator/trace/vote-lines.ts';
import type { VoteTrace } from '../../operator/trace/vote-trace.ts';
import type { Shown } from '../../operator/trace-json.ts';
import type { SentVote } from '../../operator/trial/send-test-vote.ts';
import { code, html, linkButton, live, quoted, type Step, steps } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { grantSummary } from '../grants/grant-view.ts';
import { paths } from '../paths.ts';
import { type Typed, told, toldToDo } from '../told.ts';
import { decisionBadge, grantBadge } from '../votes/words.ts';

export interface SentVoteView {
  readonly sent: SentVote;
  /** null: the ledger does not have it. */
  readonly trace: VoteTrace | null;
  readonly shown: Shown;
  readonly command: Typed;
}

/** A test vote, stage by stage. The stages that are still to come appear by themselves. */
export const sentVotePage = (view: SentVoteView): Page => ({
  title: 'Test vote',
  trail: [{ label: 'Test', href: paths.test }],
  lead: html`${quoted(view.sent.player)} on ${quoted(shownService(view.sent.service, 128))}`,
  actions: linkButton('Send another', paths.test),
  body: live('stages', steps('Stages of the vote', stagesOf(view))),
});

function stagesOf(view: SentVoteView): readonly Step[] {
  const { sent, trace } = view;
  const hasArrived = sent.result.kind !== 'failed' || trace !== null;
  return [
    sentStage(sent),
    {
      title: 'Answered',
      state: hasArrived ? 'done' : 'current',
      body: html`<p>${told(sent.result.sentence, view.command)} ${code(sent.result.code)}</p>`,
    },
    ...(trace === null ? comingStages(hasArrived) : storedStages(trace, view)),
  ];
}

const sentStage = ({ version, result }: SentVote): Step => ({
  title: result.kind === 'failed' && result.reached === 'no' ? 'Tried to send' : 'Sent',
  state: 'done',
  body: `Version ${version === 'v2' ? 2 : 1}, to ${result.where}.`,
});

const comingStages = (hasArrived: boolean): readonly Step[] => [
  {
    title: 'Stored',
    state: hasArrived ? 'current' : 'to-do',
    body: hasArrived
      ? html`The ledger does not have the vote yet. If it was refused, <a href="${paths.now}">Now</a> says why.`
      : null,
  },
  { title: 'Decided', state: 'to-do' },
  { title: 'Paid', state: 'to-do' },
];

function storedStages(trace: VoteTrace, { shown, command }: SentVoteView): readonly Step[] {
  const { vote, grants } = trace;
  return [
    {
      title: 'Stored',
      state: 'done',
      body: html`<p>As <a href="${paths.vote(vote.id)}">vote ${vote.id}</a>.</p>`,
    },
    {
      title: html`Decided ${decisionBadge(vote.decision)}`,
      state: 'done',
      body: voteLines(trace, shown.config)
        .filter(({ about }) => about === 'decision' || about === 'reward')
        .map(({ about, text }) => html`<p>${(about === 'decision' ? toldToDo : told)(text, command)}</p>`),
    },
    ...(grants.length === 0 ? [nothingPaid] : grants.map((grant) => paidStage(grant, shown, command))),
  ];
}

const nothingPaid: Step = {
  title: 'Nothing to pay',
  state: 'done',
  body: 'No reward came of this vote. The decision above says why.',
};

const payment = ({ state }: GrantRow): string => {
  if (state === 'delivered') return 'Paid';
  return state === 'cancelled' ? 'Not paid' : 'To be paid';
};

const paidStage = (grant: GrantRow, shown: Shown, command: Typed): Step => ({
  title: html`${payment(grant)}: ${quoted(grant.reward)} on ${quoted(grant.server)} ${grantBadge(grant.state)}`,
  state: grant.state === 'delivered' || grant.state === 'cancelled' ? 'done' : 'current',
  body: grantSummary(grant, shown, command),
});
