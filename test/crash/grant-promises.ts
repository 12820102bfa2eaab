import type { CommandRow, GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { REWARDS, SITES } from './sites.ts';

/** Every rewarded vote has exactly the grants it earned, no other vote has any, and every grant is finished (rule 5). */
export const grantFaults = ({ votes, grants }: LedgerContents): string[] =>
  votes.flatMap((row) => {
    const own = grants.get(row.id) ?? [];
    return [...grantsNotAsEarned(row, own), ...own.flatMap(stateFaults)];
  });

function grantsNotAsEarned(row: VoteRow, grants: readonly GrantRow[]): string[] {
  const earned = earnedBy(row).toSorted();
  const granted = grants.map(described).toSorted();
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

const described = ({ reward, server, commands }: GrantRow): string =>
  `${reward} on ${server}: ${commands.map(({ command }) => command.toLowerCase()).join(', ')}`;

/** The commands ran in order up to the one that stopped the grant, and the state of the grant fits that. */
function stateFaults({ id, server, state, commands }: GrantRow): string[] {
  const stop = commands.findIndex(({ outcome }) => outcome !== 'delivered');
  const end = expectedState(stop === -1 ? undefined : commands[stop], server);
  const tooFar = stop === -1 ? [] : commands.slice(stop + 1).filter(wasTried);
  return [
    ...(state === end ? [] : [`grant ${id} is ${state}, not ${end}`]),
    ...tooFar.map(({ command }) => `“${command}” was tried after grant ${id} had stopped`),
  ];
}

/**
 * In this test only the HTTP receiver refuses commands. At the end every player is online and every server reachable, so
 * no grant may be waiting.
 */
function expectedState(stoppedBy: CommandRow | undefined, server: string): string {
  if (stoppedBy === undefined) return 'delivered';
  if (stoppedBy.outcome === 'unknown') return 'held';
  return stoppedBy.outcome === 'refused' && server === 'city' ? 'refused' : 'delivered, held or refused';
}

const wasTried = ({ outcome, attempts }: CommandRow): boolean => outcome !== null || attempts > 0;
