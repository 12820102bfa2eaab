import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import {
  ago,
  card,
  columns,
  count,
  empty,
  facts,
  figures,
  type Html,
  linkButton,
  table,
} from '../../web/kit.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import { publicPaths } from '../public/paths.ts';
import type { BotStatsSnapshot } from '../store/bot-stats.ts';
import type { VoteFigures } from '../store/votes.ts';
import type { Health } from '../webhooks/health.ts';
import { dayFigures, healthBadge, healthNotice } from './health-words.ts';
import type { DashboardParts } from './parts.ts';
import { removeCard } from './remove-listing.ts';
import { overviewSection, webhookSection } from './sections.ts';
import { voteChart } from './vote-chart.ts';

interface Overview {
  readonly listing: Listing;
  readonly votes: VoteFigures;
  readonly health: Health | null;
  /** null on games, and where none was reported. */
  readonly stats: BotStatsSnapshot | null;
  readonly now: number;
}

/** How a listing is doing: its votes, its voters, its webhook. */
export function overviewPage({ store, deliveries, sections, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing', (c) => {
    const { listing, role, visit } = c.var;
    const now = clock.now();
    const votes = store.votes.figures(listing.id, now);
    const health = deliveries.log.health(listing.id);
    const stats = store.botStats.find(listing.id);
    return showListingPage(c, sections, overviewSection, {
      notice: healthNotice(health, addressOf(listing, webhookSection)),
      actions: linkButton('Public page', publicPaths.listing(listing.id)),
      body: [
        body({ listing, votes, health, stats, now }),
        role === 'owner' && removeCard(listing, visit.csrf),
      ],
      json: { listing, votes: votesJson(votes), health, stats },
    });
  });
  return pages;
}

const votesJson = ({ days, votes, voters, lastAt, top }: VoteFigures) => ({
  days: days.map(({ day, votes: ofDay }) => ({ date: isoTime(day).slice(0, 10), votes: ofDay })),
  votes,
  voters,
  lastAt: lastAt === null ? null : isoTime(lastAt),
  top,
});

const body = ({ listing, votes, health, stats, now }: Overview): Html[] => [
  card({ title: 'Votes', body: [totals(votes, now), voteChart(votes, now)] }),
  columns(card({ title: 'Top voters', body: topVoters(votes) }), [
    webhookCard(listing, health),
    listing.type === 'bot' && card({ title: 'Bot statistics', body: botFacts(stats, now) }),
  ]),
];

const totals = ({ votes, voters, lastAt }: VoteFigures, now: number): Html =>
  figures([
    { label: 'Votes in all', value: count(votes) },
    { label: 'Voters', value: count(voters) },
    { label: 'Latest vote', value: lastAt === null ? 'none yet' : ago(lastAt, now) },
  ]);

const topVoters = ({ top }: VoteFigures): Html =>
  table({
    caption: 'Those who voted most',
    columns: [
      { label: 'User ID', cell: ({ userId }) => userId, onPhone: 'title' },
      { label: 'Votes', kind: 'number', cell: ({ votes }) => count(votes), onPhone: 'corner' },
    ],
    rows: top,
    empty: empty({ title: 'No votes yet', advice: 'Share the public page: people vote there.' }),
  });

function webhookCard(listing: Listing, health: Health | null): Html {
  const toWebhook = linkButton('To the webhook', addressOf(listing, webhookSection));
  if (health === null) {
    const advice = 'Votes are counted and told to nobody. A webhook posts each of them to you, signed.';
    return card({ title: 'Webhook', body: empty({ title: 'No webhook yet', advice, actions: toWebhook }) });
  }
  return card({
    title: 'Webhook, last 24 hours',
    actions: [healthBadge(health), toWebhook],
    body: dayFigures(health),
  });
}

const botFacts = (stats: BotStatsSnapshot | null, now: number): Html =>
  stats === null
    ? empty({ title: 'None reported', advice: 'The bot reports them to POST /bots/:id/stats with a token.' })
    : facts([
        ['Servers', count(stats.serverCount)],
        ['Shards', stats.shardCount === null ? 'not reported' : count(stats.shardCount)],
        ['Reported', ago(stats.updatedAt, now)],
      ]);
