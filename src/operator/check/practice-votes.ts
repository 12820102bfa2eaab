import { hasReal } from '../../config/config.ts';
import { type Finding, warning } from '../../core/finding.ts';
import { votes } from '../practice-votes.ts';
import type { Subject } from './subject.ts';

/** Votes that were tried from this machine, which `game-servers add` voids, and a config that is written by hand does not. */
export async function checkPracticeVotes({ config, ledger }: Subject): Promise<readonly Finding[]> {
  if (ledger === null || !hasReal(config)) return [];
  const { fromHere, areVoided } = await ledger.practiceVotes();
  if (areVoided || fromHere === 0) return [];
  return [
    warning(
      'practice-votes',
      `${votes(fromHere)} from this machine, sent while every game server was a practice one, still ${fromHere === 1 ? 'counts' : 'count'} for windows, totals and limits`,
      'void them: `teller votes void --practice`',
    ),
  ];
}
