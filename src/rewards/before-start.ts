import { periodName } from '../core/period.ts';
import type { Facts } from '../core/reason.ts';
import type { Judging } from './condition.ts';

/** The facts of a reason `before-start`: something, such as `total 25`, was reached before the reward started. */
export const reachedBeforeStart = (reached: string, { reward }: Pick<Judging, 'reward'>): Facts => ({
  reached,
  started: periodName('day', reward.startDay),
});

export const beforeStartText = ({ ended, reached, started }: Facts): string =>
  reached === undefined
    ? `${ended} ended before the reward started, on ${started}`
    : `reached ${reached} before the reward started, on ${started}`;
