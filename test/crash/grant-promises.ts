/** What is promised about what votes earn: grants, where they are paid, when they expire, and announcements. */
import type { RecordedCommand } from './game-servers.ts';
import {
  broken,
  type GrantRow,
  grantsOf,
  grouped,
  type LedgerContents,
  type VoteRow,
  voterOf,
} from './ledger-contents.ts';
import {
  FOUND,
  HELLO,
  KIT,
  KIT_EXPIRES_MS,
  NEW_SITES,
  PLAIN_REWARDS,
  POOL,
  type RewardConfig,
  SHOUT,
  SPECIAL_REWARDS,
  TRAVEL,
} from './sites.ts';
import { isStranger } from './voters.ts';

/** Between a decision and its command, the process may be slow. */
const SLOW_MS = 2_000;

/** Every rewarded vote has exactly the grants it earned, no other vote has any, and every plain grant is finished (rules 5 and 14). */
export function grantFaults({ votes, grants }: LedgerContents): string[] {
  const earned = earning();
  const byVote = grouped(grants, ({ voteId }) => voteId);
  // A vote whose site got its entry later was decided later. Each rewarded vote has a grant, whose ID shows the order.
  const decided = (row: VoteRow): number => byVote.get(row.id)?.[0]?.id ?? Number.POSITIVE_INFINITY;
  return votes
    .toSorted((one, other) => decided(one) - decided(other) || one.id - other.id)
    .flatMap((row) => {
      const own = byVote.get(row.id) ?? [];
      const [wanted, granted] = [earned(row), own.map(described)].map((all) => all.toSorted().join('; '));
      const { id, recipient, decision } = row;
      return [
        ...broken(
          wanted !== granted,
          `vote ${id} of ${recipient} (${decision}) has the grants [${granted}], not [${wanted}]`,
        ),
        ...own.filter(isPlain).flatMap(stateFaults),
      ];
    });
}

/** @returns what each vote earned, of votes in the order in which they were decided. What rewards depend on is counted from them. */
function earning(): (row: VoteRow) => string[] {
  const votes = new Map<string, number>();
  let network = 0;
  /** How many of the votes came to the reward of which there are 30. */
  let scarce = 0;
  return (row) => {
    const { service, decision } = row;
    if (decision !== 'rewarded') return [];
    const voter = voterOf(row);
    const own = (votes.get(voter) ?? 0) + 1;
    votes.set(voter, own);
    network += 1;
    /** Others are earned by every rewarded vote. */
    const isEarned: Readonly<Record<string, () => boolean>> = {
      second: () => own % 2 === 0,
      tenth: () => network % 10 === 0,
      scarce: () => {
        scarce += 1;
        return scarce <= 30;
      },
    };
    const filled = (command: string): string =>
      command
        .replace('{votes}', String(own))
        .replace('{occasion}', `network ${network}`)
        .replace('{service}', service)
        .replace(/\{\w+\}/, voter)
        .toLowerCase();
    return [
      ...plainRewardsOf(service)
        .filter(({ name }) => isEarned[name]?.() ?? true)
        .flatMap(({ name, servers, commands = [] }) =>
          [servers].flat().map((server) => `${name} on ${server}: ${commands.map(filled).join(', ')}`),
        ),
      ...(SPECIAL_REWARDS[service] ?? []).map(({ name }) => name),
    ];
  };
}

const plainRewardsOf = (service: string): readonly RewardConfig[] =>
  NEW_SITES.some(({ name }) => name === service) ? [FOUND] : (PLAIN_REWARDS[service] ?? []);

const SPECIAL = new Set(Object.values(SPECIAL_REWARDS).flatMap((all) => all.map(({ name }) => name)));
const isPlain = ({ reward }: GrantRow): boolean => !SPECIAL.has(reward);

/** What a grant would run, in lower case. */
export const textOf = ({ commands }: GrantRow): string =>
  commands.map(({ command }) => command.toLowerCase()).join(', ');

const described = (grant: GrantRow): string =>
  isPlain(grant) ? `${grant.reward} on ${grant.server}: ${textOf(grant)}` : grant.reward;

/**
 * The commands ran in order up to the one that stopped the grant, and the state of the grant fits that. Only the HTTP receiver
 * refuses commands. At the end every player is online and every server reachable, so no grant may be waiting.
 */
export function stateFaults({ id, server, state, commands }: GrantRow): string[] {
  const stop = commands.findIndex(({ outcome }) => outcome !== 'delivered');
  const outcome = commands[stop]?.outcome;
  const isRefusal = outcome === 'refused' && server === 'city';
  const end = stop === -1 ? 'delivered' : outcome === 'unknown' ? 'held' : isRefusal ? 'refused' : 'finished';
  const tooFar = stop === -1 ? [] : commands.slice(stop + 1);
  return [
    ...broken(state !== end, `grant ${id} is ${state}, not ${end}`),
    ...tooFar
      .filter(({ outcome, attempts }) => outcome !== null || attempts > 0)
      .map(({ command }) => `“${command}” was tried after grant ${id} had stopped`),
  ];
}

