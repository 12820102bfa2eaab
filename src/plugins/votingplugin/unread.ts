import type { ConversionReport } from '../conversion.ts';
import type { Options } from '../options.ts';

const MENU = 'is about the plugin’s menus, which Teller does not have';
const AS_COMMAND = 'write it as a command; “Rewards of other plugins” says which one';
const TEXTS = 'is about texts of the plugin’s own commands';
const TOPS = 'write an entry of `tops`, with `exclude` and `ties`';
const STORAGE = 'is about how the plugin stores its data';

/** Why an option is left out, by the end of its path. The first that matches counts. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/: VoteSites\.[^.]+\.(DisplayItem|Item|Priority|Hidden|PermissionToView|IgnoreCanVote)$/i, MENU],
  [
    /[ .]Commands\.Player$/i,
    'a command that the player runs; write it with `execute as {player} run …` if it is one of Minecraft',
  ],
  [/[ .](ActionBar|BossBar|Effect|Firework|Potions|RandomItem|NumberCommand|SubTitle)$/i, AS_COMMAND],
  [/[ .]Sound$/i, 'write `sound` with Minecraft’s name of the sound'],
  [/[ .]Title\.[A-Za-z]+$/i, 'Teller shows only the title itself, with the usual times'],
  [
    /[ .](EnableChoices|Choices)$/i,
    'players have no menu in Teller; give a voucher of a plugin that has one',
  ],
  [/[ .](Javascripts?|JavascriptExpression)$/i, 'Teller runs no programs of a config'],
  [/[ .]TempPermission$/i, 'write the command of your permission plugin'],
  [
    /\.(Random|RandomReward|AdvancedWorld|RandomMessage)$/i,
    'write it with `oneOf`, `firstOf`, or `chance` with `otherwise`',
  ],
  [
    /\.(AdvancedRewards|Rewards)$/i,
    'is inside a reward with a Chance, which would be drawn twice; write it as a reward of its own',
  ],
  [/Config\.yml: (Format|CustomCommands|AddCustomCommands|DisabledCommands|LoadCommandAliases)$/i, TEXTS],
  [/SpecialRewards\.yml: VoteParty$/i, 'write an entry of `party`'],
  [/SpecialRewards\.yml: (Enable)?(Monthly|Weekly|Daily)(Awards|Rewards)$/i, TOPS],
  [/Config\.yml: (BlackList|TopVoterAwardsTies)$/i, TOPS],
  [/Config\.yml: VoteRemind\w*$/i, 'write an entry of `remind`'],
  [/Config\.yml: VoteBroadcast$/i, 'write a reward with `broadcast`'],
  [
    /Config\.yml: OfflineVotesLimit$/i,
    'set `expiresAfter` of the rewards, so that what waits too long is cancelled',
  ],
  [
    /Config\.yml: (DiscordSRV|Webhooks)$/i,
    'write the URL of the channel’s webhook into an entry of `events`, which posts votes to chats',
  ],
  [/Config\.yml: (Database|MySQL|CreateBackups|Purge\w*|DataStorage)$/i, STORAGE],
];

const DEFAULT = 'has no counterpart in Teller';

/**
 * Lists the options of a section that were not read; those with the same reason together.
 *
 * @param why for options that no reason of their own is known for.
 */
export function reportUnread(options: Options, report: ConversionReport, why = DEFAULT): void {
  const groups = new Map<
    string,
    { readonly names: string[]; readonly section: string; readonly reason: string }
  >();
  for (const path of options.unread()) {
    const [, reason = why] = REASONS.find(([pattern]) => pattern.test(path)) ?? [];
    const [, section = '', name = path] = /^(.*(?:: |\.))([^.]+)$/.exec(path) ?? [];
    const group = groups.get(`${section}${reason}`) ?? { names: [], section, reason };
    group.names.push(name);
    groups.set(`${section}${reason}`, group);
  }
  for (const { names, section, reason } of groups.values())
    report.left(`${section}${names.join(', ')}`, reason);
  options.skip();
}
