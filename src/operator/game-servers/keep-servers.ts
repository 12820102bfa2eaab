import { placedRewards } from '../../config/cross-check.ts';
import type { EditStep } from '../../config/edit-steps.ts';
import { outlineOf } from '../../config/outline.ts';
import { payingOf } from '../../config/reward-servers.ts';

export interface KeptServers {
  /** The only game server until now; null: every reward names its game servers, or there were several. */
  readonly keptOn: string | null;
  readonly steps: readonly EditStep[];
}

/**
 * With one game server, a reward need not name it. When another one is added, those that name none stay where they are.
 *
 * @param written the config as it is written. A reward in another file is left as it is, and the config is then refused.
 */
export function keepServers(written: unknown, added: string): KeptServers {
  const sections = (written ?? {}) as Readonly<Record<string, unknown>>;
  const outline = outlineOf(written);
  const [only, ...others] = Object.keys(payingOf(outline.gameServers));
  // The practice server of the defaults is gone as soon as the config names a game server.
  const isAlone =
    only !== undefined && others.length === 0 && only !== added && sections['gameServers'] !== undefined;
  if (!isAlone) return { keptOn: null, steps: [] };
  const unplaced = placedRewards(outline).filter(
    ({ reward, path: [section = ''] }) => reward.servers === undefined && Array.isArray(sections[section]),
  );
  return {
    keptOn: unplaced.length === 0 ? null : only,
    steps: unplaced.map(({ path }) => ({ kind: 'value', path: [...path, 'servers'], value: [only] })),
  };
}
