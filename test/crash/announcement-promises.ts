import type { GrantRow } from '../../src/ledger/ledger.ts';
import { grantsOf, type LedgerContents } from './ledger-contents.ts';
import type { RecordedCommand } from './minecraft-server.ts';
import { HELLO, SHOUT } from './sites.ts';
import { isStranger } from './town.ts';

const ANNOUNCED_FOR_MS = 2 * 60_000;
/** Between the decision to send an announcement and its command, the process may be slow. */
const SLOW_MS = 2_000;

/** Announcements may be missing, but are sent once, in time, for players who were seen. How many there are is counted anew after each kill. */
export function announcementFaults(contents: LedgerContents, recorded: readonly RecordedCommand[]): string[] {
  const grants = [...grantsOf(contents, HELLO.name), ...grantsOf(contents, SHOUT.name)];
  const heard = recorded.flatMap((each) => {
    const vote = announcedIn(each.command);
    return vote === null ? [] : [{ ...each, vote }];
  });
  return [
    ...grants.flatMap(stateFaults),
    ...twice(heard.map(({ vote }) => vote)).map((vote) => `the announcement “${vote}” was sent twice`),
    ...heard
      .filter(({ command }) => command.split(/\W+/).some(isStranger))
      .map(({ command }) => `a stranger is announced: ${command}`),
    ...tooLate(grants, heard),
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

/** Nothing of them waits for the operator. */
const stateFaults = ({ id, reward, state }: GrantRow): string[] =>
  state === 'delivered' || state === 'cancelled' ? [] : [`grant ${id} of ${reward} is ${state}`];

function tooLate(
  grants: readonly GrantRow[],
  heard: readonly (RecordedCommand & { readonly vote: string })[],
): string[] {
  const madeAt = new Map(
    grants.flatMap(({ commands, createdAt }) =>
      commands.flatMap(({ command }) => {
        const vote = announcedIn(command);
        return vote === null ? [] : [[vote.toLowerCase(), createdAt] as const];
      }),
    ),
  );
  return heard.flatMap(({ vote, at }) => {
    const made = madeAt.get(vote.toLowerCase());
    if (made === undefined) return [`nothing was granted for the announcement “${vote}”`];
    return at - made <= ANNOUNCED_FOR_MS + SLOW_MS
      ? []
      : [`“${vote}” was sent ${at - made} ms after its vote`];
  });
}

const twice = (votes: readonly string[]): readonly string[] =>
  votes.filter((vote, at) => votes.indexOf(vote) !== at);
