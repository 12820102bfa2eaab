import type { ShadowPlayer, ShadowReport } from '../../operator/shadow/report.ts';
import { amount, card, count, empty, html, quoted, table } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

const PLAYERS_SHOWN = 100;

/** What Teller would have paid in the last 24 hours. */
export const shadowPage = ({ rewards, players, lacking }: ShadowReport): Page => ({
  title: 'Shadow report',
  trail: [{ label: 'Test', href: paths.test }],
  lead: 'What the votes of the last 24 hours would have been paid here, while another listener pays them.',
  body:
    players.length === 0
      ? empty({
          title: 'No vote was left to the other side',
          advice: 'Votes of the last 24 hours appear here when both listeners receive them.',
        })
      : [rewardsCard(rewards), playersCard(players)],
  json: {
    rewards,
    players: players.map((each) => ({ ...each, rewards: Object.fromEntries(each.rewards) })),
    lacking,
  },
});

const rewardsCard = (rewards: ShadowReport['rewards']) =>
  card({
    title: 'Rewards',
    body: table({
      caption: 'Rewards that would have been paid',
      rows: rewards,
      empty: empty({ title: 'No reward', advice: 'No vote earned one.' }),
      columns: [
        { label: 'Reward', onPhone: 'title', cell: ({ reward }) => quoted(reward) },
        { label: 'Times', kind: 'number', cell: ({ grants }) => count(grants) },
        { label: 'Players', kind: 'number', cell: ({ players }) => count(players) },
      ],
    }),
  });

const playersCard = (players: readonly ShadowPlayer[]) =>
  card({
    title: 'Players',
    note:
      players.length > PLAYERS_SHOWN
        ? html`The first ${PLAYERS_SHOWN} of ${count(players.length)}.`
        : amount(players.length, { one: 'player', many: 'players' }),
    body: table({
      caption: 'Players and what they would have been paid',
      rows: players.slice(0, PLAYERS_SHOWN),
      empty: html``,
      columns: [
        {
          label: 'Player',
          onPhone: 'title',
          cell: ({ player }) => html`<a href="${paths.player(player)}">${player}</a>`,
        },
        { label: 'Votes', kind: 'number', cell: ({ votes }) => count(votes) },
        { label: 'Rewards', cell: earned },
      ],
    }),
  });

const earned = ({ rewards }: ShadowPlayer) =>
  quoted(
    [...rewards].map(([reward, times]) => (times === 1 ? reward : `${reward} ×${times}`)).join(', ') ||
      'nothing',
  );
