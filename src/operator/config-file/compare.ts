import { type Change, toApply } from '../../config/changes.ts';
import type { Config } from '../../config/config.ts';
import { type ConfigFault, ConfigProblem, type Path, pathText } from '../../config/fault.ts';
import type { Setting, Settings } from '../../config/settings.ts';
import type { Clock } from '../../core/clock.ts';
import type { Control } from '../control/control.ts';
import { type WordsChange, wordsChanges } from './words-changes.ts';

/** The config file beside what this process runs. No secret is in it (rule 10). */
export type ConfigFile =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'newer';
      readonly changes: readonly ShownChange[];
      /** What the changes mean; empty if they change nothing that is promised. */
      readonly words: readonly WordsChange[];
      /** What the operator has to do. */
      readonly toApply: string;
    }
  /** A reload would be refused, and what runs stays as it is. */
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly sentence: string;
      /** Every fault of the file with its place; empty if it is refused for something else. */
      readonly faults: readonly ConfigFault[];
    };

/** Reads the file anew, and applies nothing. `control.file` says without reading whether there is anything to compare. */
export async function compareConfigFile(
  control: Pick<Control, 'compare'>,
  running: Config,
  clock: Pick<Clock, 'zone'>,
): Promise<ConfigFile> {
  const compared = await control.compare();
  if (compared.kind === 'refused') {
    const { problem } = compared;
    const faults = problem instanceof ConfigProblem ? problem.faults : [];
    return { kind: 'refused', code: problem.code, sentence: problem.message, faults };
  }
  const { changes, wanted } = compared;
  if (changes.length === 0) return { kind: 'same' };
  return {
    kind: 'newer',
    changes: shownChanges(changes, running.settings, wanted.settings),
    words: wordsChanges(running, wanted, clock),
    toApply: toApply(changes),
  };
}

/** A change of the config, with what the file had and has there. Secrets are masked (rule 10). */
interface ShownChange extends Change {
  /** JSON on one line; null: left out. Of a secret in a file or a variable, only that is shown, so both may be the same. */
  readonly before: string | null;
  readonly after: string | null;
}

const shownChanges = (
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
