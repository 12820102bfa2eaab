import { parseDay } from '../../core/period.ts';
import type { TopVoter, TopVotersValue } from '../../operator/figures/top-voters.ts';
import type { VotesByDayValue } from '../../operator/figures/votes-by-day.ts';
import type { Rows } from '../../web/csv.ts';
import {
  alert,
  type BarColumn,
  barChart,
  type Content,
  card,
  columns,
  count,
  figures,
  type Html,
  html,
  live,
  longDayText,
  quoted,
  refreshed,
  stack,
  table,
  VOTES,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

export interface FiguresView {
  readonly votes: VotesByDayValue;
  readonly refusedToday: number;
  readonly voters: TopVotersValue;
}

const COUNTING_SECONDS = 2;

export function figuresPage({ votes, refusedToday, voters }: FiguresView): Page {
  const isWhole = votes.days.every((day) => day.isWhole);
  const body = stack(
    !isWhole &&
      alert({
        tone: 'busy',
        title: 'Still counting',
        body: 'There are many votes, so they are counted in parts, the latest first. This page goes on by itself.',
      }),
    today(votes, refusedToday),
    card({ body: dayChart(votes) }),
    votersCards(voters),
  );
  return {
    title: 'Figures',
    lead: html`Days are those of ${votes.zone}. The chart has its numbers as a table and as a file.`,
    body: isWhole ? live('figures', body) : refreshed('figures', COUNTING_SECONDS, body),
  };
}

function today({ days }: VotesByDayValue, refused: number): Html {
  const sums = days.at(-1)?.sums ?? [];
  const of = (decision: string | null): number =>
    sums
      .filter((sum) => decision === null || sum.decision === decision)
      .reduce((all, sum) => all + sum.votes, 0);
  return figures([
    { label: 'Votes today', value: count(of(null)) },
    { label: 'Counted today', value: count(of('rewarded')) },
    { label: 'Too early today', value: count(of('cooldown')) },
    { label: 'Refused today', value: count(refused), tone: refused > 0 ? 'warn' : 'idle' },
  ]);
}

/** The file is below the page, as `votes-by-day.csv`. */
const dayChart = (votes: VotesByDayValue): Html => {
  const { sites, days } = bySite(votes);
  return barChart({
    ...{ id: 'votes-by-day', title: 'Votes in the last 90 days, by site', per: 'Day', columns: days },
    unit: VOTES,
    series: sites.map((label) => ({ label })),
    none: 'No votes in this time.',
    csv: paths.votesByDay,
  });
};

/** The same numbers as rows of a file; the first one is the head. */
export function rowsOf(votes: VotesByDayValue): Rows {
  const { sites, days } = bySite(votes);
  return [['Day', ...sites], ...days.map(({ name, values }) => [name, ...values])];
}

/** The votes of each day, one number for each site. The site with the most comes first. */
function bySite({ days }: VotesByDayValue): {
  readonly sites: readonly string[];
  readonly days: readonly BarColumn[];
} {
  const ofDays = days.map(({ sums }) => votesOfSites(sums));
  const sites = [...votesOfSites(days.flatMap(({ sums }) => sums))]
    .sort(([, one], [, other]) => other - one)
    .map(([site]) => site);
  return {
    sites,
    days: days.map(({ day }, at) => {
      const name = longDayText(parseDay(day) ?? 0);
      const label = name.replace(/^\w+ /, '').replace(/ \d{4}$/, '');
      return { name, label, values: sites.map((site) => ofDays[at]?.get(site) ?? 0) };
    }),
  };
}

function votesOfSites(sums: VotesByDayValue['days'][number]['sums']): ReadonlyMap<string, number> {
  const votes = new Map<string, number>();
  for (const sum of sums) {
    const site = sum.site === 'default' ? 'unlisted sites' : sum.site;
    votes.set(site, (votes.get(site) ?? 0) + sum.votes);
  }
  return votes;
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
