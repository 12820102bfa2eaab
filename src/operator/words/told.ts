import { durationWords } from '../../core/duration.ts';
import { listText } from '../../core/list-text.ts';
import { needs } from '../../core/placeholders.ts';
import type { Publish, Remind } from '../../rewards/reward.ts';
import { commandSteps, type EntryWords } from './entry.ts';

/** @param firstParty null: the config has no party. */
export const publishWords = (publish: Publish, firstParty: string | null): EntryWords => ({
  kind: 'publish',
  name: publish.name,
  when: [
    `Its figures are sent every ${durationWords(publish.everyMs).replace(/^1 /, '')}.`,
    ...aboutParty(publish, firstParty),
  ],
  choices: [{ lead: null, share: null, steps: commandSteps(publish.commands) }],
  odds: null,
  paid: [sentOn(publish)],
});

export const remindWords = (remind: Remind): EntryWords => ({
  kind: 'remind',
  name: remind.name,
  when: [
    `Players who may vote on a site are told ${listText(
      [
        ...(remind.onJoin ? ['when they join'] : []),
        ...(remind.everyMs === null
          ? []
          : [`every ${durationWords(remind.everyMs).replace(/^1 /, '')} while they are online`]),
      ],
      'and',
    )}.`,
  ],
  choices: [{ lead: null, share: null, steps: commandSteps(remind.commands) }],
  odds: null,
  paid: [sentOn(remind)],
});

const aboutParty = ({ commands }: Publish, party: string | null): readonly string[] =>
  party !== null && commands.some((each) => needs(each, 'partyVotes') || needs(each, 'partyLeft'))
    ? [`What it says of a party is about ${party}.`]
    : [];

const sentOn = ({ servers }: Pick<Publish, 'servers'>): string =>
  `Sent on ${listText(servers, 'and')}, and never later.`;
