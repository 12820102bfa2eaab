import { messageJson } from '../core/message-text.ts';
import { filledIn } from '../core/placeholders.ts';
import { templateFaults } from '../core/template-fault.ts';
import { ConversionReport, Section } from './conversion.ts';

/** What VotingPlugin's placeholders become, by name in lower case. */
export type Placeholders = ReadonlyMap<string, string>;

/** What the rewards of a section have in common. */
export interface RewardBase {
  readonly name: string;
  readonly if: Readonly<Record<string, unknown>>;
  /** Placeholders besides those of every vote. */
  readonly known?: Placeholders;
  readonly keys?: Readonly<Record<string, unknown>>;
}

/** Rewards of VotingPlugin as entries of our `rewards`. */
export class RewardConversion {
  /** @param files those of the folder Rewards, by name in lower case. */
  constructor(
    readonly report: ConversionReport,
    private readonly files: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  ) {}

  /** The rewards of `key`: a section, or a list of files in the folder Rewards. */
  at(outer: Section, key: string, base: RewardBase): readonly object[] {
    const section = outer.section(key);
    if (section !== null) return this.whole(section, base, 'the reward');
    return outer.texts(key).flatMap((name) => {
      const fields = this.files.get(name.toLowerCase());
      if (fields === undefined) this.report.left(outer.at(key), `there is no file Rewards/${name}.yml`);
      const file = new Section(fields ?? {}, `Rewards/${name}.yml: `);
      return this.whole(file, base, `the reward ${outer.at(key)}`);
    });
  }

  /**
   * All of a reward, or nothing of it: without a part of it, players would get less than they are used to, or more if
   * that part narrows down who gets it.
   */
  private whole(section: Section, base: RewardBase, which: string): readonly object[] {
    const tried = new ConversionReport();
    const body = rewardIn(section, base, tried);
    for (const { what, why } of tried.notConverted) this.report.left(what, `${which} was left out: ${why}`);
    return tried.notConverted.length > 0 || body === null
      ? []
      : [{ name: this.report.nameFor(base.name), ...body }];
  }
}

const OF_EVERY_VOTE = {
  ...{ player: '{player}', playername: '{player}', displayname: '{player}', uuid: '{uuid}' },
  ...{ servicesite: '{service}', sitename: '{site}' },
};

/**
 * Reads what a section of rewards gives, and to whom, in the names of RewardHandler.java and Reward.java of AdvancedCore 3.8.
 *
 * @returns null if it gives nothing.
 */
function rewardIn(section: Section, base: RewardBase, report: ConversionReport): object | null {
  const chance = chanceOf(section, report);
  const conditions = { ...base.if, ...(chance === null ? {} : { chance }) };
  const isAlways = section.flag('ForceOffline', false) || section.flag('GiveOffline', false);
  if (!/^(?:BOTH|ONLINE)$/i.test(section.text('RewardType') ?? 'BOTH'))
    report.left(section.at('RewardType'), 'Teller pays players who are online, and none for being offline');
  if (!section.flag('RequirePermission', false)) section.text('Permission');
  const effects = effectsIn(
    section,
    new Map([...Object.entries(OF_EVERY_VOTE), ...(base.known ?? [])]),
    report,
  );
  report.leaveUnread(section, NOT_READ);
  if (Object.keys(effects).length === 0) return null;
  return {
    ...(Object.keys(conditions).length === 0 ? {} : { if: conditions }),
    ...base.keys,
    ...(isAlways ? { when: 'always' } : {}),
    ...effects,
  };
}

/** Chances here have six digits. */
function chanceOf(section: Section, report: ConversionReport): string | null {
  const chance = section.number('Chance') ?? 100;
  if (chance < 0.000001) report.left(section.at('Chance'), 'its Chance is 0');
  return chance < 100 ? `${Number(chance.toFixed(6))}%` : null;
}

function effectsIn(section: Section, known: Placeholders, report: ConversionReport): object {
  const message = (lines: readonly string[]): string | null =>
    lines.length === 0 ? null : messageFrom(lines.join('\n'), known, report, section.path);
  const byKind = section.section('Commands');
  const listed = byKind === null ? section.texts('Commands') : byKind.texts('Console');
  const commands = [...section.texts('Command'), ...listed];
  const messages = section.section('Messages');
  const title = section.section('Title');
  const isTitled = title?.flag('Enabled', false) ?? false;
  if (!isTitled) title?.skip();
  return withoutNull({
    commands: commands.length === 0 ? null : commandsFrom(commands, known, report, section.path),
    message: message([...section.texts('Message'), ...(messages?.texts('Player') ?? [])]),
    title: message(isTitled ? (title?.texts('Title') ?? []) : []),
    broadcast: message(messages?.texts('Broadcast') ?? []),
  });
}

const withoutNull = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const AS_COMMAND = 'write it as a command; “Rewards of other plugins” says which one';
const ITEM = 'write `give {player} …` with the components of your version of Minecraft';
const DRAWN = 'write it with `oneOf`';
const ORDERED = 'write it with `firstOf`';
const OWN = 'is a reward inside the reward; write it as one of its own, with the same condition';
const NOT_ASKED =
  'Teller cannot ask a permission plugin; give those players a tag, and write `execute if entity @a[name={player},tag=…] run` before each command';
const NOT_HERE = 'write the reward with `servers`';
const IN_WORLD = 'write `execute in … if entity @a[name={player},distance=0..] run` before each command';
const NO_PROGRAMS = 'Teller runs no programs of a config; write the reward with conditions';
const NO_MENU = 'players have no menu in Teller; give a voucher of a plugin that has one';

