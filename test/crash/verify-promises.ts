import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { PROOF } from './sites.ts';

/**
 * The reply to the command is always empty. It runs at most once, and is delivered only if the game server was asked
 * right after it and answered what proves it; otherwise the grant is held, as `stateFaults` checks.
 */
export function verifyFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const grants = grantsOf(contents, PROOF.name);
  return grants.flatMap((grant) => [...stateFaults(grant), ...proofFaults(grant, recorded)]);
}

function proofFaults({ id, player, commands }: GrantRow, recorded: readonly RecordedCommand[]): string[] {
  const [command] = commands;
  const text = command?.command.toLowerCase();
  const ran = recorded.flatMap((each, at) =>
    hasRun(each) && each.command.toLowerCase() === text ? [at] : [],
  );
  if (ran.length > 1) return [`grant ${id} of ${PROOF.name} was paid ${ran.length} times`];
  if (command?.outcome !== 'delivered') return [];
  const answers = answersAfter(recorded, ran[0] ?? recorded.length, player ?? '');
  if (answers.some((answer) => answer.includes('lucky'))) return [];
  return [`grant ${id} of ${PROOF.name} is delivered, and was answered [${answers.join('; ')}]`];
}

/** The answers about the player until the next command of such a grant of theirs. */
function answersAfter(
  recorded: readonly RecordedCommand[],
  position: number,
  player: string,
): readonly string[] {
  const after = recorded.slice(position + 1);
  const isOf = (start: string, { command }: RecordedCommand): boolean =>
    command.toLowerCase().startsWith(start.toLowerCase());
  const next = after.findIndex((each) => isOf(`say proof ${player} `, each));
  return after
    .slice(0, next === -1 ? after.length : next)
    .filter((each) => isOf(`tag ${player} list`, each))
    .map(({ reply }) => reply);
}
