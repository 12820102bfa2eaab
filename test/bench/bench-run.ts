import type { BarId } from './bars.ts';
import type { Filled } from './filled.ts';
import type { Installed } from './processes.ts';
import type { Figure, Skipped } from './report.ts';

/** How much is measured: `npm run bench`, or with `--quick`. */
export interface Sizes {
  /** Rounds of measurements that are compared in pairs. */
  readonly rounds: number;
  /** Votes of each measurement. */
  readonly votes: number;
  /** Votes in the three ledgers, ascending. */
  readonly ledgers: readonly [number, number, number];
  /** Grants that wait on each of three game servers. */
  readonly backlog: number;
  /** Votes between two measurements of memory. */
  readonly many: number;
  /** How long an activity is watched. */
  readonly watchSeconds: number;
}

export const FULL: Sizes = {
  rounds: 7,
  votes: 3_000,
  ledgers: [10_000, 1_000_000, 10_000_000],
  backlog: 2_000,
  many: 100_000,
  watchSeconds: 20,
};

export const QUICK: Sizes = {
  rounds: 2,
  votes: 500,
  ledgers: [2_000, 10_000, 50_000],
  backlog: 100,
  many: 2_000,
  watchSeconds: 3,
};

/** What a part of the benchmark uses. */
export interface Bench {
  readonly installed: Installed;
  readonly sizes: Sizes;
  /** Flags of node for the Teller that takes the votes of the part `intake`: with `--profile`, a CPU profile. */
  readonly profiling: readonly string[];
  /** A new folder, removed at the end. */
  folder(name: string): string;
  /** A Teller whose ledger has this many votes; created if necessary, and then used by all parts. */
  filled(votes: number): Promise<Filled>;
  /** Shows what is being measured. */
  say(line: string): void;
  /** Adds a row of figures to the table of this part. */
  row(row: string, figures: Readonly<Record<string, number>>, barOf?: Readonly<Record<string, BarId>>): void;
  skip(why: string): void;
}

/** Collects what the parts measure. */
export class Results {
  readonly figures: Figure[] = [];
  readonly skipped: Skipped[] = [];

  rowsOf(part: string): Pick<Bench, 'row' | 'skip'> {
    return {
      row: (row, figures, barOf = {}) => {
        for (const [figure, value] of Object.entries(figures)) {
          const bar = barOf[figure];
          this.figures.push({ part, row, figure, value, ...(bar !== undefined && { bar }) });
        }
      },
      skip: (why) => this.skipped.push({ part, why }),
    };
  }
}
