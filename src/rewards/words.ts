import { PLACEHOLDERS, type Placeholder } from '../core/placeholders.ts';
import { VOTE_ONLY } from './given.ts';

const OF_PARTIES: readonly Placeholder[] = ['partyVotes', 'partyLeft'];

const without = (words: readonly Placeholder[]) => PLACEHOLDERS.filter((name) => !words.includes(name));

/** What is filled in where the commands of each list are sent. */
export const WORDS = {
  rewards: [...without(OF_PARTIES), 'random'],
  party: [...without(VOTE_ONLY), 'random'],
  announce: OF_PARTIES,
  tops: [...without([...VOTE_ONLY, ...OF_PARTIES]), 'random'],
  remind: ['player', 'sitesLeft', 'voteLinks', 'nextVote'],
} as const;
