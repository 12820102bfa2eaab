import { type Change, changesBetween } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import { liveEntries } from '../control/client.ts';
import { controlFolder } from '../control/place.ts';
import { marksOf } from '../control/published.ts';

/** A running process whose config is not the one in the file (rule 15). */
export interface OlderConfig {
  readonly pid: number;
  /** When it read the config that it runs, in milliseconds since the Unix epoch. */
  readonly loadedAt: number;
  readonly configFile: string;
  /** What a reload or a restart would change. Never of kind `unknown`. */
  readonly changes: readonly Change[];
  /** Keys whose secrets are not here, so that they cannot be compared. */
  readonly unknown: readonly string[];
}

/** Every process that records into this ledger by another config than this one; empty where none does. */
export async function olderConfigs({ ledger, settings }: Config): Promise<readonly OlderConfig[]> {
  const entries = await liveEntries(controlFolder(ledger));
  return entries
    .map(({ published: { pid, loadedAt, configFile, key, marks } }) => {
      const running = new Map(marks.map((one) => [JSON.stringify(one.path), one]));
      const here = new Map(
        [...marksOf(settings, key).values()].map((one) => [JSON.stringify(one.path), one]),
      );
      // The listing service is a process of its own.
      const found = changesBetween(running, here).filter(({ path: [top] }) => top !== 'listing');
      const changes = found.filter(({ kind }) => kind !== 'unknown');
      const unknown = found.filter(({ kind }) => kind === 'unknown').map((change) => change.key);
      return { pid, loadedAt, configFile, changes, unknown };
    })
    .filter(({ changes }) => changes.length > 0);
}
