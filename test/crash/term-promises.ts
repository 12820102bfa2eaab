import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import { hasRun, type RecordedCommand } from './minecraft-server.ts';
import { CRATE, CRATES_WAITING, KIT, KIT_EXPIRES_MS, LUCK } from './sites.ts';

/** Between the decision that a grant has not expired and its command, the process may be slow. */
const SLOW_MS = 2_000;

/** What is cancelled was never sent: grants that have expired, those beyond `maxWaiting`, and what `payIf` was not met for. */
export function termFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const kits = grantsOf(contents, KIT.name);
  const crates = grantsOf(contents, CRATE.name);
  return [
    ...[...kits, ...crates].flatMap((grant) => cancelledFaults(grant, recorded)),
    ...kits.flatMap(expiryFaults),
    ...crates.flatMap((grant, at) => maxWaitingFaults(grant, crates.slice(0, at))),
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

/** @param earlier of all players. */
function maxWaitingFaults(grant: GrantRow, earlier: readonly GrantRow[]): string[] {
  const isOpen = ({ state, changedAt }: GrantRow, isSure: boolean): boolean => {
    if (state === 'cancelled') return false;
    if (state === 'held') return true;
    return isSure ? changedAt > grant.createdAt : changedAt >= grant.createdAt;
  };
  const own = earlier.filter(({ recipient }) => recipient === grant.recipient);
  const open = own.filter((each) => isOpen(each, true)).length;
  const mayBeOpen = own.filter((each) => isOpen(each, false)).length;
  const isCancelled = grant.state === 'cancelled';
  if (isCancelled ? mayBeOpen >= CRATES_WAITING : open < CRATES_WAITING) return [];
  return [
    `grant ${grant.id} of ${CRATE.name} is ${grant.state}, and ${mayBeOpen} were open when it was made`,
  ];
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
