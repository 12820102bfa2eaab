import type { Config } from '../config/config.ts';
import { type FaultAtPath, type Path, unknownName } from '../config/fault.ts';
import { castVotes } from './cast-votes.ts';
import type { WrittenVotes } from './written-votes.ts';

/** Which commands an example is about: those of these rewards, players and sites; absent: all. */
export interface Only {
  readonly reward?: readonly string[] | undefined;
  readonly player?: readonly string[] | undefined;
  readonly site?: readonly string[] | undefined;
}

/** What is wrong with an example for a config. A misspelled name in `only` would let it pass for want of commands. */
export function exampleFaults(
  { votes, only }: { readonly votes: readonly WrittenVotes[]; readonly only: Only },
  path: Path,
  config: Config,
  zone: string,
): readonly FaultAtPath[] {
  const known: Readonly<Record<keyof Only, readonly string[]>> = {
    reward: config.rewards.map(({ name }) => name),
    player: votes.flatMap(({ player }) => player),
    site: votes.flatMap(({ site }) => site),
  };
  const unknown = (Object.keys(known) as (keyof Only)[]).flatMap((key) =>
    (only[key] ?? [])
      .filter((name) => !known[key].includes(name))
      .map((name) => unknownName([...path, 'only', key], name, [...new Set(known[key])], WHERE[key])),
  );
  return [...unknown, ...castVotes(votes, [...path, 'votes'], config, zone).faults];
}

const WHERE: Readonly<Record<keyof Only, string>> = { reward: 'rewards', player: 'votes', site: 'votes' };
