import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { KIT, KIT_EXPIRES_MS, LUCK } from './sites.ts';

/** Between the decision that a grant has not expired and its command, the process may be slow. */
const SLOW_MS = 2_000;

/** What is cancelled was never sent: grants that have expired, and what `payIf` was not met for. */
export function termFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const kits = grantsOf(contents, KIT.name);
  return [
    ...kits.flatMap((grant) => cancelledFaults(grant, recorded)),
    ...kits.flatMap(expiryFaults),
    ...grantsOf(contents, LUCK.name).flatMap(stateFaults),
    ...luckFaults(recorded),
  ];
}

/** Each has a text of its own. */
function cancelledFaults(grant: GrantRow, recorded: readonly RecordedCommand[]): string[] {
  if (grant.state !== 'cancelled') return stateFaults(grant);
  const texts = new Set(grant.commands.map(({ command }) => command.toLowerCase()));
  return recorded
    .filter(({ command }) => texts.has(command.toLowerCase()))
    .map(({ command }) => `grant ${grant.id} is cancelled, and “${command}” was received`);
}

function expiryFaults({ id, state, reason, createdAt, changedAt, commands }: GrantRow): string[] {
  const expiresAt = createdAt + KIT_EXPIRES_MS;
  if (state === 'cancelled')
    return reason?.code === 'expired' && changedAt >= expiresAt ? [] : [`grant ${id} expired too early`];
  const startedAt = commands[0]?.startedAt ?? 0;
  return startedAt <= expiresAt + SLOW_MS
    ? []
    : [`grant ${id} was paid ${startedAt - expiresAt} ms too late`];
}

/** The branch that is paid is the one that the game server's last answer about the player chose. */
function luckFaults(recorded: readonly RecordedCommand[]): string[] {
  const isLucky = new Map<string, boolean>();
  const branches = new Map<string, string>();
  return recorded.flatMap((each) => {
    const [, asked] = /^minecraft:execute if entity @a\[name=(\w+),tag=lucky\]/.exec(each.command) ?? [];
    if (asked !== undefined) isLucky.set(asked, each.reply.startsWith('Test passed'));
    const [, branch, player = '', votes] = /^say (lucky|unlucky) (\w+) (\d+)$/.exec(each.command) ?? [];
    if (branch === undefined || !hasRun(each)) return [];
    const vote = `${player} ${votes}`;
    const before = branches.get(vote);
    branches.set(vote, branch);
    return [
      ...(before === undefined ? [] : [`the vote ${vote} was ${before} and then ${branch}`]),
      ...(isLucky.get(player) === (branch === 'lucky')
        ? []
        : [`“${each.command}” was not what was answered`]),
    ];
  });
}
