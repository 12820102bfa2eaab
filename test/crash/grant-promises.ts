import type { CommandRow, GrantRow, VoteRow } from '../../src/ledger/ledger.ts';
import { type LedgerContents, voterOf } from './ledger-contents.ts';
import { FOUND, NEW_SITES, PLAIN_REWARDS, type RewardConfig, SPECIAL_REWARDS } from './sites.ts';

/** Every rewarded vote has exactly the grants it earned, no other vote has any, and every plain grant is finished (rules 5 and 14). */
export function grantFaults({ votes, grants }: LedgerContents): string[] {
  const standing = new Standing();
  // A vote whose site got its entry later was decided later. Each rewarded vote has a grant, whose ID shows the order.
  const decided = (row: VoteRow): number => grants.get(row.id)?.[0]?.id ?? Number.POSITIVE_INFINITY;
  return votes
    .toSorted((one, other) => decided(one) - decided(other) || one.id - other.id)
    .flatMap((row) => {
      const own = grants.get(row.id) ?? [];
      return [
        ...grantsNotAsEarned(row, own, earnedBy(row, standing)),
        ...own.filter(isPlain).flatMap(stateFaults),
      ];
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

/** What rewards depend on, counted from the rewarded votes in the order in which they were decided. */
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

function earnedBy(row: VoteRow, standing: Standing): string[] {
  const { service, decision } = row;
  if (decision !== 'rewarded') return [];
  const voter = voterOf(row);
  standing.add(voter);
  const filled = (command: string): string =>
    command
      .replace('{votes}', String(standing.votesOf(voter)))
      .replace('{occasion}', `network ${standing.total}`)
      .replace('{service}', service)
      .replace(/\{\w+\}/, voter)
      .toLowerCase();
  return [
    ...plainRewardsOf(service)
      .filter(({ name }) => holds[name]?.(standing, voter) ?? true)
      .flatMap(({ name, servers, commands = [] }) =>
        [servers].flat().map((server) => `${name} on ${server}: ${commands.map(filled).join(', ')}`),
      ),
    ...(SPECIAL_REWARDS[service] ?? []).map(({ name }) => name),
  ];
}

const plainRewardsOf = (service: string): readonly RewardConfig[] =>
  NEW_SITES.some(({ name }) => name === service) ? [FOUND] : (PLAIN_REWARDS[service] ?? []);

const SPECIAL: ReadonlySet<string> = new Set(
  Object.values(SPECIAL_REWARDS)
    .flat()
    .map(({ name }) => name),
);

const isPlain = ({ reward }: GrantRow): boolean => !SPECIAL.has(reward);

const described = (grant: GrantRow): string =>
  isPlain(grant)
    ? `${grant.reward} on ${grant.server}: ${grant.commands.map(({ command }) => command.toLowerCase()).join(', ')}`
    : grant.reward;

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
