import { restartKeys } from './describe.ts';
import { type Path, pathText } from './fault.ts';
import { type Settings, settingValue } from './settings.ts';

/** How a value differs between two configs. `unknown`: a secret that this process cannot read cannot be compared. */
export type ChangeKind = 'changed' | 'added' | 'removed' | 'unknown';

export interface Change {
  /** For example `rewards.daily.commands`, or `rewards.daily` if the whole entry is added or removed. */
  readonly key: string;
  readonly path: Path;
  readonly kind: ChangeKind;
  /** Whether it takes effect only after a restart. */
  readonly needsRestart: boolean;
}

/** What a reload did. */
export interface Reloaded {
  /** In force from now on. */
  readonly applied: readonly Change[];
  /** Left as they were: they take effect when the process starts again. */
  readonly needRestart: readonly Change[];
}

/** Values in a comparable form; null for a secret that this process cannot read. */
export type Marks = ReadonlyMap<string, { readonly path: Path; readonly mark: string | null }>;

/** The values themselves, for comparing two configs in one process. They must not leave the process (rule 10). */
export const valuesOf = (settings: Settings): Marks =>
  new Map([...settings].map(([key, setting]) => [key, { path: setting.path, mark: settingValue(setting) }]));

/** Whether a value of this entry of `sites` or `gameServers` has changed. */
export const changesEntry = (
  changes: readonly Change[],
  section: 'sites' | 'gameServers',
  name: string,
): boolean => changes.some(({ path: [top, entry] }) => top === section && entry === name);

/** The differences between two configs, in the order of the keys, without `listing`: that service is a separate process. */
export function changesBetween(before: Marks, after: Marks): readonly Change[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const found = keys.flatMap((key): readonly FoundChange[] => {
    const kind = kindOf(before.get(key), after.get(key));
    return kind === null ? [] : [{ path: pathOf(key, before, after), kind }];
  });
  const changes = found.filter(({ path: [top] }) => top !== 'listing');
  const shown = wholeEntries(changes, before, after);
  const isEntryNew = shown.some(
    ({ path, kind }) => path[0] === 'rewards' && path.length === 2 && kind !== 'changed',
  );
  return shown
    .map(({ path, kind }) => ({ key: pathText(path), path, kind }))
    .filter(({ key }) => !(isEntryNew && key === REWARD_ORDER))
    .map((change) => ({ ...change, needsRestart: isFixed(change, before) }));
}

/** What the operator has to do to apply the changes. */
export function toApply(changes: readonly Change[]): string {
  const atRestart = changes.filter(({ needsRestart }) => needsRestart).map(({ key }) => key);
  if (atRestart.length === changes.length) return 'restart Teller';
  const rest = atRestart.length === 0 ? '' : `, and restart Teller for ${atRestart.join(', ')}`;
  return `run \`teller reload\`${rest}`;
}

/** The webhook port is open only while a site has a webhook. Until then, a reload can still change its address. */
function isFixed({ key, path: [top] }: Pick<Change, 'key' | 'path'>, before: Marks): boolean {
  const isFree = top === 'webhook' && ![...before.values()].some(({ path }) => isOfWebhook(path));
  return restartKeys().has(key) && !isFree;
}

const isOfWebhook = ([top, , inner]: Path): boolean => top === 'sites' && inner === 'webhook';

interface FoundChange {
  readonly path: Path;
  readonly kind: ChangeKind;
}

type Mark = { readonly mark: string | null } | undefined;

function kindOf(before: Mark, after: Mark): ChangeKind | null {
  if (before === undefined) return 'added';
  if (after === undefined) return 'removed';
  if (before.mark === null || after.mark === null) return 'unknown';
  return before.mark === after.mark ? null : 'changed';
}

const pathOf = (key: string, before: Marks, after: Marks): Path =>
  (after.get(key) ?? before.get(key))?.path ?? [];

/** The order of the rewards (`settings.ts`). Adding or removing a reward changes it, which needs no line of its own. */
const REWARD_ORDER = 'rewards';

const NAMED = new Set<unknown>(['sites', 'gameServers', 'rewards', 'events']);

/**
 * Reports an entry that was added or removed as one change instead of one for each value, and a game server of another kind
 * by its kind alone: most of what differs besides are defaults, which the operator never wrote.
 */
function wholeEntries(changes: readonly FoundChange[], before: Marks, after: Marks): readonly FoundChange[] {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const ofOtherKind = new Set(changes.filter(isKind).map(({ path }) => path[1]));
  const shown = new Map<string, FoundChange>();
  for (const { path, kind } of changes) {
    const entry = entryOf(path);
    if (path[0] === 'gameServers' && ofOtherKind.has(path[1]) && !isKind({ path })) continue;
    const isWhole = entry !== null && (!old.has(pathText(entry)) || !now.has(pathText(entry)));
    const change = isWhole ? { path: entry, kind } : { path, kind };
    shown.set(pathText(change.path), change);
  }
  return [...shown.values()];
}

const isKind = ({ path: [top, , key] }: Pick<FoundChange, 'path'>): boolean =>
  top === 'gameServers' && key === 'kind';

const entryOf = (path: Path): Path | null =>
  NAMED.has(path[0]) && path.length >= 2 ? path.slice(0, 2) : null;

const entriesOf = (marks: Marks): ReadonlySet<string> =>
  new Set(
    [...marks.values()].flatMap(({ path }) => {
      const entry = entryOf(path);
      return entry === null ? [] : [pathText(entry)];
    }),
  );
