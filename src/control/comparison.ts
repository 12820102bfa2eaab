import { type Change, changesBetween, valuesOf } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { Problem } from '../core/problem.ts';

/** The config file beside the config in effect. */
export type Comparison =
  /** `changes` is empty if a reload would change nothing. */
  | { readonly kind: 'read'; readonly wanted: Config; readonly changes: readonly Change[] }
  /** A reload would be refused. With a `ConfigProblem`, the file has faults. */
  | { readonly kind: 'refused'; readonly problem: Problem };

/** What the last look at the files showed. `since`: in ms since the Unix epoch. */
export type FileState =
  | { readonly kind: 'same' }
  | { readonly kind: 'newer' | 'refused'; readonly since: number };

/** @param load reads the file that the process was started with. */
export async function compareWith(running: Config, load: () => Promise<Config>): Promise<Comparison> {
  try {
    const wanted = await load();
    const changes = changesBetween(valuesOf(running.settings), valuesOf(wanted.settings));
    return { kind: 'read', wanted, changes };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { kind: 'refused', problem: error };
  }
}

/** While the file differs, the time since when stays. */
export function fileStateAfter(before: FileState, kind: FileState['kind'], now: number): FileState {
  if (kind === 'same') return { kind };
  return { kind, since: before.kind === 'same' ? now : before.since };
}
