import type { CommandLine } from './command-line.ts';
import type { GameCommand } from './game.ts';
import { type Compound, keysOf, storageNamed } from './storage.ts';

/** `data get storage` and `data remove storage`. */
export const data: GameCommand = (line, { world }) => {
  const verb = line.word();
  if (verb === '') return line.incomplete();
  if ((verb !== 'get' && verb !== 'remove') || line.word() !== 'storage') return line.incorrect();
  const name = storageNamed(line.word());
  if (name === null) return line.incomplete();
  const root = world.storages.get(name) ?? new Map();
  const path = line.word();
  if (path !== '') return verb === 'get' ? get(name, root, path, line) : remove(name, root, path, line);
  return verb === 'get' ? contents(name, root) : line.incomplete();
};

function get(name: string, root: Compound, path: string, line: CommandLine): string {
  const keys = keysOf(path);
  if (keys === null || !line.atEnd) return line.incorrect();
  const found = compoundAt(root, keys.slice(0, -1))?.get(keys.at(-1) as string);
  return found === undefined ? `Found no elements matching ${path}` : contents(name, found);
}

function remove(name: string, root: Compound, path: string, line: CommandLine): string {
  const keys = keysOf(path);
  if (keys === null || !line.atEnd) return line.incorrect();
  const isRemoved = compoundAt(root, keys.slice(0, -1))?.delete(keys.at(-1) as string) ?? false;
  return isRemoved
    ? `Modified storage ${name}`
    : 'Nothing changed. The specified properties already have these values';
}

function compoundAt(start: Compound, keys: readonly string[]): Compound | undefined {
  let inner: Compound | undefined = start;
  for (const key of keys) {
    const found: Compound | number | undefined = inner?.get(key);
    inner = found instanceof Map ? found : undefined;
  }
  return inner;
}

const contents = (name: string, value: Compound | number): string =>
  `Storage ${name} has the following contents: ${written(value)}`;

const written = (value: Compound | number): string =>
  value instanceof Map
    ? `{${[...value].map(([key, inner]) => `${key}: ${written(inner)}`).join(', ')}}`
    : `${value}b`;
