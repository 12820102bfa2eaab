import { type Config, practiceNames, zoneOf } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import { kindOf } from '../../delivery/kinds.ts';
import type { EntryWords } from './entry.ts';
import { rewardWords } from './reward.ts';
import { type SiteWords, siteWords } from './site.ts';
import { partyWords, topWords } from './together.ts';
import { publishWords, remindWords } from './told.ts';

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
