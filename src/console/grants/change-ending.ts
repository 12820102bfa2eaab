import { capitalized } from '../../core/capitalized.ts';
import type { GrantActionName } from '../../operator/grants/actions.ts';
import type { GrantChange } from '../../operator/grants/change.ts';
import { allChangedText, changedText, unchangedText } from '../../operator/grants/sentences.ts';
import { buttonWays } from '../../operator/trace/grant-ways.ts';
import type { Ending } from '../../web/show.ts';

type Changed = Extract<GrantChange, { kind: 'changed' }>;
type Unchanged = Extract<GrantChange, { kind: 'unchanged' }>;

/** What became of a change, for the page that is shown next. */
export function changeEnding(action: GrantActionName, changes: readonly GrantChange[]): Ending {
  const changed = changes.filter((each): each is Changed => each.kind === 'changed');
  const unchanged = changes.filter((each): each is Unchanged => each.kind === 'unchanged');
  const done = changed.length === 0 ? null : sentence(doneText(action, changed));
  const [first] = unchanged;
  if (first === undefined) return { tone: 'good', text: done ?? 'Nothing was changed.' };
  const others = unchanged.length === 1 ? '' : ` ${unchanged.length - 1} more were not changed either.`;
  const text = `${sentence(unchangedText(action, first, buttonWays))}${others}`;
  return {
    tone: done === null ? 'bad' : 'warn',
    text: done === null ? text : `${done} ${text}`,
  };
}

function doneText(action: GrantActionName, changed: readonly Changed[]): string {
  const [only] = changed;
  return changed.length === 1 && only !== undefined
    ? changedText(action, only)
    : allChangedText(action, changed.length);
}

const sentence = (text: string): string => `${capitalized(text)}.`;