/** Why an option keeps its reward out, and what to write instead. */
const NOT_READ: Readonly<Record<string, string>> = {
  ...{ permission: NOT_ASKED, requirepermission: NOT_ASKED, vaultgroup: NOT_ASKED },
  ...{ server: NOT_HERE, blockedservers: NOT_HERE },
  ...{ worlds: IN_WORLD, blacklistedworlds: IN_WORLD, advancedworld: IN_WORLD },
  locationdistance:
    'write the distance into the command, with `execute as {player} at @s if entity @s[distance=…] run …`',
  dayofmonth: 'there is no condition for a day of each month',
  date: 'write the reward with `between` or `weekday`',
  timed: 'a reward cannot be paid at a time of day; write it with `delay` or `hours`',
  delayed: 'write it with `delay`',
  rewardexpiration: 'write it with `expiresAfter`',
  ...{ javascriptexpression: NO_PROGRAMS, javascript: NO_PROGRAMS, javascripts: NO_PROGRAMS },
  ...{ randomcommand: DRAWN, randomitem: DRAWN, advancedrandomreward: DRAWN, specialchance: DRAWN },
  ...{ lucky: 'write it with `oneOf` or `chance`', priority: ORDERED, advancedpriority: ORDERED },
  ...{ random: 'write it with `chance` and `otherwise`', randomreward: DRAWN, randommessage: DRAWN },
  ...{ rewards: OWN, advancedrewards: OWN, enablechoices: NO_MENU, choices: NO_MENU },
  ...{ item: ITEM, items: ITEM, potions: AS_COMMAND, effect: AS_COMMAND, firework: AS_COMMAND },
  money: 'write the command of your economy plugin, such as `eco give {player} 100`',
  ...{ exp: 'write `xp add {player} … points`', explevels: 'write `xp add {player} … levels`' },
  'commands.player':
    'a command that the player runs; write it with `execute as {player} run …` if it is one of Minecraft',
  ...{ actionbar: AS_COMMAND, bossbar: AS_COMMAND, numbercommand: AS_COMMAND },
  sound: 'write `sound` with Minecraft’s name of the sound',
  'title.subtitle': 'Teller shows only the title itself, with the usual times',
  temppermission: 'write the command of your permission plugin',
};

/** Braces in a plugin's text are text, but some words in them would be placeholders here. */
const BRACES = /\{[A-Za-z][\w .-]*\}/g;

const PERCENT = /%([A-Za-z][\w.-]*)%/g;

/** Replaces `%name%`. `unknown` are the placeholders that mean nothing here, as written. */
function translated(text: string, known: Placeholders): { text: string; unknown: readonly string[] } {
  const unknown = (text.match(BRACES) ?? []).filter((written) => filledIn(written).length > 0);
  const result = text.replaceAll(PERCENT, (written, name: string) => {
    const value = known.get(name.toLowerCase());
    if (value === undefined) unknown.push(written);
    return value ?? '';
  });
  return { text: result, unknown };
}

/** A reward has at most 100 commands; this many leave room for its messages. */
const COMMANDS_MAX = 80;

/** Commands of the plugin as commands here. Those that cannot be any are reported. */
function commandsFrom(
  written: readonly string[],
  known: Placeholders,
  report: ConversionReport,
  where: string,
): readonly string[] {
  if (written.length > COMMANDS_MAX)
    report.left(
      where,
      `it has ${written.length} commands, of which a reward here can have ${COMMANDS_MAX}; write several rewards`,
    );
  return written.map((each) => {
    const { text, unknown } = translated(each, known);
    const command = text.trim().replace(/^\//, '');
    const whyNot =
      unknown.length > 0
        ? `uses ${unknown.join(' and ')}, which only the plugin knows; write the command without it`
        : faultOf(command);
    if (whyNot !== null) report.left(where, `the command “${each}” ${whyNot}`);
    return command;
  });
}

function faultOf(command: string): string | null {
  const [fault] = templateFaults(command);
  switch (fault?.kind) {
    case undefined:
      return null;
    case 'empty':
      return 'is empty';
    case 'line-break':
      return 'has a line break; write each command as its own entry';
    case 'near-miss':
      return `has ${fault.written}, which Teller would take for a misspelled {${fault.meant}}`;
    case 'removed':
      return `has ${fault.written}, which Teller does not fill in`;
    case 'too-long':
      return `can become ${fault.bytes} bytes long, which is more than game servers read`;
  }
}

/** Colours such as `&#ff8800` and `#ff8800` need a setting of the game server. */
const HEX = /&?#[0-9a-f]{6}/i;

/** A message of the plugin as text with `&` codes; null if it is empty. One that cannot be shown as it is is reported. */
function messageFrom(
  written: string,
  known: Placeholders,
  report: ConversionReport,
  where: string,
): string | null {
  const { text, unknown } = translated(written.replaceAll(/%newline%/gi, '\n').replaceAll('§', '&'), known);
  const shown = text.replaceAll(/[^\P{Cc}\n]|[\u2028\u2029]/gu, ' ').trim();
  if (shown === '' && unknown.length === 0) return null;
  const whyNot = /\[Text="/i.test(written)
    ? 'has parts to click on; write it as a `tellraw` command'
    : unknown.length > 0
      ? `uses ${unknown.join(' and ')}, which only the plugin knows; write the message without it`
      : HEX.test(text)
        ? 'has colours by number, which need gameServers.<name>.version; write the message yourself'
        : faultOf(`tellraw {player} ${messageJson(shown)}`);
  if (whyNot !== null) report.left(where, `the message “${written}” ${whyNot}`);
  return shown;
}
