import { expect, test } from 'vitest';
import { NO_OCCASION, type Occasion, occasion } from '../../src/core/occasion.ts';
import { FIGURE_PLACEHOLDERS } from '../../src/core/placeholders.ts';
import { figuresFor } from '../../src/rewards/figures.ts';
import { historyWith, vote } from '../support/rewards.ts';

const ALL = FIGURE_PLACEHOLDERS.map((name) => `{${name}}`);

/** A Monday with the ninth vote, in a run of three days; the best one had five. */
const history = historyWith({
  count: ({ days, services }) => {
    if (services !== undefined) return 4;
    return days === undefined ? 9 : days.to - days.from + 1;
  },
  votedRuns: () => [{ from: 20_603, to: 20_605 }],
  longestRun: () => 5,
  servicesOn: () => new Set(['List']),
});

const figures = (templates: readonly string[], what: Occasion = NO_OCCASION) =>
  figuresFor(templates, { vote: vote(), history, listed: ['List', 'Other', 'Third'], occasion: what });

test('are counts of the player with the vote, by its time, and the sites without a vote that day', () => {
  expect(figures(ALL, occasion('total 9'))).toEqual({
    votes: 9,
    votesDay: 1,
    votesWeek: 7,
    votesMonth: 30,
    votesSite: 4,
    streak: 3,
    bestStreak: 5,
    occasion: 'total 9',
    sitesLeft: 2,
  });
});

test('show the streak that was reached, if one was', () => {
  const reached = { per: 'day', length: 2, period: 20_605 } as const;
  expect(figures(['{streak}'], occasion('streak 2', { streaks: [reached] }))).toEqual({ streak: 2 });
});

test('are read only where a command asks for them, in either style', () => {
  expect(figures(['say {player} %votesDay%', 'say {bestStreak}'])).toEqual({ votesDay: 1, bestStreak: 5 });
  expect(figures(['say {player} on {site}, {Votes}'])).toEqual({});
});
