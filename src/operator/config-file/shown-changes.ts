import type { Change } from '../../config/changes.ts';
import { type Path, pathText } from '../../config/fault.ts';
import type { Setting, Settings } from '../../config/settings.ts';

/** A change of the config, with what the file had and has there. Secrets are masked (rule 10). */
export interface ShownChange extends Change {
  /** JSON on one line; null: left out. Of a secret in a file or a variable, only that is shown, so both may be the same. */
  readonly before: string | null;
  readonly after: string | null;
}

export const shownChanges = (
  changes: readonly Change[],
  before: Settings,
  after: Settings,
): readonly ShownChange[] =>
  changes.map((change) => ({
    ...change,
    before: shownAt(change.path, before),
    after: shownAt(change.path, after),
  }));

/** A value, or everything that is written in an entry. */
function shownAt(path: Path, settings: Settings): string | null {
  const single = settings.get(pathText(path));
  if (single !== undefined) return single.written === undefined ? null : JSON.stringify(single.written);
  const inner = [...settings.values()].filter(({ path: own }) => path.every((step, at) => own[at] === step));
  return inner.length === 0 ? null : JSON.stringify(nested(inner, path.length));
}

/** @param depth how many steps of the paths lead to what is shown. */
function nested(settings: readonly Setting[], depth: number): object {
  const shown: Record<string, unknown> = {};
  for (const { path, written } of settings) {
    if (written === undefined) continue;
    let section = shown;
    for (const step of path.slice(depth, -1)) {
      section[step] ??= {};
      section = section[step] as Record<string, unknown>;
    }
    section[String(path.at(-1))] = written;
  }
  return shown;
}
