import type { ConversionReport } from '../conversion.ts';
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

export type Reward = Readonly<Record<string, unknown>>;

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
      ? outer.texts(key).flatMap((name) => rewardFile(name, outer.at(key), base, kit))
      : rewardsOf(section, base, kit);
  if (found.length > 0)
    kit.report.became(outer.at(key), found.map(({ name }) => `rewards ${name}`).join(', '));
  return found;
}

function rewardFile(name: string, where: string, base: RewardBase, kit: RewardKit): readonly Reward[] {
  const fields = kit.files.get(name.toLowerCase());
  if (fields !== undefined) return rewardsOf(new Options(fields, `Rewards/${name}.yml: `), base, kit);
  kit.report.left(where, `there is no file Rewards/${name}.yml`);
  return [];
}

function rewardsOf(options: Options, base: RewardBase, kit: RewardKit): readonly Reward[] {
  const { report } = kit;
  const { chance, keys, blocked } = requirementsIn(options);
  if (blocked !== null) {
    options.skip();
    report.left(options.path, `the reward was left out, because ${blocked}`);
    return [];
  }
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
  const own = Object.keys(body).length === 0 ? [] : [{ name: report.nameFor(base.name), ...shared, ...body }];
  const inner =
    chance === null
      ? innerRewards(options, { ...base, if: conditions, keys: { ...base.keys, ...keys } }, kit)
      : [];
  reportUnread(options, report);
  return [...own, ...inner];
}

const written = ({ commands, message, broadcast, title }: Effects): Reward => ({
  ...(commands.length === 0 ? {} : { commands }),
  ...(message === null ? {} : { message }),
  ...(title === null ? {} : { title }),
  ...(broadcast === null ? {} : { broadcast }),
});

/** One entry alone needs no draw. */
const drawn = (oneOf: readonly Drawn[], commands: readonly string[]): Reward => {
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
  const drawn = [
    ...commands.map((command) => ({ commands: [command] })),
    ...weighted(options, known, report),
  ];
  if (drawn.length !== 1) return drawn;
  return [...drawn, ...drawn];
}

/** `AdvancedRandomReward` has sections of equal weight; the names of those of `SpecialChance` are their weights. */
function weighted(options: Options, known: Placeholders, report: ConversionReport): readonly Drawn[] {
  return (['AdvancedRandomReward', 'SpecialChance'] as const).flatMap((key) =>
    options.sections(key).flatMap(([name, section]) => {
      const { chance, blocked } = requirementsIn(section);
      const commands = blocked === null ? asCommands(effectsIn(section, known, report)) : [];
      const weight = key === 'SpecialChance' ? Math.round(Number(name.replace('_', '.')) * 100) : 1;
      if (commands.length > 0 && chance === null && weight >= 1) return [{ weight, commands }];
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
  const files = nested === null ? options.texts('Rewards') : [];
  return [
    ...(nested === null ? [] : rewardsOf(nested, base, kit)),
    ...files.flatMap((name) => rewardFile(name, options.at('Rewards'), base, kit)),
    ...options.sections('AdvancedRewards').flatMap(([name, each]) => rewardsOf(each, named(base, name), kit)),
  ];
}

const named = (base: RewardBase, name: string): RewardBase => ({ ...base, name: `${base.name}-${name}` });
