import { type Config, practiceNames, zoneOf } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { durationWords } from '../../core/duration.ts';
import { isoTime } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import { needs } from '../../core/placeholders.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { ifPhrase } from '../../rewards/judge-if.ts';
import type { Publish, Remind, Reward } from '../../rewards/reward.ts';
import { limitPhrase } from '../../rewards/words.ts';
import { choicesOf, oddsOf } from './choices.ts';
import { commandSteps, type EntryWords } from './entry.ts';
import { paymentSentences } from './payment.ts';
import { type SiteWords, siteWords } from './site.ts';
import { partyWords, topWords } from './together.ts';

/** What a config promises, in everyday language and without secrets (rule 10). Names and commands are as in the config. */
export interface ConfigWords {
  /** What concerns everything below, such as that nothing is paid for real. */
  readonly notes: readonly string[];
  /** Rewards, parties, tops, what is published and reminders, in the order of the config. */
  readonly entries: readonly EntryWords[];
  readonly sites: readonly SiteWords[];
  readonly gameServers: readonly GameServerWords[];
}

export interface GameServerWords {
  readonly name: string;
  /** Such as "a game server with RCON". */
  readonly what: string;
  readonly isPractice: boolean;
}

export const configWords = (config: Config, clock: Pick<Clock, 'zone'>): ConfigWords => ({
  notes: notesOn(config, zoneOf(config, clock)),
  entries: entryWords(config),
  sites: [...config.sites].map(([name, site]) => siteWords(name, site)),
  gameServers: [...config.gameServers].map(([name, server]) => {
    const { means: what, isPractice } = kindOf(server);
    return { name, what, isPractice };
  }),
});

/** Names are unique among all of them. */
const entryWords = ({ rewards, party, tops, publish, remind }: Config): readonly EntryWords[] => [
  ...rewards.map((reward) => rewardWords(reward, rewards)),
  ...party.map(partyWords),
  ...tops.map(topWords),
  ...publish.map((each) => publishWords(each, party[0]?.name ?? null)),
  ...remind.map(remindWords),
];

function notesOn(config: Config, zone: string): readonly string[] {
  const { mode, from } = config.pay;
  const practice = practiceNames(config);
  const are = practice.length === 1 ? 'is a practice server' : 'are practice servers';
  return [
    ...(mode === 'shadow' ? ['Nothing is paid here: votes are only stored and decided.'] : []),
    ...(mode === 'real' && from !== null
      ? [`Only votes received from ${isoTime(from)} on are paid here.`]
      : []),
    ...(practice.length === 0 ? [] : [`${listText(practice, 'and')} ${are}, where no real player is paid.`]),
    `Days, weeks and months begin in the time zone ${zone}.`,
  ];
}

/** @param all every reward of the config, because a vote gets only the first of some. */
const rewardWords = (reward: Reward, all: readonly Reward[]): EntryWords => ({
  kind: 'reward',
  name: reward.name,
  when: whenSentences(reward, all),
  choices: choicesOf(reward),
  odds: oddsOf(reward),
  paid: paymentSentences(reward),
});

const whenSentences = (reward: Reward, all: readonly Reward[]): readonly string[] => [
  `Players get it ${ifPhrase(reward)}.`,
  ...(reward.limit === null ? [] : [`They get it ${limitPhrase(reward.limit)}.`]),
  ...firstOfSentences(reward, all),
  ...(reward.stop ? ['A vote that is granted it gets none of the rewards after it.'] : []),
  ...(reward.was.length === 0
    ? []
    : [`It carries on what was counted and granted as ${listText(reward.was, 'and')}.`]),
];

function firstOfSentences({ name, firstOf }: Reward, all: readonly Reward[]): readonly string[] {
  if (firstOf === null) return [];
  const group = all.filter((each) => each.firstOf === firstOf).map((each) => each.name);
  const before = group.slice(0, group.indexOf(name));
  return [
    before.length === 0
      ? `A vote that is granted it gets none of ${listText(group.slice(1), 'and')}.`
      : `Only if the vote is not granted ${listText(before, 'or')}.`,
  ];
}

/** @param firstParty null: the config has no party. */
const publishWords = (publish: Publish, firstParty: string | null): EntryWords => ({
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

const remindWords = (remind: Remind): EntryWords => ({
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
