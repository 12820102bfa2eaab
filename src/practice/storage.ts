/** Bytes and compounds, which is what `execute store` and Teller write. */
export type Compound = Map<string, Compound | number>;

/** The command storages, by name, as datapacks use them. They are saved with the world. */
export type Storages = Map<string, Compound>;

const MINECRAFT = 'minecraft:';
/** A path without quotes, lists or filters. */
const PATH = /^[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*$/;

export const storageNamed = (word: string): string | null => {
  if (!/^(?:[a-z0-9_.-]+:)?[a-z0-9_./-]+$/.test(word)) return null;
  return word.includes(':') ? word : MINECRAFT + word;
};

/** The keys of a path; null if it is not one that this game knows. */
export const keysOf = (path: string): readonly string[] | null => (PATH.test(path) ? path.split('.') : null);

/** Writes a byte, and creates the compounds around it. */
export function storeByte(storages: Storages, name: string, keys: readonly string[], value: number): void {
  let inner = storages.get(name) ?? new Map();
  storages.set(name, inner);
  for (const key of keys.slice(0, -1)) {
    const found = inner.get(key);
    const compound: Compound = found instanceof Map ? found : new Map();
    inner.set(key, compound);
    inner = compound;
  }
  inner.set(keys.at(-1) as string, value);
}

export const copyOf = (storages: Storages): Storages =>
  new Map([...storages].map(([name, compound]) => [name, copyOfCompound(compound)]));

const copyOfCompound = (compound: Compound): Compound =>
  new Map([...compound].map(([key, value]) => [key, value instanceof Map ? copyOfCompound(value) : value]));
