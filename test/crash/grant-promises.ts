import type { CommandRow, GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import type { Kept } from './kept.ts';
import { REWARDS, SITES } from './sites.ts';

/** Every rewarded vote has exactly the grants it earned, no other vote has any, and each came to an end (rule 5). */
export const grantFaults = ({ votes, grants }: Kept): string[] =>
  votes.flatMap((row) => {
    const own = grants.get(row.id) ?? [];
    return [...notAsEarned(row, own), ...own.flatMap(endFaults)];
  });

function notAsEarned(row: VoteRow, grants: readonly GrantRow[]): string[] {
  const earned = earnedBy(row).toSorted();
  const granted = grants.map(inWords).toSorted();
  if (JSON.stringify(earned) === JSON.stringify(granted)) return [];
  return [
    `vote ${row.id} of ${row.recipient} (${row.decision}) has the grants [${granted.join('; ')}], not [${earned.join('; ')}]`,
  ];
}

function earnedBy({ site, recipient, decision }: VoteRow): string[] {
  const game = SITES.find(({ name }) => name === site)?.game;
  if (decision !== 'rewarded' || game === undefined) return [];
  return REWARDS[game].flatMap(({ name, servers, commands }) => {
    const texts = commands.map((command) => command.replace(/\{\w+\}/, recipient).toLowerCase());
    return servers.map((server) => `${name} on ${server}: ${texts.join(', ')}`);
  });
}

const inWords = ({ reward, server, commands }: GrantRow): string =>
  `${reward} on ${server}: ${commands.map(({ command }) => command.toLowerCase()).join(', ')}`;

/** Its commands ran in order, up to the one that stopped it, and its state is the word for that. */
function endFaults({ id, server, state, commands }: GrantRow): string[] {
  const stop = commands.findIndex(({ outcome }) => outcome !== 'delivered');
  const end = endOf(stop === -1 ? undefined : commands[stop], server);
  const tooFar = stop === -1 ? [] : commands.slice(stop + 1).filter(wasTried);
  return [
    ...(state === end ? [] : [`grant ${id} is ${state}, not ${end}`]),
    ...tooFar.map(({ command }) => `“${command}” was tried after grant ${id} had stopped`),
  ];
}

/** Only the receiver refuses anything here; with everybody there and everything reachable, nothing is left to wait for. */
function endOf(stoppedBy: CommandRow | undefined, server: string): string {
  if (stoppedBy === undefined) return 'delivered';
  if (stoppedBy.outcome === 'unknown') return 'held';
  return stoppedBy.outcome === 'refused' && server === 'city' ? 'refused' : 'delivered, held or refused';
}

const wasTried = ({ outcome, attempts }: CommandRow): boolean => outcome !== null || attempts > 0;
