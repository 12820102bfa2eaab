import { Hono } from 'hono';
import { HOUR_MS } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import {
  ago,
  alert,
  card,
  columns,
  count,
  type FormState,
  facts,
  figures,
  form,
  freshForm,
  type Html,
  html,
  inputField,
  linkButton,
  type Page,
  submitButton,
  tag,
} from '../../web/kit.ts';
import { refuse } from '../../web/refusal.ts';
import { formFaults, type PageStatus, seeOther, showPage } from '../../web/show.ts';
import type { PageContext, PageEnv } from '../../web/site.ts';
import type { Account } from '../accounts/account.ts';
import { type AccountEnv, signedInOnly } from '../accounts/guards.ts';
import type { MemberStore } from '../accounts/member-store.ts';
import { kindOf } from '../accounts/pages/my-listings.ts';
import { paths, signInThen } from '../accounts/paths.ts';
import type { CastVote, Listing } from '../contracts.ts';
import { voteChart } from '../dashboard/vote-chart.ts';
import type { ActiveVote } from '../store/votes.ts';
import { type BallotParts, castVote, votingWindowMs } from '../votes/cast-vote.ts';
import { PLAYER_RULE } from '../votes/player.ts';
import { publicPaths } from './paths.ts';

export interface PublicParts extends BallotParts {
  readonly members: MemberStore;
}

/** The page that everybody sees, and where signed-in voters vote. */
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
    const result = await castVote(parts, listing, account.userId, entered.player?.[0] ?? null);
    if (result.kind === 'player-not-allowed') {
      return show(c, parts, listing, { entered, faults: { player: PLAYER_FAULT } }, 422);
    }
    if (result.kind === 'listing-gone') return refuse(c, c.var.site, 'not-found');
    const ending = result.kind === 'cast' ? castEnding(result.vote) : tooEarly(result.nextAt);
    return seeOther(c, publicPaths.listing(listing.id), ending);
  });
  return pages;
}

const PLAYER_FAULT = `${PLAYER_RULE} Nothing was counted.`;

const castEnding = ({ id, player, castAt, nextAt }: CastVote) =>
  ({
    tone: 'good',
    text: player === null ? 'Your vote counts. Thank you!' : `Your vote counts, for ${player}. Thank you!`,
    json: { vote: { id, player, castAt: isoTime(castAt), nextVoteAt: isoTime(nextAt) } },
  }) as const;

const tooEarly = (nextAt: number) =>
  ({
    tone: 'warn',
    code: 'too-early',
    text: `You have a vote here that still counts; the next is possible at ${isoTime(nextAt).slice(0, 16).replace('T', ' ')} UTC.`,
    json: { nextVoteAt: isoTime(nextAt) },
  }) as const;

function show(
  c: PageContext<Account>,
  parts: PublicParts,
  listing: Listing,
  state: FormState = freshForm,
  status: PageStatus = 200,
) {
  const { store, clock, members } = parts;
  const { person, csrf } = c.var.visit;
  const now = clock.now();
  const figuresOf = store.votes.figures(listing.id, now);
  const active = person && store.votes.active(listing.id, { by: 'user', key: person.userId }, now);
  const isMember = person !== null && members.role(listing.id, person.id) !== null;
  const stats = store.botStats.find(listing.id);
  const { votes, voters } = figuresOf;
  const page: Page = {
    title: listing.name,
    beside: tag(kindOf(listing)),
    trail: [{ label: 'Listings', href: publicPaths.directory }],
    actions: isMember && linkButton('Dashboard', paths.listing(listing.id)),
    body: columns(
      card({ title: 'Vote', body: booth({ listing, person, active, now, state, csrf }) }),
      card({
        title: 'Votes so far',
        body: [
          figures([
            { label: 'Votes', value: count(votes) },
            { label: 'Voters', value: count(voters) },
          ]),
          voteChart(figuresOf, now),
          stats &&
            facts([
              ['Servers', count(stats.serverCount)],
              ['Shards', stats.shardCount === null ? 'not reported' : count(stats.shardCount)],
            ]),
        ],
      }),
    ),
    json:
      status === 200
        ? { listing, votes, voters, stats, vote: active && voteJson(active) }
        : formFaults(state.faults),
  };
  return showPage(c, page, status);
}

const voteJson = ({ castAt, nextAt }: ActiveVote) => ({
  castAt: isoTime(castAt),
  nextVoteAt: isoTime(nextAt),
});

interface Booth {
  readonly listing: Listing;
  readonly person: Account | null;
  readonly active: ActiveVote | null;
  readonly now: number;
  readonly state: FormState;
  readonly csrf: string;
}

/** What this visitor can do: sign in, vote, or wait. */
function booth({ listing, person, active, now, state, csrf }: Booth): Html | Html[] {
  if (person === null) {
    return [
      html`<p>Votes are cast by those who are signed in, once every ${windowHours(listing)} hours.</p>`,
      linkButton('Sign in to vote', signInThen(publicPaths.listing(listing.id)), 'primary'),
    ];
  }
  if (active !== null) {
    return alert({
      tone: 'good',
      title: 'You have voted.',
      body: html`Cast ${ago(active.castAt, now)}; the next vote is possible ${ago(active.nextAt, now)}.`,
    });
  }
  return form({
    action: publicPaths.vote(listing.id),
    csrf,
    state,
    fields: [
      html`<p>You vote as ${person.name}. The next vote is possible ${windowHours(listing)} hours later.</p>`,
      listing.game === 'minecraft' &&
        inputField(state, {
          name: 'player',
          label: 'Player name',
          optional: true,
          hint: 'Who gets the reward in the game. Bedrock players with their prefix.',
        }),
    ],
    submit: submitButton('Vote'),
  });
}

const windowHours = (listing: Listing): number => votingWindowMs(listing) / HOUR_MS;
