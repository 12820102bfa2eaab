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

/** Sent by the button that votes for no player; without it a blank name is asked about first. */
export const WITHOUT_PLAYER = 'withoutPlayer';

export interface Booth {
  readonly listing: Listing;
  readonly person: Account | null;
  readonly active: ActiveVote | null;
  readonly now: number;
  readonly csrf: string;
  readonly state: FormState;
  /** The name was left blank where a player could be rewarded. */
  readonly isAsking: boolean;
  /** The page has just said that the vote counts, or that it came too early. */
  readonly isTold: boolean;
}

/** What this visitor can do: sign in, vote, or wait. */
export function booth(parts: Booth): Html | Html[] {
  const { listing, person, active, now, isTold } = parts;
  if (person === null) return signInFirst(listing);
  if (active === null) return [...(parts.isAsking ? [question(parts)] : []), ballot(parts, person)];
  const next = html`<p>You can vote again <strong>${ago(active.nextAt, now)}</strong>, at ${clockText(active.nextAt)}.</p>`;
  return isTold ? next : alert({ tone: 'good', title: 'You’ve already voted', body: next });
}

const windowHours = (listing: Listing): number => votingWindowMs(listing) / HOUR_MS;

const signInFirst = (listing: Listing): Html[] => [
  html`<p>Sign in to vote. You can vote once every ${windowHours(listing)} hours.</p>`,
  actions(linkButton('Sign in to vote', signInThen(publicPaths.listing(listing.id)), 'primary')),
];

/** The vote would be spent for a day, and no player would get anything for it. */
const question = ({ listing, csrf }: Booth): Html =>
  focused(
    alert({
      tone: 'warn',
      title: 'Vote without a player name?',
      body: [
        html`<p>The vote counts, but no player gets a reward for it, and you can’t vote here again for
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
      html`<p>You vote as ${quoted(person.name)}, once every ${windowHours(listing)} hours.</p>`,
      listing.game === 'minecraft' &&
        inputField(state, {
          name: 'player',
          label: 'Player name',
          hint: 'Gets the reward in the game. Bedrock players: with the prefix that the server shows.',
        }),
    ],
    submit: submitButton('Vote'),
  });
