import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import {
  ago,
  card,
  code,
  columns,
  count,
  empty,
  facts,
  figures,
  type Html,
  html,
  linkButton,
  stack,
  table,
} from '../../web/kit.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { ListenerSends } from '../listener-sends/listener-sends.ts';
import { publicPaths } from '../public/paths.ts';
import type { BotStatsSnapshot } from '../store/bot-stats.ts';
import type { TopVoter, VoteFigures } from '../store/vote-reports.ts';
import type { Health } from '../webhooks/health.ts';
import { type ListenerFacts, listenerCard, webhookCard } from './channel-cards.ts';
import { healthNotice } from './health-words.ts';
import type { DashboardParts } from './parts.ts';
import { removeCard } from './remove-listing.ts';
import { overviewSection, webhookSection } from './sections.ts';
import { voteChart } from './vote-chart.ts';

interface Overview {
  readonly listing: Listing;
  readonly votes: VoteFigures;
  readonly health: Health | null;
  /** null for game listings, and for bots that reported none. */
  readonly stats: BotStatsSnapshot | null;
  /** null if the listing can have no listener. */
  readonly listener: ListenerFacts | null;
  readonly now: number;
}

/** A listing's votes, its voters, and the state of its webhook and listener. */
export function overviewPage({
  store,
  deliveries,
  sends,
  sections,
  clock,
}: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing', async (c) => {
    const { listing, role, visit } = c.var;
    const now = clock.now();
    const [votes, health, listener] = await Promise.all([
      store.reads.voteFigures(listing.id, now),
      deliveries.log.health(listing.id),
      listing.game === 'minecraft' ? listenerFacts(sends, listing.id) : null,
    ]);
    const stats = store.botStats.find(listing.id);
    return showListingPage(c, sections, overviewSection, {
      notice: healthNotice(health, addressOf(listing, webhookSection)),
      actions: linkButton('Public page', publicPaths.listing(listing.id)),
      body: [
        body({ listing, votes, health, stats, listener, now }),
        role === 'owner' && removeCard(listing, visit.csrf),
      ],
      json: { listing, votes: votesJson(votes), health, stats, listener: listener && listenerJson(listener) },
    });
  });
  return pages;
}

const listenerFacts = async (sends: ListenerSends, listingId: string): Promise<ListenerFacts> => ({
  settings: sends.settings(listingId),
  day: await sends.day(listingId),
});

const listenerJson = ({ settings, day }: ListenerFacts) => ({
  settings: settings && { ...settings, updatedAt: isoTime(settings.updatedAt) },
  day,
});

const votesJson = ({ days, votes, voters, lastAt, top }: VoteFigures) => ({
  days: days.map(({ day, votes: ofDay }) => ({ date: isoTime(day).slice(0, 10), votes: ofDay })),
  votes,
  voters,
  lastAt: lastAt === null ? null : isoTime(lastAt),
  top,
});

const body = ({ listing, votes, health, stats, listener, now }: Overview): Html[] => [
  card({ title: 'Votes', note: latest(votes, now), body: [totals(votes), voteChart(votes, now)] }),
  columns(
    stack(listener !== null && listenerCard(listing, listener), webhookCard(listing, health)),
    stack(
      card({ title: 'Top voters', body: topVoters(listing, votes) }),
      listing.type === 'bot' && card({ title: 'Bot statistics', body: botFacts(stats, now) }),
    ),
  ),
];

const latest = ({ lastAt }: VoteFigures, now: number): Html =>
  lastAt === null ? html`No votes yet.` : html`Last vote: ${ago(lastAt, now)}.`;

const totals = ({ votes, voters, days }: VoteFigures): Html =>
  figures([
    { label: 'Total votes', value: count(votes) },
    { label: 'Voters', value: count(voters) },
    { label: 'Last 7 days', value: count(days.slice(-7).reduce((sum, day) => sum + day.votes, 0)) },
    { label: 'Today (UTC)', value: count(days.at(-1)?.votes ?? 0) },
  ]);

const topVoters = (listing: Listing, { top }: VoteFigures): Html =>
  table<TopVoter>({
    caption: 'Top voters',
    columns: [
      { label: 'Voter', cell: ({ userId }) => code(userId), onPhone: 'title' },
      ...(listing.game === 'minecraft'
        ? [
            {
              label: 'Last player',
              cell: ({ player }: TopVoter) => player ?? html`<span class="soft">none</span>`,
            },
          ]
        : []),
      { label: 'Votes', kind: 'number', cell: ({ votes }) => count(votes), onPhone: 'corner' },
    ],
    rows: top,
    empty: empty({ title: 'No votes yet', advice: 'Share the public page: people vote there.' }),
  });

const botFacts = (stats: BotStatsSnapshot | null, now: number): Html =>
  stats === null
    ? empty({
        title: 'None reported yet',
        advice: 'Let your bot report them: POST /bots/:id/stats with a token.',
      })
    : facts([
        ['Servers', count(stats.serverCount)],
        ['Shards', stats.shardCount === null ? 'not reported' : count(stats.shardCount)],
        ['Reported', ago(stats.updatedAt, now)],
      ]);
