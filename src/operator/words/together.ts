import { durationWords } from '../../core/duration.ts';
import { countText, listText } from '../../core/list-text.ts';
import type { If } from '../../rewards/conditions.ts';
import { prizeName } from '../../rewards/grants.ts';
import { ifPhrases } from '../../rewards/judge-if.ts';
import type { Party, Top } from '../../rewards/reward.ts';
import { type ChoiceWords, commandSteps, type EntryWords } from './entry.ts';
import { whenSentence } from './payment.ts';

export const partyWords = (party: Party): EntryWords => ({
  kind: 'party',
  name: party.name,
  when: [
    `It is reached whenever ${party.every === 1 ? 'a vote has' : `${countText(party.every, 'vote')} have`} counted.`,
    ...filterSentences(party.if),
    ...(party.reset === null ? [] : [`The count starts again with each ${party.reset}.`]),
    forWhom(party),
    ...carriedOn(party),
  ],
  choices: [
    { lead: 'when it is reached', share: null, steps: commandSteps(party.commands) },
    ...announceChoices(party),
  ],
  odds: null,
  paid: [party.for === 'once' ? onceSentence(party) : whenSentence(party)],
});

export const topWords = (top: Top): EntryWords => ({
  kind: 'top',
  name: top.name,
  when: [
    `It is paid for each ${top.period} to the players with the most votes in it.`,
    ...filterSentences(top.if),
    top.ties === 'share'
      ? 'Players with as many votes share a place, and each gets its prize.'
      : 'Of players with as many votes, the one who reached them first is before the others.',
    ...(top.exclude.length === 0
      ? []
      : [`${listText(top.exclude, 'and')} ${top.exclude.length === 1 ? 'gets' : 'get'} no place.`]),
    top.settleMs === 0
      ? `Places are final at the end of the ${top.period}.`
      : `Places are final ${durationWords(top.settleMs)} after the end of the ${top.period}, so that late votes count.`,
    ...carriedOn(top),
  ],
  choices: top.prizes.map((prize) => ({
    lead: `${prize.from === prize.to ? 'place' : 'places'} ${prizeName(prize).replace('..', ' to ')}`,
    share: null,
    steps: commandSteps(prize.commands),
  })),
  odds: null,
  paid: [whenSentence(top)],
});

/** Which votes count; nothing if all do. */
function filterSentences(filter: If): readonly string[] {
  const phrases = ifPhrases(filter);
  return phrases.length === 0 ? [] : [`Only votes ${phrases.join(' and ')} count.`];
}

const carriedOn = ({ was }: Pick<Party, 'was'>): readonly string[] =>
  was.length === 0 ? [] : [`It carries on what was counted and paid as ${listText(was, 'and')}.`];

function forWhom({ for: whom, minOnline, userVotes }: Party): string {
  const voters =
    userVotes === 1
      ? 'the players whose votes made it'
      : `the players with at least ${countText(userVotes, 'vote')} since the last one`;
  switch (whom) {
    case 'voters':
      return `It pays ${voters}.`;
    case 'online':
      return `It pays the players who are online when it is reached; with fewer than ${minOnline} online, it pays ${voters}.`;
    case 'once':
      return 'Its commands are run once, for nobody in particular.';
  }
}

const onceSentence = ({ servers }: Party): string => `Run on ${listText(servers, 'and')} at once.`;

function announceChoices({ announceLeft, announce, every }: Party): readonly ChoiceWords[] {
  // A party of 20 votes never has 50 left.
  const left = announceLeft.filter((votes) => votes < every);
  if (left.length === 0 || announce.length === 0) return [];
  const numbers = listText(
    left.map((votes) => votes.toLocaleString('en')),
    'or',
  );
  const lead = left.length === 1 && left[0] === 1 ? 'when 1 vote is left' : `when ${numbers} votes are left`;
  return [{ lead, share: null, steps: commandSteps(announce) }];
}
