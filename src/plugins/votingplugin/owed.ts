import { Options } from '../options.ts';
import { requirementsIn } from './requirements.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The commands of a reward that the plugin has stored as owed. Its name is the path of its section with `_` instead of
 * dots, or that of a file in the folder Rewards.
 *
 * @param files VoteSites.yml, SpecialRewards.yml and Config.yml.
 * @param filled what was stored for its placeholders, by name in lower case.
 * @returns none if there is no such reward, if it draws or requires something, or if a placeholder has no value.
 */
export function owedCommands(
  reward: string,
  filled: ReadonlyMap<string, string>,
  files: readonly Fields[],
  rewardFiles: ReadonlyMap<string, Fields>,
): readonly string[] {
  const found = rewardFiles.get(reward.toLowerCase()) ?? firstAt(files, reward.toLowerCase());
  if (found === null) return [];
  const options = new Options(found, '');
  const { chance, blocked } = requirementsIn(options);
  if (chance !== null || blocked !== null) return [];
  const console = options.section('Commands')?.texts('Console');
  const written = [...options.texts('Command'), ...(console ?? options.texts('Commands'))];
  const commands = written.map((command) => filledCommand(command, filled));
  return commands.some((command) => command === null) ? [] : (commands as readonly string[]);
}

const firstAt = (files: readonly Fields[], name: string): Fields | null => {
  for (const file of files) {
    const found = sectionAt(file, name);
    if (found !== null) return found;
  }
  return null;
};

function sectionAt(fields: Fields, name: string): Fields | null {
  for (const [key, value] of Object.entries(fields)) {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) continue;
    const own = key.toLowerCase();
    if (name === own) return value as Fields;
    const inner = name.startsWith(`${own}_`) ? sectionAt(value as Fields, name.slice(own.length + 1)) : null;
    if (inner !== null) return inner;
  }
  return null;
}

/** null: a placeholder has no value, or a value would change the command (rule 8). */
function filledCommand(command: string, filled: ReadonlyMap<string, string>): string | null {
  let isWhole = true;
  const text = command.replaceAll(/%([A-Za-z][\w.-]*)%/g, (_, name: string) => {
    const value = filled.get(name.toLowerCase());
    isWhole &&= value !== undefined && /^[\p{L}\p{N} _.:+-]*$/u.test(value);
    return value ?? '';
  });
  const line = text.trim().replace(/^\//, '');
  return isWhole && line !== '' && !/[\p{Cc}\u2028\u2029]/u.test(line) ? line : null;
}
