import { type Config, hasReal } from '../config/config.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** How many votes from this machine were voided when practice ended, and how many from outside stay. */
export interface EndedPractice {
  readonly voided: number;
  readonly fromOutside: number;
}

type PracticeLedger = Pick<Ledger, 'practiceVotes' | 'voidPracticeVotes'>;

const REASON = 'sent from this machine while every game server was a practice one';

/**
 * Rule 9: what was tried must keep no real vote from its reward. A vote from outside that came meanwhile is a player's, so it
 * stays. After a kill, the next call goes on.
 */
export async function voidPracticeVotes(
  ledger: PracticeLedger,
  by: string,
  now: number,
): Promise<EndedPractice> {
  let voided = 0;
  for (;;) {
    const portion = await ledger.voidPracticeVotes({ by, reason: REASON }, now);
    voided += portion.voided;
    if (portion.isDone) return { voided, fromOutside: (await ledger.practiceVotes()).fromOutside };
  }
}

/** Throws a Problem `practice-only`. */
export function refuseInPractice(config: Config): void {
  if (hasReal(config)) return;
  throw new Problem(
    'practice-only',
    'every game server in the config is a practice one, so its votes are still needed to practise; connect a real one first: `teller game-servers add`',
  );
}

/** null if there was nothing to void. */
export function endedText({ voided, fromOutside }: EndedPractice): string | null {
  if (voided === 0) return null;
  const stay = fromOutside === 0 ? 'none came from outside' : `${votes(fromOutside)} from outside stay`;
  return `${votes(voided)} from this machine, sent while every game server was a practice one, ${voided === 1 ? 'is' : 'are'} voided; ${stay}`;
}

export const votes = (count: number): string =>
  count === 1 ? '1 vote' : `${count.toLocaleString('en')} votes`;
