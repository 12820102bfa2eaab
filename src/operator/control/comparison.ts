import path from 'node:path';
import { type Change, changesBetween, toApply, valuesOf } from '../../config/changes.ts';
import type { Config } from '../../config/config.ts';
import { ConfigProblem } from '../../config/fault.ts';
import type { ConfigNews } from '../../core/config-news.ts';
import { Problem } from '../../core/problem.ts';

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

/** What others are told of it; null: nothing differs. */
export function newsOf({ file }: Config, changes: readonly Change[]): ConfigNews | null {
  if (changes.length === 0) return null;
  const keys = changes.map(({ key }) => key);
  return { kind: 'newer', file: path.basename(file), keys, toDo: toApply(changes) };
}

export const refusedNews = ({ file }: Config, problem: Problem): ConfigNews => ({
  ...{ kind: 'refused', file: path.basename(file), code: problem.code },
  faults: problem instanceof ConfigProblem ? problem.faults.length : 0,
});

/** While the file differs, the time since when stays. */
export function fileStateAfter(before: FileState, news: ConfigNews | null, now: number): FileState {
  if (news === null) return { kind: 'same' };
  return { kind: news.kind, since: before.kind === 'same' ? now : before.since };
}
