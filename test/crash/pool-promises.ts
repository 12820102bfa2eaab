import type { GrantRow } from '../../src/ledger/ledger.ts';
import { stateFaults } from './grant-promises.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import type { ReceivedCommands } from './received-commands.ts';
import { POOL, TRAVEL } from './sites.ts';

/**
 * A reward for the game server that the player is on is paid on one of them, whole: `command-promises.ts` compares what
 * each game server received with the grants that it took, and here with how many there are at all.
 */
export function poolFaults(
  contents: LedgerContents,
  received: Readonly<Record<(typeof POOL)[number], ReceivedCommands>>,
): string[] {
  const grants = grantsOf(contents, TRAVEL.name);
  const players = new Set(grants.map(({ player }) => player?.toLowerCase() ?? ''));
  return [
    ...grants.flatMap((grant) => [...stateFaults(grant), ...placeFaults(grant)]),
    ...[...players].flatMap((player) => {
      const own = grants.filter((grant) => grant.player?.toLowerCase() === player);
      return ['apple', 'bread'].flatMap((item, at) => {
        const given = POOL.map((server) => received[server].of(`give ${player} ${item} 1`).times);
        return countFaults(`${item} of ${player}`, given, outcomesAt(own, at));
      });
    }),
  ];
}

const placeFaults = ({ id, server, pool }: GrantRow): string[] => [
  ...(pool === POOL.join(' or ') ? [] : [`grant ${id} of ${TRAVEL.name} is for ${pool ?? server}`]),
  ...(POOL.some((name) => name === server) ? [] : [`grant ${id} of ${TRAVEL.name} was taken by ${server}`]),
];

const outcomesAt = (grants: readonly GrantRow[], position: number) =>
  grants.map(({ commands }) => commands[position]?.outcome ?? null);

function countFaults(
  what: string,
  given: readonly number[],
  outcomes: ReturnType<typeof outcomesAt>,
): string[] {
  const sum = given.reduce((one, other) => one + other, 0);
  const delivered = outcomes.filter((outcome) => outcome === 'delivered').length;
  const unknown = outcomes.filter((outcome) => outcome === 'unknown').length;
  if (sum >= delivered && sum <= delivered + unknown) return [];
  return [
    `${what}: given ${given.join(' and ')} on ${POOL.join(' and ')}, and the ledger has ${delivered} delivered and ${unknown} unknown`,
  ];
}
