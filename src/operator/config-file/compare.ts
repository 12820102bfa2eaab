import { toApply } from '../../config/changes.ts';
import type { Config } from '../../config/config.ts';
import { type ConfigFault, ConfigProblem } from '../../config/fault.ts';
import type { Clock } from '../../core/clock.ts';
import type { Control } from '../control/control.ts';
import { type ShownChange, shownChanges } from './shown-changes.ts';
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
