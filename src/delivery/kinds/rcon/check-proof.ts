import { type Finding, ok, warning } from '../../../core/finding.ts';
import { withValues } from '../../../core/placeholders.ts';
import { NOBODY } from '../../game-server.ts';
import type { CheckParts } from '../../game-server-kind.ts';
import type { ProvingServer } from '../../proving-server.ts';
import { markableRoot } from './mark-words.ts';

type Wanted = CheckParts['commands'];

/** Whether the game stores marks, and of which commands. Leaves nothing behind, and runs no command for anyone. */
export async function checkProof(
  { name, commands }: Pick<CheckParts, 'name' | 'commands'>,
  proof: ProvingServer,
): Promise<readonly Finding[]> {
  if (!(await proof.canStore())) return [missing(name)];
  const covered = await coveredRoots(commands, proof);
  const bare = commands.filter(({ template }) => !covered.has(rootOf(template) ?? ''));
  const roots = [...covered].toSorted().join(', ');
  const found =
    covered.size === 0
      ? `${name} stores marks, but no command of a reward is covered`
      : `${name} proves by storage whether a command ran: ${roots}`;
  return [ok('proof', found), ...(bare.length === 0 ? [] : [partial(name, bare)])];
}

async function coveredRoots(commands: Wanted, proof: ProvingServer): Promise<ReadonlySet<string>> {
  const covered = new Set<string>();
  for (const { template } of commands) {
    const root = rootOf(template);
    if (root !== null && !covered.has(root) && (await proof.covers(sampleOf(template)))) covered.add(root);
  }
  return covered;
}

const rootOf = (template: string): string | null => markableRoot(template);

/** What is a number nearly everywhere is 1, so that the game can read the line. */
const sampleOf = (template: string): string =>
  withValues(template, (filled) => {
    if (filled.kind === 'random') return String(filled.range.from);
    return SAMPLES[filled.name] ?? '1';
  });

const SAMPLES: Readonly<Record<string, string>> = {
  ...{ player: NOBODY, uuid: '11111111-1111-4111-8111-111111111111', site: 'List', service: 'List' },
};

const missing = (name: string): Finding =>
  warning(
    'proof-missing',
    `${name} stores no marks, so commands are run there without proof`,
    `\`proof\` needs Minecraft Java 1.15 or newer; otherwise leave out gameServers.${name}.proof`,
  );

const partial = (name: string, bare: Wanted): Finding => {
  const rewards = [...new Set(bare.map(({ reward }) => reward))];
  const commands = [...new Set(bare.map(({ template }) => template.split(' ', 1)[0]))];
  return warning(
    'proof-partial',
    `without proof on ${name}: ${rewards.join(', ')} (${commands.join(', ')})`,
    'nothing, if that is all right: such a command is held when its reply is lost. Plugin commands are covered on Paper from 1.20.6 on; `function` and `execute` never are',
  );
};
