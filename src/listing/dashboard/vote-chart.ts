import { dailyBars, type Html, VOTES } from '../../web/kit.ts';
import type { VoteFigures } from '../store/vote-reports.ts';

export const voteChart = ({ days }: VoteFigures, now: number): Html =>
  dailyBars({
    ...{ id: 'votes-by-day', title: 'Last 30 days', unit: VOTES },
    ...{ values: days.map(({ votes }) => votes), lastDay: now },
  });
