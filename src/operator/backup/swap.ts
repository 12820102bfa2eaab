import { rename } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../../core/problem.ts';
import { isThere } from '../../platform/write-file.ts';
import { sync } from './copy-file.ts';

/** A finished draft and the file it will replace. */
export interface Swap {
  readonly draft: string;
  readonly to: string;
  /** Files such as the write-ahead log of a ledger, which SQLite would apply to the new file. */
  readonly companions: readonly string[];
}

/**
 * Moves the present files aside and the drafts into place. The first file is put in place last, so the swap is complete
 * once that file exists. An error reverts everything. Returns the new names of the files that were moved aside.
 * @param mark the suffix of these names.
 */
export async function swapIn(swaps: readonly Swap[], mark: string): Promise<readonly string[]> {
  const moved: { from: string; to: string }[] = [];
  const kept: string[] = [];
  const move = async (from: string, to: string): Promise<void> => {
    await rename(from, to);
    moved.unshift({ from, to });
  };
  const clear = async ({ to, companions }: Swap): Promise<void> => {
    for (const suffix of ['', ...companions]) {
      if (!(await isThere(to + suffix))) continue;
      const aside = `${to}.${mark}${suffix}`;
      if (await isThere(aside)) {
        throw new Problem('restore-in-the-way', `${aside} already exists; move it away.`);
      }
      await move(to + suffix, aside);
      kept.push(aside);
    }
  };
  const [first, ...others] = swaps;
  if (first === undefined) return [];
  try {
    await clear(first);
    for (const swap of others) {
      await clear(swap);
      await move(swap.draft, swap.to);
    }
    await move(first.draft, first.to);
  } catch (error) {
    for (const { from, to } of moved) await rename(to, from).catch(() => undefined);
    throw error;
  }
  for (const folder of new Set(swaps.map(({ to }) => path.dirname(to)))) await sync(folder);
  return kept;
}
