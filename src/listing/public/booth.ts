import { HOUR_MS } from '../../core/duration.ts';
import {
  actions,
  ago,
  alert,
  clockText,
  type FormState,
  focused,
  form,
  type Html,
  html,
  inputField,
  linkButton,
  postButton,
  quoted,
  submitButton,
} from '../../web/kit.ts';
import type { Account } from '../accounts/account.ts';
import { signInThen } from '../accounts/paths.ts';
import type { Listing } from '../contracts.ts';
import type { ActiveVote } from '../store/votes.ts';
import { votingWindowMs } from '../votes/cast-vote.ts';
import { publicPaths } from './paths.ts';

/** Sent by the button that votes without a player. Without this value, a blank name leads to a confirmation question. */
export const WITHOUT_PLAYER = 'withoutPlayer';

export interface Booth {
  readonly listing: Listing;
  readonly person: Account | null;
  readonly active: ActiveVote | null;
  readonly now: number;
  readonly csrf: string;
  readonly state: FormState;
  /** The voter left the player name blank on a listing that can reward players. */
  readonly isPlayerMissing: boolean;
  /** The page already says at the top that the vote counts, or that it came too early. */
  readonly hasFlash: boolean;
}

/** Shows what this visitor can do: sign in, vote, or wait. */
export function booth(parts: Booth): Html | Html[] {
  const { listing, person, active, now, hasFlash } = parts;
  if (person === null) return signInFirst(listing);
  if (active === null) return [...(parts.isPlayerMissing ? [question(parts)] : []), ballot(parts, person)];
  const next = html`<p>You can vote again <strong>${ago(active.nextAt, now)}</strong>, at ${clockText(active.nextAt)}.</p>`;
  return hasFlash ? next : alert({ tone: 'good', title: 'You’ve already voted', body: next });
}

const windowHours = (listing: Listing): number => votingWindowMs(listing) / HOUR_MS;

const signInFirst = (listing: Listing): Html[] => [
  html`<p>Sign in to vote. You can vote once every ${windowHours(listing)} hours.</p>`,
  actions(linkButton('Sign in to vote', signInThen(publicPaths.listing(listing.id)), 'primary')),
];

/** Asked because the vote would use up the voter's window without a reward for any player. */
const question = ({ listing, csrf }: Booth): Html =>
  focused(
    alert({
      tone: 'warn',
      title: 'Vote without a player name?',
      body: [
        html`<p>Your vote would count, but no player would get a reward, and you couldn’t vote here again for
          ${windowHours(listing)} hours. To get the reward, enter the player name below.</p>`,
        postButton({
          action: publicPaths.vote(listing.id),
          csrf,
          label: 'Vote without a reward',
          with: { [WITHOUT_PLAYER]: 'on' },
        }),
      ],
    }),
  );

const ballot = ({ listing, csrf, state }: Booth, person: Account): Html =>
  form({
    action: publicPaths.vote(listing.id),
    csrf,
    state,
    fields: [
      html`<p>You’re voting as ${quoted(person.name)}. You can vote once every ${windowHours(listing)} hours.</p>`,
      listing.game === 'minecraft' &&
        inputField(state, {
          name: 'player',
          label: 'Player name',
          hint: 'This player gets the reward. For a Bedrock player, include the prefix that the server shows.',
        }),
    ],
    submit: submitButton('Vote'),
  });
