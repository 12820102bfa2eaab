import { dailyBars, type Html } from '../../web/kit.ts';
import type { VoteFigures } from '../store/votes.ts';

export const voteChart = ({ days }: VoteFigures, now: number): Html =>
  dailyBars({ title: 'Last 30 days', unit: 'votes', values: days.map(({ votes }) => votes), lastDay: now });
