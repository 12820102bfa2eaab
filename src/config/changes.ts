import { restartKeys } from './describe.ts';
import { type Path, pathText } from './fault.ts';
import { type Settings, settingValue } from './settings.ts';

/** How a value of one config compares with another config. `unknown`: a secret that is not here cannot be compared. */
export type ChangeKind = 'changed' | 'added' | 'removed' | 'unknown';

export interface Change {
  /** As in `rewards.daily.commands`; only the entry, as in `rewards.daily`, where all of it is added or removed. */
  readonly key: string;
  readonly path: Path;
  readonly kind: ChangeKind;
  /** Whether it takes effect only when the process starts again. */
  readonly needsRestart: boolean;
}

/** What a reload did. */
export interface Reloaded {
  /** In force from now on. */
  readonly applied: readonly Change[];
  /** Left as they were: they take effect when the process starts again. */
  readonly needRestart: readonly Change[];
}

/** A value reduced to what can be compared; null where it is not known here. */
export type Marks = ReadonlyMap<string, { readonly path: Path; readonly mark: string | null }>;

/** The values themselves, to compare two configs of one process. They must not leave it (rule 10). */
export const valuesOf = (settings: Settings): Marks =>
  new Map([...settings].map(([key, setting]) => [key, { path: setting.path, mark: settingValue(setting) }]));

/** Whether an entry of `sites` or `gameServers` is another one than before, by a value of its own. */
export const changesEntry = (
  changes: readonly Change[],
  section: 'sites' | 'gameServers',
  name: string,
): boolean => changes.some(({ path: [top, entry] }) => top === section && entry === name);

/** What turns one config into the other, in the order of the keys, without `listing`: that service is a process of its own. */
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

/** The operator's next step for changes that do not run yet. */
export function toApply(changes: readonly Change[]): string {
  const atRestart = changes.filter(({ needsRestart }) => needsRestart).map(({ key }) => key);
  if (atRestart.length === changes.length) return 'restart Teller';
  const rest = atRestart.length === 0 ? '' : `, and restart Teller for ${atRestart.join(', ')}`;
  return `run \`teller reload\`${rest}`;
}

/** The port for webhooks is open only while a site has one: until then it opens where the new config says. */
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

/** `settings.ts`: a reward that is added or removed changes it too, which is not worth a line of its own. */
const REWARD_ORDER = 'rewards';

const NAMED = new Set<unknown>(['sites', 'gameServers', 'rewards']);

/** A site that is new is one change, not one for each of its values. */
function wholeEntries(changes: readonly FoundChange[], before: Marks, after: Marks): readonly FoundChange[] {
  const [old, now] = [entriesOf(before), entriesOf(after)];
  const shown = new Map<string, FoundChange>();
  for (const { path, kind } of changes) {
    const entry = entryOf(path);
    const isWhole = entry !== null && (!old.has(pathText(entry)) || !now.has(pathText(entry)));
    const change = isWhole ? { path: entry, kind } : { path, kind };
    shown.set(pathText(change.path), change);
  }
  return [...shown.values()];
}

const entryOf = (path: Path): Path | null =>
  NAMED.has(path[0]) && path.length >= 2 ? path.slice(0, 2) : null;

const entriesOf = (marks: Marks): ReadonlySet<string> =>
  new Set(
    [...marks.values()].flatMap(({ path }) => {
      const entry = entryOf(path);
      return entry === null ? [] : [pathText(entry)];
    }),
  );
