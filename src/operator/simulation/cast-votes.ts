import type { Config } from '../../config/config.ts';
import type { FaultAtPath, Path } from '../../config/fault.ts';
import type { JudgedArrival } from '../../core/decide.ts';
import { hypotheticalVote, isRefused } from '../preview/hypothetical-votes.ts';
import { countVotes, VOTES_MAX, votesIn, type WrittenVote, type WrittenVotes } from './written-votes.ts';

/** A written vote as if it had been received. */
export interface CastVote extends WrittenVote {
  readonly arrival: JudgedArrival;
}

export interface CastVotes {
  readonly votes: readonly CastVote[];
  /** Votes that would be refused, once for each entry. */
  readonly faults: readonly FaultAtPath[];
}

/** @param path of `votes` in its file. */
export function castVotes(
  entries: readonly WrittenVotes[],
  path: Path,
  { sites, players }: Pick<Config, 'sites' | 'players'>,
  zone: string,
): CastVotes {
  const count = countVotes(entries);
  if (count > VOTES_MAX) {
    const sentence = `are ${count.toLocaleString('en')} votes, but at most ${VOTES_MAX.toLocaleString('en')} are simulated`;
    return { votes: [], faults: [{ code: 'config-value', path, sentence }] };
  }
  const votes: CastVote[] = [];
  const faults = new Map<number, FaultAtPath>();
  for (const written of votesIn(entries, zone)) {
    const { player, site, at, entry } = written;
    const arrival = hypotheticalVote(player, site, at, { sites, players });
    if (!isRefused(arrival)) votes.push({ ...written, arrival });
    else if (!faults.has(entry)) {
      const sentence = `'${player}' on '${site}' would be refused: its sender ${arrival.cause} (${arrival.code})`;
      faults.set(entry, { code: 'config-value', path: [...path, entry, 'player'], sentence });
    }
  }
  return { votes, faults: [...faults.values()] };
}
