import { type Config, namedRewards } from '../../config/config.ts';
import { type FaultAtPath, type Path, unknownName } from '../../config/fault.ts';
import { type PlayerName, parseVotedName } from '../../core/player-name.ts';
import { readTime } from '../../core/written-time.ts';
import { castVotes } from './cast-votes.ts';
import type { WrittenVotes } from './written-votes.ts';

/** Which commands an example is about: those of these rewards, players and sites; absent: all. */
export interface Only {
  readonly reward?: readonly string[] | undefined;
  readonly player?: readonly string[] | undefined;
  readonly site?: readonly string[] | undefined;
}

interface Written {
  readonly votes: readonly WrittenVotes[];
  readonly at?: string | undefined;
  readonly online?: readonly string[] | undefined;
  readonly only: Only;
}

/** What is wrong with an example for a config. A misspelled name in `only` would let it pass for want of commands. */
export function exampleFaults(
  { votes, at, online = [], only }: Written,
  path: Path,
  config: Config,
  zone: string,
): readonly FaultAtPath[] {
  const known: Readonly<Record<keyof Only, readonly string[]>> = {
    reward: namedRewards(config).map(({ name }) => name),
    player: [...votes.flatMap(({ player }) => player), ...online],
    site: votes.flatMap(({ site }) => site),
  };
  const unknown = (Object.keys(known) as (keyof Only)[]).flatMap((key) =>
    (only[key] ?? [])
      .filter((name) => !known[key].includes(name))
      .map((name) => unknownName([...path, 'only', key], name, [...new Set(known[key])], WHERE[key])),
  );
  const cast = castVotes(votes, [...path, 'votes'], config, zone);
  const last = cast.votes.at(-1)?.at ?? 0;
  const isEarly = at !== undefined && readTime(at, zone) < last;
  return [
    ...unknown,
    ...cast.faults,
    ...(isEarly ? [valueFault([...path, 'at'], 'must not be before the last vote')] : []),
    ...online
      .filter((name) => playerName(name, config) === null)
      .map((name) => valueFault([...path, 'online'], `has '${name}', but no player can have this name`)),
  ];
}

const valueFault = (path: Path, sentence: string): FaultAtPath => ({ code: 'config-value', path, sentence });

/** null: no player can have it. */
export function playerName(written: string, { players }: Pick<Config, 'players'>): PlayerName | null {
  const parsed = parseVotedName(written, players.bedrockPrefixes);
  return parsed.kind === 'name' ? parsed.name : null;
}

const WHERE: Readonly<Record<keyof Only, string>> = { reward: 'rewards', player: 'votes', site: 'votes' };
