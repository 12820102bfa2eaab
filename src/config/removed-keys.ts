import type { FaultAtPath, Path } from './fault.ts';

/**
 * What earlier configs could have and Teller has no more. A config that still has it is refused, with what to do instead, and
 * not only as one with an unknown key.
 */
interface Removed {
  /** Where it stood; `*` is any name, or any place in a list. */
  readonly at: readonly string[];
  /** If the key is still there: which of its values went. */
  readonly value?: (written: unknown) => boolean;
  /** Follows "is not a key any more: " or "cannot be … any more: ". */
  readonly instead: string;
}

const REMOVED: readonly Removed[] = [
  {
    at: ['rewards'],
    value: (written) => typeof written === 'string',
    instead: 'write the list of rewards here; a YAML config can have it too',
  },
  ...ofEachReward(
    'when',
    'use "online", which pays as soon as the player is on the game server',
    (written) => written === 'join',
  ),
  ...ofEachReward(
    'strangers',
    'delete it; only players who were seen on a game server are announced, unless that game server cannot report who is online',
  ),
  ...ofEachReward(
    'maxWaiting',
    'use `expiresAfter`, which cancels what waits too long, or `limit`, which bounds what is granted',
  ),
  {
    at: ['players', 'test'],
    instead:
      'delete it, and try rewards with `teller preview`, `teller rewards test` or a practice game server',
  },
  {
    at: ['publish', '*', 'if'],
    instead: 'figures are of all votes of the month; delete it, or pay for some of the votes with `tops`',
  },
  {
    at: ['publish', '*', 'party'],
    instead: 'figures are of the first party; delete it, and put the party that you mean first in `party`',
  },
  {
    at: ['gameServers', '*', 'userCache'],
    instead: 'delete it; Teller learns from the list of players who is online under which name',
  },
  ...ofEachReward(
    'payIf',
    'let the game test it, with `execute if entity @a[name={player},tag=vip] run …` before a command, and `execute unless …` for the other case',
  ),
  ...ofEachReward('combine', 'delete it: a player gets the commands of each grant'),
  ...ofEachReward(
    'verify',
    'delete it; a reply that means that a command failed belongs in `refusedReplies` of the game server',
  ),
  ...['management', 'managementSecret', 'managementCertificate'].map((key) => ({
    at: ['gameServers', '*', key],
    instead:
      'delete it; Teller sees who has joined when it next reads the list of players (`presenceInterval`)',
  })),
  {
    at: ['gameServers', '*', 'proof'],
    instead:
      'delete it; a command whose reply was lost is held for you, or run again if its reward has `safeToRunTwice`',
  },
];

/** Of a reward, in the list or in a `firstOf`. */
function ofEachReward(key: string, instead: string, value?: Removed['value']): readonly Removed[] {
  const places = [
    ['rewards', '*', key],
    ['rewards', '*', 'firstOf', '*', key],
  ];
  return places.map((at) => ({ at, instead, ...(value === undefined ? {} : { value }) }));
}

/** The config without what was removed, so that the rest of it is checked as if that had never been there. */
export function withoutRemoved(written: unknown): {
  readonly value: unknown;
  readonly faults: readonly FaultAtPath[];
} {
  const value = structuredClone(written);
  const faults = REMOVED.flatMap(({ at, value: isRemoved, instead }) =>
    placesOf(value, at).flatMap(({ parent, key, path }): FaultAtPath[] => {
      const found = parent[key];
      if (found === undefined || isRemoved?.(found) === false) return [];
      delete parent[key];
      const what = isRemoved === undefined ? 'is not a key' : `cannot be ${JSON.stringify(found)}`;
      return [{ code: 'config-removed-key', path, sentence: `${what} any more: ${instead}` }];
    }),
  );
  return { value, faults };
}

interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
  readonly path: Path;
}

/** Every place in the value that the pattern describes. */
function placesOf(
  value: unknown,
  [step = '', ...rest]: readonly string[],
  before: Path = [],
): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const parent = value as Record<string, unknown>;
  const keys = step === '*' ? Object.keys(parent) : [step];
  return keys.flatMap((key) => {
    const path = [...before, Array.isArray(parent) ? Number(key) : key];
    return rest.length === 0 ? [{ parent, key, path }] : placesOf(parent[key], rest, path);
  });
}
