import { isoTime } from './instant.ts';
import { shellWord } from './shell-word.ts';

/** What is not paid during a pause. */
export interface PauseScope {
  /** null: on every game server. */
  readonly server: string | null;
  /** null: every reward. */
  readonly reward: string | null;
}

/** A pause that lasts, since when, and who began it. */
export interface Pause extends PauseScope {
  readonly at: number;
  /** The account on the operator's machine. */
  readonly by: string;
}

/** Whether a pause stops what is owed by this reward on this game server. */
export const isPausedBy = (owed: { readonly server: string; readonly reward: string }, pause: PauseScope) =>
  (pause.server ?? owed.server) === owed.server && (pause.reward ?? owed.reward) === owed.reward;

/** `all rewards`, `the reward daily on sky` */
export const scopeText = ({ server, reward }: PauseScope): string =>
  `${reward === null ? 'all rewards' : `the reward ${reward}`}${server === null ? '' : ` on ${server}`}`;

/** The command that ends a pause. */
export const resumeText = ({ server, reward }: PauseScope): string =>
  [
    'teller resume',
    ...(server === null ? [] : [`--server ${shellWord(server)}`]),
    ...(reward === null ? [] : [`--reward ${shellWord(reward)}`]),
  ].join(' ');

/** `all rewards on sky have been paused since 2026-… by admin` */
export const pauseText = (pause: Pause): string =>
  `${scopeText(pause)} ${pause.reward === null ? 'have' : 'has'} been paused since ${isoTime(pause.at)} by ${pause.by}`;