/**
 * A reward for the game server that the player is on is paid on one of them, whole: `commandFaults` compares what
 * each game server received with the grants that it took, and here with how many there are at all.
 */
export function poolFaults(
  contents: LedgerContents,
  servers: Readonly<Record<(typeof POOL)[number], { readonly recorded: readonly RecordedCommand[] }>>,
): string[] {
  const grants = grantsOf(contents, TRAVEL.name);
  const byPlayer = grouped(grants, ({ player }) => player?.toLowerCase() ?? '');
  return [
    ...grants.flatMap((grant) => [...stateFaults(grant), ...placeFaults(grant)]),
    ...[...byPlayer].flatMap(([player, own]) =>
      ['apple', 'bread'].flatMap((item, at) => {
        const text = `give ${player} ${item} 1`;
        const isGiven = ({ command, reply }: RecordedCommand): boolean =>
          command.toLowerCase() === text && reply !== 'not run';
        const given = POOL.map((server) => servers[server].recorded.filter(isGiven).length);
        const counted = (wanted: string): number =>
          own.filter(({ commands }) => commands[at]?.outcome === wanted).length;
        const [sum, delivered, unknown] = [given[0]! + given[1]!, counted('delivered'), counted('unknown')];
        const [where, what] = [POOL.join(' and '), `${item} of ${player}: given ${given.join(' and ')}`];
        return broken(
          sum < delivered || sum > delivered + unknown,
          `${what} on ${where}, and the ledger has ${delivered} delivered and ${unknown} unknown`,
        );
      }),
    ),
  ];
}

const placeFaults = ({ id, server, whereOnline }: GrantRow): string[] => [
  ...broken(
    whereOnline?.join() !== POOL.join(),
    `grant ${id} of ${TRAVEL.name} is for ${whereOnline ?? server}`,
  ),
  ...broken(!POOL.some((name) => name === server), `grant ${id} of ${TRAVEL.name} was taken by ${server}`),
];

/** What is cancelled was never sent: grants that have expired. Each has a text of its own. */
export const termFaults = (contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] =>
  grantsOf(contents, KIT.name).flatMap((grant) => {
    const { id, state, reason, createdAt, changedAt, commands } = grant;
    const expiresAt = createdAt + KIT_EXPIRES_MS;
    if (state !== 'cancelled') {
      const lateMs = (commands[0]?.startedAt ?? 0) - expiresAt;
      return [
        ...stateFaults(grant),
        ...broken(lateMs > SLOW_MS, `grant ${id} was paid ${lateMs} ms too late`),
      ];
    }
    return [
      ...recorded
        .filter(({ command }) => textOf(grant) === command.toLowerCase())
        .map(({ command }) => `grant ${id} is cancelled, and “${command}” was received`),
      ...broken(reason !== 'expired' || changedAt < expiresAt, `grant ${id} expired too early`),
    ];
  });

const ANNOUNCED_FOR_MS = 2 * 60_000;

/** Announcements may be missing, but are sent once, in time, for players who were seen. How many there are is counted anew after each kill. */
export function announcementFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const grants = [...grantsOf(contents, HELLO.name), ...grantsOf(contents, SHOUT.name)];
  const madeAt = new Map(
    grants.flatMap(({ commands, createdAt }) =>
      commands.map(({ command }) => [announcedIn(command)?.toLowerCase(), createdAt] as const),
    ),
  );
  const heard = recorded.flatMap(({ at, command }) => {
    const vote = announcedIn(command);
    return vote === null ? [] : [{ at, command, vote, made: madeAt.get(vote.toLowerCase()) }];
  });
  return [
    // Nothing of them waits for the operator.
    ...grants
      .filter(({ state }) => state !== 'delivered' && state !== 'cancelled')
      .map(({ id, reward, state }) => `grant ${id} of ${reward} is ${state}`),
    ...heard
      .filter(({ vote }, at) => heard.findIndex((other) => other.vote === vote) !== at)
      .map(({ vote }) => `the announcement “${vote}” was sent twice`),
    ...heard
      .filter(({ command }) => command.split(/\W+/).some(isStranger))
      .map(({ command }) => `a stranger is announced: ${command}`),
    ...heard.flatMap(({ vote, at, made }) => {
      if (made === undefined) return [`nothing was granted for the announcement “${vote}”`];
      const isLate = at - made > ANNOUNCED_FOR_MS + SLOW_MS;
      return broken(isLate, `“${vote}” was sent ${at - made} ms after its vote`);
    }),
  ];
}

/** The kind of announcement, the player and their votes, which no other announcement has. */
function announcedIn(command: string): string | null {
  const [, hello] = /^say (hello \w+ \d+)$/.exec(command) ?? [];
  const [, thanked] = /^tellraw \w+ .*Thanks, (\w+ \d+)/.exec(command) ?? [];
  const [, shouted] = /^tellraw @a .*"(\w+ \d+): /.exec(command) ?? [];
  if (hello !== undefined) return hello;
  if (thanked !== undefined) return `thanks ${thanked}`;
  return shouted === undefined ? null : `shout ${shouted}`;
}
