import { ConversionReport } from '../conversion.ts';
import { Options } from '../options.ts';
import { commandsFrom, type Placeholders } from '../plugin-text.ts';
import { asCommands, type Effects, effectsIn } from './effects.ts';
import { requirementsIn } from './requirements.ts';
import { reportUnread } from './unread.ts';

/** What the rewards of a section have in common. */
export interface RewardBase {
  readonly name: string;
  readonly if: Readonly<Record<string, unknown>>;
  /** Placeholders besides those of every vote. */
  readonly known?: Placeholders;
  readonly keys?: Readonly<Record<string, unknown>>;
}

export interface RewardKit {
  readonly report: ConversionReport;
  /** Files of the folder Rewards, by name in lower case. */
  readonly files: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

export interface Reward {
  readonly name: string;
  readonly [key: string]: unknown;
}

const OF_EVERY_VOTE: Placeholders = new Map([
  ...(['player', 'playername', 'displayname'] as const).map((name) => [name, '{player}'] as const),
  ...([
    ['uuid', '{uuid}'],
    ['servicesite', '{service}'],
    ['sitename', '{site}'],
  ] as const),
]);

/**
 * The rewards of `key`: a section, or a list of files in the folder Rewards. Empty, with a report, if there is nothing that
 * can be converted.
 */
export function rewardsAt(outer: Options, key: string, base: RewardBase, kit: RewardKit): readonly Reward[] {
  const section = outer.section(key);
  const found =
    section === null
      ? filesAt(outer, key, kit).flatMap((file) => whole(file, base, kit))
      : whole(section, base, kit);
  if (found.length > 0)
    kit.report.became(outer.at(key), found.map(({ name }) => `rewards ${name}`).join(', '));
  return found;
}

/**
 * The rewards below `Rewards` of a section of which all else has been read. What was not read says when they are paid, so
 * without it they are left out.
 *
 * @param others what was not read elsewhere, and says it too.
 */
export function rewardsBelow(
  options: Options,
  base: RewardBase,
  kit: RewardKit,
  others: readonly string[] = [],
): readonly Reward[] {
  const unread = [...unreadBeside(options, 'Rewards'), ...others];
  if (unread.length > 0)
    return leave(options, `it has ${unread.join(', ')}, which Teller does not have`, kit);
  return rewardsAt(options, 'Rewards', base, kit);
}

/** The options of a section that were not read, apart from one of them, which is read later. */
export const unreadBeside = (options: Options, later: string): readonly string[] =>
  options
    .unread()
    .map((path) => path.slice(options.path.length).replace(/^\./, ''))
    .filter((key) => key.split('.')[0]?.toLowerCase() !== later.toLowerCase());

function filesAt(outer: Options, key: string, { report, files }: RewardKit): readonly Options[] {
  return outer.texts(key).flatMap((name) => {
    const fields = files.get(name.toLowerCase());
    if (fields !== undefined) return [new Options(fields, `Rewards/${name}.yml: `)];
    report.left(outer.at(key), `there is no file Rewards/${name}.yml`);
    return [];
  });
}

/**
 * All of a reward, or nothing of it: without a part of it, players would get less than they are used to, or more if
 * that part narrows down who gets it.
 */
function whole(options: Options, base: RewardBase, { report, files }: RewardKit): readonly Reward[] {
  const tried = new ConversionReport();
  const found = rewardsOf(options, base, { report: tried, files });
  if (tried.notConverted.length === 0) {
    for (const { what, why } of tried.hints) report.left(what, why);
    return found.map((reward) => ({ ...reward, name: report.nameFor(reward.name) }));
  }
  const path = options.path.replace(/: $/, '');
  for (const { what, why } of tried.notConverted) {
    // What is in a file that the reward names does not say which reward it belongs to.
    const which = what.startsWith(path) ? 'the reward' : `the reward ${path}`;
    report.left(what, `${which} was left out: ${why}`);
  }
  options.skip();
  return [];
}

/** Lists a section that cannot be converted, instead of what is in it. */
export function leave(options: Options, why: string, { report }: RewardKit): readonly Reward[] {
  options.skip();
  report.left(options.path, why);
  return [];
}

function rewardsOf(options: Options, base: RewardBase, kit: RewardKit): readonly Reward[] {
  const { report } = kit;
  const { chance, keys, blocked } = requirementsIn(options);
  if (blocked !== null) return leave(options, blocked, kit);
  const known = new Map([...OF_EVERY_VOTE, ...(base.known ?? [])]);
  const effects = effectsIn(options, known, report);
  const oneOf = drawnIn(options, known, kit);
  const conditions = { ...base.if, ...(chance === null ? {} : { chance: `${Number(chance.toFixed(6))}%` }) };
  const shared = {
    ...(Object.keys(conditions).length === 0 ? {} : { if: conditions }),
    ...base.keys,
    ...keys,
  };
  const body = { ...written(effects), ...drawn(oneOf, effects.commands) };
  const own = Object.keys(body).length === 0 ? [] : [{ name: base.name, ...shared, ...body }];
  const inner =
    chance === null
      ? innerRewards(options, { ...base, if: conditions, keys: { ...base.keys, ...keys } }, kit)
      : [];
  reportUnread(options, report);
  return [...own, ...inner];
}

const written = ({ commands, message, broadcast, title }: Effects): object => ({
  ...(commands.length === 0 ? {} : { commands }),
  ...(message === null ? {} : { message }),
  ...(title === null ? {} : { title }),
  ...(broadcast === null ? {} : { broadcast }),
});

/** One entry alone needs no draw. */
const drawn = (oneOf: readonly Drawn[], commands: readonly string[]): object => {
  const [only] = oneOf;
  if (oneOf.length === 1 && only !== undefined) return { commands: [...commands, ...only.commands] };
  return oneOf.length === 0 ? {} : { oneOf };
};

interface Drawn {
  readonly weight?: number;
  readonly commands: readonly string[];
}

/** Commands of which one entry is drawn. */
function drawnIn(options: Options, known: Placeholders, { report }: RewardKit): readonly Drawn[] {
  const commands = commandsFrom(options.texts('RandomCommand'), known, report, options.path);
  return [...commands.map((command) => ({ commands: [command] })), ...weighted(options, known, report)];
}

/** `AdvancedRandomReward` has sections of equal weight; the names of those of `SpecialChance` are their weights. */
function weighted(options: Options, known: Placeholders, report: ConversionReport): readonly Drawn[] {
  return (['AdvancedRandomReward', 'SpecialChance'] as const).flatMap((key) =>
    options.sections(key).flatMap(([name, section]) => {
      const { chance, keys, blocked } = requirementsIn(section);
      const isPlain = blocked === null && chance === null && Object.keys(keys).length === 0;
      const commands = isPlain ? asCommands(effectsIn(section, known, report)) : [];
      const weight = key === 'SpecialChance' ? Math.round(Number(name.replace('_', '.')) * 100) : 1;
      if (commands.length > 0 && weight >= 1) return [{ weight, commands }];
      section.skip();
      report.left(
        section.path,
        'an entry that is drawn can only have commands and messages; write it into `oneOf`',
      );
      return [];
    }),
  );
}

/** Rewards inside the reward, each of which is one of its own here. */
function innerRewards(options: Options, base: RewardBase, kit: RewardKit): readonly Reward[] {
  const nested = options.section('Rewards');
  const sections = nested === null ? filesAt(options, 'Rewards', kit) : [nested];
  return [
    ...sections.flatMap((each) => rewardsOf(each, base, kit)),
    ...options.sections('AdvancedRewards').flatMap(([name, each]) => rewardsOf(each, named(base, name), kit)),
  ];
}

const named = (base: RewardBase, name: string): RewardBase => ({ ...base, name: `${base.name}-${name}` });
