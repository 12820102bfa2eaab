import { shownService } from '../../core/service-name.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import type { Explanation } from '../../operator/explain.ts';
import type { PlayerAnswer } from '../../operator/player/answer.ts';
import type { NextVote, PlayerView } from '../../operator/player/player-view.ts';
import type { VoteTrace } from '../../operator/trace/vote-trace.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { explainRewards } from '../../rewards/words.ts';
import {
  ago,
  amount,
  badge,
  type Content,
  card,
  copyLine,
  count,
  dated,
  empty,
  facts,
  figures,
  type Html,
  html,
  live,
  quoted,
  stateSentence,
  type Tone,
  table,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { grantSummary } from '../grants/grant-view.ts';
import { paths } from '../paths.ts';
import type { Typed } from '../told.ts';
import { filteredPath } from '../votes/filter.ts';
import { decisionBadge, grantBadge } from '../votes/words.ts';
import { missingVote } from './missing-vote.ts';
import { searchForm } from './search.ts';

export interface PlayerPage {
  readonly view: PlayerView;
  readonly explanation: Explanation;
  readonly answer: PlayerAnswer;
  readonly shown: Shown;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

const TONES: Readonly<Record<PlayerAnswer['concerns'], Tone>> = {
  operator: 'bad',
  player: 'warn',
  nobody: 'good',
};

/** Everything about one player, with the answer to "why did I get nothing?" first. */
export function playerPage({ view, explanation, answer, shown, command }: PlayerPage): Page {
  const { name, figures: known } = view;
  return {
    title: explanation.traces.at(-1)?.vote.player ?? view.players[0]?.paidAs ?? name,
    tabTitle: `Player ${name}`,
    trail: [{ label: 'Players', href: paths.players }],
    body: live('player', [
      stateSentence({
        tone: answer.code === 'no-vote' && answer.concerns === 'nobody' ? 'idle' : TONES[answer.concerns],
        sentence: quoted(answer.sentence),
      }),
      copyLine({ id: 'answer', label: 'To send to the player', text: answer.toPlayer }),
      missingVote(explanation, shown, command),
      known !== null && totals(known),
      view.owed.length > 0 && owedCard(view, shown, command),
      'kind' in view.next ? refusedCard(view.next.cause) : nextCard(view.next, shown.now),
      explanation.traces.length > 0 && votesCard(name, explanation.traces, shown.now),
      !isKnownByTitle(view) && namesCard(view),
      searchForm('', 'Find another player: name, part of a name, or UUID'),
    ]),
  };
}

const totals = ({ counts, streak, bestStreak }: NonNullable<PlayerView['figures']>): Html =>
  figures([
    { label: 'Counted votes', value: count(counts.total) },
    { label: 'This month', value: count(counts.month) },
    { label: 'This week', value: count(counts.week) },
    { label: 'Today', value: count(counts.day) },
    { label: 'Days in a row', value: count(streak === null ? 0 : streak.to - streak.from + 1) },
    { label: 'Most days in a row', value: count(bestStreak) },
  ]);

const owedCard = ({ owed, isOwedMore }: PlayerView, shown: Shown, command: Typed): Html =>
  card({
    title: 'Not paid yet',
    note: isOwedMore ? 'The latest are shown.' : amount(owed.length, { one: 'reward', many: 'rewards' }),
    body: table({
      caption: 'Rewards that are not paid yet',
      rows: owed,
      empty: html``,
      columns: [
        {
          label: 'Reward',
          onPhone: 'title',
          cell: ({ id, reward }: GrantRow) => html`<a href="${paths.grant(id)}">${quoted(reward)}</a>`,
        },
        { label: 'On', cell: ({ server }: GrantRow) => quoted(server) },
        { label: 'Since', kind: 'brief', cell: (grant: GrantRow) => ago(grant.createdAt, shown.now) },
        {
          label: 'State',
          kind: 'brief',
          onPhone: 'corner',
          cell: ({ state }: GrantRow) => grantBadge(state),
        },
      ],
      detail: (grant) => grantSummary(grant, shown, command),
    }),
  });

const refusedCard = (cause: string): Html =>
  empty({ title: 'Nobody can vote under this name', advice: html`The sender ${quoted(cause)}.` });

const nextCard = (next: readonly NextVote[], now: number): Html =>
  card({
    title: 'The next vote',
    note: 'When it counts on each site, and what it would earn if it came now. Chances are counted as won.',
    body: table({
      caption: 'The next vote on each site',
      rows: next,
      empty: html``,
      columns: [
        { label: 'Site', onPhone: 'title', cell: siteLink },
        {
          label: 'Counts',
          kind: 'brief',
          onPhone: 'corner',
          cell: ({ from }: NextVote) => (from === null ? badge('now', 'good') : ago(from, now)),
        },
        { label: 'Would earn', cell: earned },
      ],
    }),
  });

const siteLink = ({ service, url }: NextVote): Content =>
  url === null
    ? quoted(shownService(service, 60))
    : html`<a href="${url}" rel="noreferrer">${quoted(shownService(service, 60))}</a>`;

function earned({ reasons }: NextVote): Content {
  const won = explainRewards(reasons).filter(({ granted }) => granted);
  return won.length === 0
    ? html`<span class="soft">nothing</span>`
    : won.map(({ reward }) => reward).join(', ');
}

const votesCard = (name: string, traces: readonly VoteTrace[], now: number): Html =>
  card({
    title: 'Latest votes',
    actions: html`<a class="button quiet small" href="${filteredPath({ player: name, site: '', decision: '', channel: '', day: '' })}">All votes</a>`,
    body: table({
      caption: 'Latest votes',
      rows: traces.toReversed(),
      empty: html``,
      columns: [
        {
          label: 'Vote',
          onPhone: 'title',
          cell: ({ vote }: VoteTrace) =>
            html`<a href="${paths.vote(vote.id)}">${shownService(vote.service, 60)}</a>`,
        },
        { label: 'Received', kind: 'brief', cell: ({ vote }: VoteTrace) => ago(vote.receivedAt, now) },
        {
          label: 'Rewards',
          cell: ({ grants }: VoteTrace) =>
            grants.map(
              (grant) => html`<span class="pair">${quoted(grant.reward)} ${grantBadge(grant.state)}</span> `,
            ),
        },
        {
          label: 'Decision',
          kind: 'brief',
          onPhone: 'corner',
          cell: ({ vote }: VoteTrace) => decisionBadge(vote.decision),
        },
      ],
    }),
  });

/** Whether there is one name, of which no more is known. */
const isKnownByTitle = ({ players }: PlayerView): boolean =>
  players.every(
    ({ names, paidAs, importedUuids, hints }) =>
      players.length === 1 &&
      names.length === 1 &&
      names.every(
        ({ name, onlineUuid, floodgateUuid, givenUpAt }) =>
          name === paidAs && onlineUuid === null && floodgateUuid === null && givenUpAt === null,
      ) &&
      importedUuids.length + hints.length === 0,
  );

const namesCard = ({ players }: PlayerView): Html =>
  card({
    title: 'Names',
    body: players.map(({ names, paidAs, importedUuids, hints }) =>
      facts([
        [
          'Paid to',
          paidAs === null ? 'nobody, until a game server shows them under another name' : quoted(paidAs),
        ],
        ...names.map(({ name, onlineUuid, floodgateUuid, givenUpAt }): readonly [string, Content] => [
          'Name',
          [
            quoted(name),
            [onlineUuid, floodgateUuid].map((uuid) => uuid !== null && html` <code>${uuid}</code>`),
            givenUpAt !== null && html` (another player’s since ${dated(givenUpAt)})`,
          ],
        ]),
        ...importedUuids.map(({ uuid, source }): readonly [string, Content] => [
          'Hint',
          html`${quoted(source)} had the UUID <code>${uuid}</code>`,
        ]),
        ...hints.map((uuid): readonly [string, Content] => [
          'Hint',
          html`a vote named the UUID <code>${uuid}</code>`,
        ]),
      ]),
    ),
  });
