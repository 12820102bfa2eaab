import type { Secret } from '../core/secret-value.ts';
import { type Path, pathText } from './fault.ts';
import { isSecretAt } from './named-secrets.ts';
import type { ConfigEntries } from './schema.ts';
import type { Secrets } from './secret.ts';

/** One value of a loaded config: a string that can be compared, or a secret. */
export interface Setting {
  readonly path: Path;
  readonly value: string | Secret;
  /** As the file has it, for people, with secrets masked (rule 10); undefined: the file leaves it out. */
  readonly written: unknown;
}

type FoundSetting = Omit<Setting, 'written'>;

/** The value itself; null for a secret that is missing. It must not leave the process (rule 10). */
export function settingValue({ value }: Setting): string | null {
  if (typeof value === 'string') return value;
  return value.missing === null ? value.reveal() : null;
}

/** Every value of a config by its key, such as `rewards.daily.commands` or `sites["My-List.com"].token`. */
export type Settings = ReadonlyMap<string, Setting>;

/** Rewards are identified by name, so that moving one does not change others. Their order is a separate value. */
export function settingsOf(
  { rewards, ...entries }: ConfigEntries,
  secrets: Secrets,
  file: unknown,
): Settings {
  const byName = Object.fromEntries(rewards.map((reward) => [reward.name, reward]));
  const order = { path: ['rewards'], value: JSON.stringify(rewards.map(({ name }) => name)) };
  const found = [...settingsIn(entries, [], secrets), order, ...settingsIn({ rewards: byName }, [], secrets)];
  return new Map(
    found.map(({ path, value }) => {
      const written = writtenAt(file, path);
      // Whatever was read as a secret is one, also under a key that nothing else knows as such.
      const isSecret = typeof value !== 'string' || isSecretAt(path);
      return [pathText(path), { path, value, written: isSecret ? masked(written) : written }];
    }),
  );
}

function settingsIn(value: unknown, path: Path, secrets: Secrets): readonly FoundSetting[] {
  if (value === undefined) return [];
  const secret = secretAt(path, secrets);
  if (secret !== undefined) return [{ path, value: secret }];
  if (Array.isArray(value) && isListOfEntries(path))
    return value.flatMap((one, at) => settingsIn(one, [...path, at], secrets));
  if (!isSection(value) || isOneValue(path)) return [{ path, value: JSON.stringify(value, asText) }];
  const inner = Object.entries(value).flatMap(([key, one]) => settingsIn(one, [...path, key], secrets));
  // An empty entry, such as `"My-List.com": {}`, is still an entry.
  return inner.length === 0 ? [{ path, value: '{}' }] : inner;
}

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp);

/** Its entries have secrets, which are compared one by one. Other lists are compared as one value. */
const isListOfEntries = ([section, ...rest]: Path): boolean => section === 'events' && rest.length === 0;

/** Values that operators write as one, whatever they are read as. */
function isOneValue(path: Path): boolean {
  const [section, , key] = path;
  return section === 'rewards'
    ? key === 'servers' || (key === 'if' && path.length === 4)
    : section === 'sites' && key === 'cooldown';
}

/** JSON cannot hold regular expressions, so their source is compared. */
const asText = (_: string, value: unknown): unknown => (value instanceof RegExp ? value.source : value);

/** Rewards are found by name, also inside a `firstOf`. */
function writtenAt(file: unknown, [top, ...rest]: Path): unknown {
  const value = stepInto(file, top);
  if (top !== 'rewards') return rest.reduce(stepInto, value);
  const rewards = Array.isArray(value) ? value.flatMap((each) => stepInto(each, 'firstOf') ?? each) : [];
  const [name, ...inner] = rest;
  if (name === undefined) return rewards.map((each) => stepInto(each, 'name'));
  return inner.reduce(
    stepInto,
    rewards.find((each) => stepInto(each, 'name') === name),
  );
}

const stepInto = (value: unknown, step: Path[number] | undefined): unknown =>
  typeof value === 'object' && value !== null && step !== undefined && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string | number, unknown>>)[step]
    : undefined;

/** References (`file:`, `env:`) stay as they are. */
const masked = (value: unknown): unknown =>
  value === undefined || /^(?:file|env):/.test(String(value)) ? value : '(secret)';

function secretAt([section, name, ...rest]: Path, secrets: Secrets): Secret | undefined {
  if (typeof name === 'number') return section === 'events' ? ofEvents(name, rest, secrets) : undefined;
  if (name === undefined) return undefined;
  if (section === 'console' && rest.length === 0) return secrets.consoleSecrets.get(name);
  if (section === 'alarms' && rest.length === 0) return secrets.alarmsSecrets.get(name);
  switch ([section, ...rest].join('.')) {
    case 'sites.token':
      return secrets.tokens.get(name);
    case 'sites.api.token':
      return secrets.apiTokens.get(name);
    case 'sites.webhook.secret':
      return secrets.webhookSecrets.get(name);
    default:
      return section === 'gameServers' && rest.length === 1
        ? secrets.gameServerSecrets.get(name)?.get(String(rest[0]))
        : undefined;
  }
}

const ofEvents = (at: number, [key, ...rest]: Path, { eventSecrets }: Secrets): Secret | undefined =>
  rest.length === 0 ? eventSecrets[at]?.get(String(key)) : undefined;
