import path from 'node:path';
import { gameServerSecretKeys } from '../delivery/kinds.ts';
import { type Path, pathText } from './fault.ts';

/** Where the secrets of a config are kept. */
export interface NamedSecrets {
  /** Config keys by absolute path. */
  readonly inFiles: ReadonlyMap<string, readonly string[]>;
  /** Config keys by variable name. */
  readonly inEnvironment: ReadonlyMap<string, readonly string[]>;
  /** Config keys that hold the secret itself. */
  readonly inText: readonly string[];
}

const SECRET_KEYS: ReadonlySet<unknown> = new Set([
  'token',
  'secret',
  'metricsToken',
  ...gameServerSecretKeys,
]);

/** Whether the URL of the operator's receiver of alarms or events is at this place, with or without its place in the list. */
export function isReceiverUrl(at: Path): boolean {
  const [section, key, ...rest] = at.filter((step) => typeof step === 'string');
  return (section === 'alarms' || section === 'events') && key === 'url' && rest.length === 0;
}

/** Whether the config has a secret, or a reference to one, at this place. Other URLs are no secrets. */
export const isSecretAt = (at: Path): boolean => SECRET_KEYS.has(at.at(-1)) || isReceiverUrl(at);

/**
 * Finds secrets in a parsed config by their form (`file:`, `env:`) as well as by key, so that keys added later are found without a change
 * here. Skips rewards and comments, which are commands and prose.
 */
export function secretsNamedIn(value: unknown, folder: string): NamedSecrets {
  const inFiles = new Map<string, string[]>();
  const inEnvironment = new Map<string, string[]>();
  const inText: string[] = [];
  const note = (map: Map<string, string[]>, name: string, at: Path): void => {
    map.set(name, [...(map.get(name) ?? []), pathText(at)]);
  };
  for (const [words, at] of textsOf(value, [])) {
    const [, scheme, name = ''] = /^(file|env):(.*)$/s.exec(words) ?? [];
    if (scheme === 'file') note(inFiles, path.resolve(folder, name), at);
    else if (scheme === 'env') note(inEnvironment, name, at);
    else if (isSecretAt(at)) inText.push(pathText(at));
  }
  return { inFiles, inEnvironment, inText };
}

function* textsOf(value: unknown, at: Path): Generator<readonly [string, Path]> {
  if (typeof value === 'string') yield [value, at];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const isProse = key.startsWith('//') || (at.length === 0 && key === 'rewards');
    if (!isProse) yield* textsOf(inner, [...at, Array.isArray(value) ? Number(key) : key]);
  }
}
