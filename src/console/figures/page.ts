import type { Distribution, PaidTimesValue } from '../../operator/figures/paid-times.ts';
import type { TopVoter, TopVotersValue } from '../../operator/figures/top-voters.ts';
import type { PartyState } from '../../operator/together/party-progress.ts';
import {
  alert,
  briefDuration,
  type Content,
  card,
  columns,
  count,
  figures,
  type Html,
  html,
  live,
  progress,
  quoted,
  refreshed,
  stack,
  table,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { CHARTS, type Charts, type Counted, chart } from './charts.ts';

export interface FiguresView extends Counted {
  readonly charts: Charts;
  readonly paid: PaidTimesValue;
  readonly voters: TopVotersValue;
  readonly parties: readonly PartyState[];
}

const COUNTING_SECONDS = 2;

export function figuresPage(view: FiguresView): Omit<Page, 'json'> {
  const isWhole = CHARTS.every((name) => view.charts[name].isWhole);
  const body = stack(
    !isWhole &&
      alert({
        tone: 'busy',
        title: 'Still counting',
        body: 'There are many votes, so they are counted in parts, the latest first. This page goes on by itself.',
      }),
    today(view),
    ...CHARTS.map((name) => card({ body: chart(name, view.charts[name]) })),
    paidCard(view.paid),
    votersCards(view.voters),
    view.parties.length > 0 && partiesCard(view.parties),
  );
  return {
    title: 'Figures',
    lead: html`Hours and days are those of ${view.votes.zone}. Each chart has its numbers as a table and as a file.`,
    body: isWhole ? live('figures', body) : refreshed('figures', COUNTING_SECONDS, body),
  };
}

function today({ votes, refusals }: FiguresView): Html {
  const sums = votes.days.at(-1)?.sums ?? [];
  const of = (decision: string | null): number =>
    sums
      .filter((sum) => decision === null || sum.decision === decision)
      .reduce((all, sum) => all + sum.votes, 0);
  const refused = (refusals.at(-1)?.refusals ?? []).reduce((all, each) => all + each.count, 0);
  return figures([
    { label: 'Votes today', value: count(of(null)) },
    { label: 'Counted today', value: count(of('rewarded')) },
    { label: 'Too early today', value: count(of('cooldown')) },
    { label: 'Refused today', value: count(refused), tone: refused > 0 ? 'warn' : 'idle' },
  ]);
}

const timeText = (ms: number | null): string => (ms === null ? '–' : briefDuration(ms));

const paidCard = ({ atOnce, withPlayer, leftOut }: PaidTimesValue): Html =>
  card({
    title: 'How long rewards take',
    note: 'In the last 7 days, from the time when a reward could be paid to its last command.',
    body: [
      table<PaidTimes>({
        caption: 'How long rewards take',
        rows: [
          { kind: 'At once', times: atOnce },
          { kind: 'When the player is online', times: withPlayer },
        ],
        empty: html``,
        columns: [
          { label: 'Paid', onPhone: 'title', cell: ({ kind }) => kind },
          { label: 'Rewards', kind: 'number', cell: ({ times }) => count(times.grants) },
          { label: 'Half within', kind: 'number', cell: ({ times }) => timeText(times.medianMs) },
          { label: '99% within', kind: 'number', cell: ({ times }) => timeText(times.p99Ms) },
        ],
      }),
      leftOut > 0 && html`<p class="hint">For ${count(leftOut)} more it is not known how long they took.</p>`,
    ],
  });

interface PaidTimes {
  readonly kind: string;
  readonly times: Distribution;
}

const votersCards = ({ day, week, month, total }: TopVotersValue): Html =>
  columns(
    votersCard('Most votes today', day.voters),
    votersCard('Most votes this week', week.voters),
    votersCard('Most votes this month', month.voters),
    votersCard('Most votes ever', total),
  );

const votersCard = (title: string, voters: readonly TopVoter[]): Html =>
  card({
    title,
    body: table({
      caption: title,
      rows: voters,
      empty: html`<p class="soft">Nobody yet.</p>`,
      columns: [
        { label: 'Player', onPhone: 'title', cell: ({ player }: TopVoter) => playerLink(player) },
        { label: 'Votes', kind: 'number', onPhone: 'corner', cell: (voter: TopVoter) => count(voter.votes) },
      ],
    }),
  });

const playerLink = (player: string | null): Content =>
  player === null ? 'a user ID' : html`<a href="${paths.player(player)}">${quoted(player)}</a>`;

const partiesCard = (parties: readonly PartyState[]): Html =>
  card({
    title: 'Vote parties',
    body: parties.map(({ party, votes, every, left }) =>
      progress({
        label: `${party}: ${count(votes)} of ${count(every)}, ${count(left)} to go`,
        done: votes,
        total: every,
      }),
    ),
  });
