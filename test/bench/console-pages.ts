import { HOUR_MS } from '../../src/core/duration.ts';
import { SERVICES } from './config.ts';

/** A page of the console that is timed. */
export interface TimedPage {
  readonly name: string;
  readonly path: string;
}

/** What the ledger holds that pages are about. */
export interface PageSubjects {
  /** How many votes were filled in, and by how many players. */
  readonly votes: number;
  readonly players: number;
  /** A grant that is held, and one that is paid. */
  readonly held: number;
  readonly paid: number;
  /** Since the Unix epoch. */
  readonly now: number;
}

const [SITE = ''] = SERVICES;
const DAY_MS = 24 * HOUR_MS;

/** Every page that an operator can open, in the order in which they are opened first. */
export const consolePages = ({ votes, players, held, paid, now }: PageSubjects): readonly TimedPage[] =>
  Object.entries({
    Now: '/',
    Votes: '/votes',
    'Votes, deep page': `/votes?before=${Math.floor(votes / 2)}`,
    'Votes of the busiest player': '/votes?player=P0',
    'Votes of a site': `/votes?site=${SITE}`,
    'Votes by decision': '/votes?decision=cooldown',
    'Votes by rare decision': '/votes?decision=too-old',
    'Votes by channel': '/votes?channel=listener-v1',
    'Votes of a day': `/votes?day=${new Date(now - 30 * DAY_MS).toISOString().slice(0, 10)}`,
    'Votes by player, site and decision': `/votes?player=P0&site=${SITE}&decision=cooldown`,
    'One vote': `/votes/${votes - 10}`,
    Players: '/players',
    'Players by beginning': '/players?name=p1',
    'Players by typo': '/players?name=Pl234',
    'Player with most votes': '/players/P0',
    'Player with few votes': `/players/P${Math.floor(players / 2)}`,
    'Player without votes': '/players/Nobody_Voted',
    'Needs you': '/grants',
    'Needs you, of a reward': '/grants?reward=daily',
    'Needs you, of a player': '/grants?player=P0',
    'One grant, held': `/grants/${held}`,
    'One grant, paid': `/grants/${paid}`,
    Figures: '/figures',
    'Figures as CSV': '/figures/votes-by-day.csv',
    Rewards: '/rewards',
    Test: '/test',
    Keys: '/keys',
    '/healthz': '/healthz',
    '/readyz': '/readyz',
    '/metrics': '/metrics',
  }).map(([name, path]) => ({ name, path }));
