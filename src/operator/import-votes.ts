import type { Config } from '../config/config.ts';
import type { JudgedArrival } from '../core/decide.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ImportOrder, Ledger, VotesImported } from '../ledger/ledger.ts';
import type { LineFault, VoteLine } from '../plugins/vote-lines.ts';
import { importedVote } from '../votes/intake/added-vote.ts';
import { rulesOf } from '../votes/intake/rules.ts';
import { hypotheticalVote, isRefused } from './preview/hypothetical-votes.ts';

/** Recording so many votes takes some tens of milliseconds, and others cannot record meanwhile. */
export const VOTES_AT_ONCE = 200;
/** So many faults are kept one by one. */
export const FAULTS_KEPT = 100;

export interface ImportTools {
  readonly ledger: Ledger;
  readonly config: Config;
  /** What is imported and by whom, such as `votes by ann`. */
  readonly by: string;
  readonly now: number;
  /** Called after each portion with how many entries were read until now. */
  readonly onProgress: (read: number) => void;
}

export interface VotesReport extends VotesImported {
  /** Lines that are no vote. */
  readonly faulty: number;
  /** The first of them. */
  readonly faults: readonly Omit<LineFault, 'kind'>[];
}

/** Imports the votes of a file. It can be repeated: votes that the ledger has are not recorded again. */
export async function importVotes(
  lines: AsyncIterable<VoteLine | LineFault>,
  tools: ImportTools,
): Promise<VotesReport> {
  const { ledger, config, by, now, onProgress } = tools;
  const order = { by, now, rules: rulesOf(config, await ledger.timeZone()) };
  const faults: Omit<LineFault, 'kind'>[] = [];
  let [read, faulty] = [0, 0];
  let sum = NO_VOTES;
  let portion: JudgedArrival[] = [];
  const store = async (): Promise<void> => {
    sum = added(sum, await ledger.importVotes(portion, order));
    portion = [];
    onProgress(read);
  };
  for await (const line of lines) {
    read += 1;
    const vote = line.kind === 'fault' ? line.why : pastVote(line, config, order);
    if (typeof vote === 'string') {
      faulty += 1;
      if (faults.length < FAULTS_KEPT) faults.push({ line: line.line, why: vote });
    } else portion.push(vote);
    if (portion.length === VOTES_AT_ONCE) await store();
  }
  await store();
  return { ...sum, faulty, faults };
}

export const NO_VOTES: VotesImported = {
  ...{ counted: 0, uncounted: 0, same: 0, receivedHere: 0, passed: 0 },
};

/** A vote of the time before Teller. */
export interface PastVote {
  readonly player: string;
  readonly service: string;
  readonly at: number;
}

/** @returns why there is no such vote, as the end of a sentence. */
export function pastVote(
  { player, service, at }: PastVote,
  config: Config,
  { by, now }: Pick<ImportOrder, 'by' | 'now'>,
): JudgedArrival | string {
  if (at > now) return 'has a time in the future';
  const judged = hypotheticalVote(player as PlayerName, service, at, config);
  return isRefused(judged)
    ? `would be refused: its sender ${judged.cause} (${judged.code})`
    : importedVote(judged, { at, by, now });
}

export const added = (sum: VotesImported, more: VotesImported): VotesImported => ({
  counted: sum.counted + more.counted,
  uncounted: sum.uncounted + more.uncounted,
  same: sum.same + more.same,
  receivedHere: sum.receivedHere + more.receivedHere,
  passed: sum.passed + more.passed,
});
