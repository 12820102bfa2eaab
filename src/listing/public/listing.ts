import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import type { Entered } from '../../web/fields.ts';
import {
  card,
  clockText,
  columns,
  count,
  type FormState,
  facts,
  figures,
  freshForm,
  type Html,
  linkButton,
  type Page,
  refusedForm,
  tag,
} from '../../web/kit.ts';
import { refuse } from '../../web/refusal.ts';
import { formFaults, type PageStatus, seeOther, showPage } from '../../web/show.ts';
import type { PageContext, PageEnv } from '../../web/site.ts';
import type { Account } from '../accounts/account.ts';
import { type AccountEnv, signedInOnly } from '../accounts/guards.ts';
import type { MemberStore } from '../accounts/member-store.ts';
import { kindOf } from '../accounts/pages/my-listings.ts';
import { paths } from '../accounts/paths.ts';
import type { CastVote, Listing } from '../contracts.ts';
import { voteChart } from '../dashboard/vote-chart.ts';
import type { BotStatsSnapshot } from '../store/bot-stats.ts';
import type { VoteFigures } from '../store/vote-reports.ts';
import type { ActiveVote } from '../store/votes.ts';
import { type CastParts, castVote } from '../votes/cast-vote.ts';
import { PLAYER_RULE } from '../votes/player.ts';
import { booth, WITHOUT_PLAYER } from './booth.ts';
import { publicPaths } from './paths.ts';

export interface PublicParts extends CastParts {
  readonly members: MemberStore;
}

/** A listing's public page, where signed-in people vote. */
export function listingPages(parts: PublicParts): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  pages.get('/listings/:listing', (c) => {
    const listing = parts.store.listings.find(c.req.param('listing'));
    return listing === null ? refuse(c, c.var.site, 'not-found') : show(c, parts, listing);
  });
  pages.route('/', ballot(parts));
  return pages;
}

function ballot(parts: PublicParts): Hono<AccountEnv> {
  const pages = new Hono<AccountEnv>();
  pages.post('/listings/:listing/vote', signedInOnly, async (c) => {
    const listing = parts.store.listings.find(c.req.param('listing'));
    if (listing === null) return refuse(c, c.var.site, 'not-found');
    const { account, entered } = c.var;
    if (leavesPlayerBlank(listing, entered) && !hasVote(parts, listing, account)) {
      return show(c, parts, listing, { isPlayerMissing: true }, 422);
    }
    const result = await castVote(parts, listing, account.userId, entered.player?.[0] ?? null);
    if (result.kind === 'player-not-allowed') {
      return show(c, parts, listing, { state: { entered, faults: { player: PLAYER_FAULT } } }, 422);
    }
    if (result.kind === 'listing-gone') return refuse(c, c.var.site, 'not-found');
    const ending = result.kind === 'cast' ? castEnding(result.vote) : tooEarly(result.nextAt);
    return seeOther(c, publicPaths.listing(listing.id), ending);
  });
  return pages;
}

/** Whether the field of the form was left empty. A request without that field means a vote without a player. */
const leavesPlayerBlank = (listing: Listing, entered: Entered): boolean =>
  listing.game === 'minecraft' && entered.player?.[0]?.trim() === '' && entered[WITHOUT_PLAYER] === undefined;

const hasVote = ({ store, clock }: PublicParts, listing: Listing, { userId }: Account): boolean =>
  store.votes.active(listing.id, { by: 'user', key: userId }, clock.now()) !== null;

const PLAYER_FAULT = `${PLAYER_RULE} Your vote was not counted.`;

const castEnding = ({ id, player, castAt, nextAt }: CastVote) =>
  ({
    tone: 'good',
    text: player === null ? 'Your vote counts. Thank you!' : `Your vote for ${player} counts. Thank you!`,
    json: { vote: { id, player, castAt: isoTime(castAt), nextVoteAt: isoTime(nextAt) } },
  }) as const;

const tooEarly = (nextAt: number) =>
  ({
    tone: 'warn',
    code: 'too-early',
    text: `You’ve already voted. Vote again at ${clockText(nextAt)}.`,
    json: { nextVoteAt: isoTime(nextAt) },
  }) as const;

interface Shown {
  readonly state?: FormState;
  readonly isPlayerMissing?: boolean;
}

async function show(
  c: PageContext<Account>,
  parts: PublicParts,
  listing: Listing,
  { state = freshForm, isPlayerMissing = false }: Shown = {},
  status: PageStatus = 200,
) {
  const { store, clock, members } = parts;
  const { person, csrf } = c.var.visit;
  const now = clock.now();
  const figuresOf = await store.reads.voteFigures(listing.id, now);
  const active = person && store.votes.active(listing.id, { by: 'user', key: person.userId }, now);
  const isMember = person !== null && members.role(listing.id, person.id) !== null;
  const stats = store.botStats.find(listing.id);
  const { votes, voters } = figuresOf;
  const hasFlash = c.var.flash !== null;
  const page: Page = {
    title: listing.name,
    beside: tag(kindOf(listing)),
    trail: [{ label: 'Listings', href: publicPaths.directory }],
    actions: isMember && linkButton('Dashboard', paths.listing(listing.id)),
    refused: refusedForm(state.faults),
    body: columns(
      card({
        title: 'Vote',
        body: booth({ listing, person, active, now, csrf, state, isPlayerMissing, hasFlash }),
      }),
      votesCard(figuresOf, stats, now),
    ),
    json: jsonOf(state, isPlayerMissing) ?? {
      listing,
      votes,
      voters,
      stats,
      vote: active && voteJson(active),
    },
  };
  return showPage(c, page, status);
}

function jsonOf({ faults }: FormState, isPlayerMissing: boolean) {
  if (isPlayerMissing) return { code: 'player-missing', message: PLAYER_MISSING };
  return Object.keys(faults).length > 0 ? formFaults(faults) : null;
}

const PLAYER_MISSING = `The vote names no player, so no player would get a reward. Name one, or send ${WITHOUT_PLAYER}=on (--without-player) to vote anyway.`;

const votesCard = (votes: VoteFigures, stats: BotStatsSnapshot | null, now: number): Html =>
  card({
    title: 'Votes',
    body: [
      figures([
        { label: 'Votes', value: count(votes.votes) },
        { label: 'Voters', value: count(votes.voters) },
      ]),
      voteChart(votes, now),
      stats &&
        facts([
          ['Servers', count(stats.serverCount)],
          ['Shards', stats.shardCount === null ? 'not reported' : count(stats.shardCount)],
        ]),
    ],
  });

const voteJson = ({ castAt, nextAt }: ActiveVote) => ({
  castAt: isoTime(castAt),
  nextVoteAt: isoTime(nextAt),
});
