import type { ConversionReport } from '../conversion.ts';
import type { Options } from '../options.ts';
import { commandsFrom, messageFrom, type Placeholders, tellraw } from '../plugin-text.ts';

/** What a reward does. */
export interface Effects {
  readonly commands: readonly string[];
  /** For the player. */
  readonly message: string | null;
  /** For everyone. */
  readonly broadcast: string | null;
  readonly title: string | null;
}

/**
 * Reads what a section of rewards does at once; what it draws or chooses is read elsewhere. The names of the options are
 * from RewardHandler.java of AdvancedCore 3.8.
 */
export function effectsIn(options: Options, known: Placeholders, report: ConversionReport): Effects {
  const where = options.path;
  const text = (lines: readonly string[]): string | null =>
    lines.length === 0 ? null : messageFrom(lines.join('\n'), known, report, where);
  const messages = options.section('Messages');
  const forPlayer = [...options.texts('Message'), ...(messages?.texts('Player') ?? [])];
  return {
    commands: [
      ...commandsFrom(commandsIn(options), known, report, where),
      ...moneyIn(options, report),
      ...experienceIn(options),
      ...itemsIn(options, report),
    ],
    message: text(forPlayer),
    broadcast: text(messages?.texts('Broadcast') ?? []),
    title: titleIn(options, known, report),
  };
}

/** All of it as commands, for entries that have no messages of their own. */
export const asCommands = ({ commands, message, broadcast, title }: Effects): readonly string[] => [
  ...commands,
  ...(message === null ? [] : [tellraw('{player}', message)]),
  ...(title === null
    ? []
    : [tellraw('{player}', title).replace(/^tellraw \{player\}/, 'title {player} title')]),
  ...(broadcast === null ? [] : [tellraw('@a', broadcast)]),
];

function commandsIn(options: Options): readonly string[] {
  if (!options.isSection('Commands')) return [...options.texts('Command'), ...options.texts('Commands')];
  return [...options.texts('Command'), ...(options.section('Commands')?.texts('Console') ?? [])];
}

/** A number, or one between two. null: it is absent, or 0. Anything else stays unread. */
function amountIn(options: Options, key: string): string | null {
  if (!options.isSection(key)) {
    const amount = options.number(key);
    return amount === null || amount === 0 ? null : String(amount);
  }
  const range = options.section(key);
  const [from, to] = [range?.number('Min'), range?.number('Max')];
  return from === null || from === undefined || to === null || to === undefined ? null : between(from, to);
}

const between = (from: number, to: number): string =>
  from === to ? String(from) : `{random ${Math.floor(from)}..${Math.floor(to)}}`;

function moneyIn(options: Options, report: ConversionReport): readonly string[] {
  const amount = amountIn(options, 'Money');
  if (amount === null) return [];
  const why =
    'became the command `eco give`, of EssentialsX; if another plugin keeps the money, write its command instead';
  report.hint(options.at('Money'), why);
  return [`eco give {player} ${amount}`];
}

const experienceIn = (options: Options): readonly string[] =>
  (['EXP', 'EXPLevels'] as const).flatMap((key) => {
    const amount = amountIn(options, key);
    const unit = key === 'EXP' ? 'points' : 'levels';
    return amount === null ? [] : [`xp add {player} ${amount} ${unit}`];
  });

/** What an item can have so that `give` needs nothing but its name, in every version of Minecraft. */
const PLAIN_ITEM = ['material', 'amount', 'minamount', 'maxamount'];

const ITEMS_MAX = 10;

function itemsIn(options: Options, report: ConversionReport): readonly string[] {
  const single = options.section('Item');
  const items = [...options.sections('Items').map(([, item]) => item), ...(single === null ? [] : [single])];
  const commands = items.flatMap((item) => itemCommand(item, report));
  if (commands.length > ITEMS_MAX)
    report.left(
      options.at('Items'),
      `it has ${commands.length} items, of which a reward here can have ${ITEMS_MAX}; write several rewards`,
    );
  return commands;
}

function itemCommand(item: Options, report: ConversionReport): readonly string[] {
  const material = item.text('Material')?.toLowerCase() ?? '';
  const others = item.keys.filter((key) => !PLAIN_ITEM.includes(key.toLowerCase()));
  if (others.length > 0 || !/^[a-z0-9_]+$/.test(material)) {
    item.skip();
    const what = others.length > 0 ? `has ${others.join(', ')}` : 'has no Material';
    const why = `the item ${what}; write \`give {player} …\` with the components of your version of Minecraft`;
    report.left(item.path, why);
    return [];
  }
  const [least, most] = [item.number('MinAmount'), item.number('MaxAmount')];
  const count = least === null || most === null ? (item.number('Amount') ?? 1) : between(least, most);
  return [`give {player} minecraft:${material} ${count}`];
}

function titleIn(options: Options, known: Placeholders, report: ConversionReport): string | null {
  const title = options.section('Title');
  if (title === null || !title.flag('Enabled', false)) {
    title?.skip();
    return null;
  }
  const text = title.text('Title');
  return text === null ? null : messageFrom(text, known, report, title.path);
}
