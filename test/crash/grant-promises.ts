import type { CommandRow, GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import type { LedgerContents } from './ledger-contents.ts';
import { REWARDS, SITES } from './sites.ts';

/** Every rewarded vote has exactly the grants it earned, no other vote has any, and every grant is finished (rules 5 and 14). */
export function grantFaults({ votes, grants }: LedgerContents): string[] {
  const standing = new Standing();
  return votes.flatMap((row) => {
    const own = grants.get(row.id) ?? [];
    return [...grantsNotAsEarned(row, own, earnedBy(row, standing)), ...own.flatMap(stateFaults)];
  });
}

function grantsNotAsEarned(row: VoteRow, grants: readonly GrantRow[], texts: readonly string[]): string[] {
  const earned = texts.toSorted();
  const granted = grants.map(described).toSorted();
  if (JSON.stringify(earned) === JSON.stringify(granted)) return [];
  return [
    `vote ${row.id} of ${row.recipient} (${row.decision}) has the grants [${granted.join('; ')}], not [${earned.join('; ')}]`,
  ];
}

/** What rewards depend on, counted from the rewarded votes in the order in which they were recorded. */
class Standing {
  private readonly votes = new Map<string, number>();
  private network = 0;
  private scarce = 0;

  add(recipient: string): void {
    this.votes.set(recipient, this.votesOf(recipient) + 1);
    this.network += 1;
  }

  votesOf(recipient: string): number {
    return this.votes.get(recipient) ?? 0;
  }

  get total(): number {
    return this.network;
  }

  /** Whether there was a place left. */
  takeScarce(): boolean {
    this.scarce += 1;
    return this.scarce <= 30;
  }
}

/** Rewards that are not in this table are earned by every rewarded vote. */
const holds: Readonly<Record<string, (standing: Standing, recipient: string) => boolean>> = {
  second: (standing, recipient) => standing.votesOf(recipient) % 2 === 0,
  tenth: (standing) => standing.total % 10 === 0,
  scarce: (standing) => standing.takeScarce(),
};

function earnedBy({ site, recipient, decision }: VoteRow, standing: Standing): string[] {
  const game = SITES.find(({ name }) => name === site)?.game;
  if (decision !== 'rewarded') return [];
  standing.add(recipient);
  if (game === undefined) return [];
  return REWARDS[game]
    .filter(({ name }) => holds[name]?.(standing, recipient) ?? true)
    .flatMap(({ name, servers, commands }) => {
      const texts = commands.map((command) =>
        command
          .replace('{votes}', String(standing.votesOf(recipient)))
          .replace('{occasion}', `network ${standing.total}`)
          .replace(/\{\w+\}/, recipient)
          .toLowerCase(),
      );
      return servers.map((server) => `${name} on ${server}: ${texts.join(', ')}`);
    });
}

const described = ({ reward, server, commands }: GrantRow): string =>
  `${reward} on ${server}: ${commands.map(({ command }) => command.toLowerCase()).join(', ')}`;

/** The commands ran in order up to the one that stopped the grant, and the state of the grant fits that. */
export function stateFaults({ id, server, state, commands }: GrantRow): string[] {
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
