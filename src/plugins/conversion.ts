/** Entries of our config, as they are written in it. */
export interface Fragment {
  readonly sites: Readonly<Record<string, object>>;
  readonly rewards: readonly object[];
  readonly players?: { readonly bedrockPrefixes: readonly string[] };
}

export interface NotConverted {
  /** Where it is, such as `VoteSites.yml: VoteSites.MCList.Rewards`. */
  readonly what: string;
  /** Why, and what to do instead. */
  readonly why: string;
}

/** A plugin's config in ours. Every option of it that is in use became an entry, or is listed. */
export interface Conversion {
  readonly fragment: Fragment;
  readonly notConverted: readonly NotConverted[];
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * A section of a plugin's config. It remembers which of its options were read, so that a conversion can list every other
 * one. Keys are compared without case, as VotingPlugin does by default.
 */
export class Section {
  private readonly read = new Set<string>();
  private readonly inner: (readonly [string, Section])[] = [];

  /** @param path where it is, such as `VoteSites.yml: VoteSites.MCList`; `VoteSites.yml: ` for a file. */
  constructor(
    private readonly fields: Fields,
    readonly path: string,
  ) {}

  get keys(): readonly string[] {
    return Object.keys(this.fields);
  }

  /** The path of one of its options. */
  at(key: string): string {
    return `${this.path}${this.path.endsWith(': ') ? '' : '.'}${key}`;
  }

  /** null: it is absent, empty, or no single value; then it stays unread. */
  text(key: string): string | null {
    const [name, value] = this.find(key);
    if (value !== null && typeof value === 'object') return null;
    this.read.add(name);
    return value === undefined || value === null || String(value) === '' ? null : String(value);
  }

  flag(key: string, otherwise: boolean): boolean {
    const text = this.text(key)?.toLowerCase();
    return text === undefined ? otherwise : text === 'true';
  }

  /** null: it is absent, or no number; then it stays unread. */
  number(key: string): number | null {
    const [, value] = this.find(key);
    return /^-?\d+(?:\.\d+)?$/.test(String(value)) ? Number(this.text(key)) : null;
  }

  /** The strings of a list; a single value is a list of one. Anything else stays unread. */
  texts(key: string): readonly string[] {
    const [name, value] = this.find(key);
    const all = (Array.isArray(value) ? value : [value]) as readonly unknown[];
    if (all.some((each) => each !== null && typeof each === 'object')) return [];
    this.read.add(name);
    return all.filter((each) => each !== undefined && each !== null && each !== '').map(String);
  }

  /** null: it is absent or no section, and stays unread. */
  section(key: string): Section | null {
    const [name, value] = this.find(key);
    if (!isFields(value)) return null;
    this.read.add(name);
    const inner = new Section(value, this.at(name));
    this.inner.push([name, inner]);
    return inner;
  }

  /** The sections of a section, by name. */
  sections(key: string): readonly (readonly [string, Section])[] {
    const outer = this.section(key);
    return (outer?.keys ?? []).flatMap((name) => {
      const inner = outer?.section(name) ?? null;
      return inner === null ? [] : [[name, inner] as const];
    });
  }

  /** Nothing in it is left to list. */
  skip(): void {
    for (const key of this.keys) this.read.add(key);
    this.inner.length = 0;
  }

  /** The options that were not read, by their path in the section, apart from those that are off. */
  unread(): readonly string[] {
    return [
      ...this.keys.filter((key) => !this.read.has(key) && !isOff(this.fields[key])),
      ...this.inner.flatMap(([name, inner]) => inner.unread().map((key) => `${name}.${key}`)),
    ];
  }

  private find(key: string): readonly [string, unknown] {
    const wanted = key.toLowerCase();
    const name = Object.hasOwn(this.fields, key)
      ? key
      : (this.keys.find((each) => each.toLowerCase() === wanted) ?? key);
    return [name, this.fields[name]];
  }
}

/** A plugin does nothing because of such a value. */
function isOff(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isFields(value)) return [null, undefined, '', 0, false].includes(value as null);
  const keys = Object.keys(value);
  return keys.length === 0 || keys.some((key) => key.toLowerCase() === 'enabled' && value[key] === false);
}

const NAME_MAX = 64;

/** Collects what a conversion leaves out, and gives each reward a name of its own. */
export class ConversionReport {
  readonly notConverted: NotConverted[] = [];
  private readonly names = new Set<string>();

  left(what: string, why: string): void {
    this.notConverted.push({ what: what.replace(/: $/, ''), why: why.replaceAll(/\p{Cc}/gu, ' ') });
  }

  /** Lists a section that cannot be converted, instead of what is in it. */
  leave(section: Section, why: string): void {
    section.skip();
    this.left(section.path, why);
  }

  /**
   * Lists the options of a section that were not read; those with the same reason together.
   *
   * @param reasons by the path of an option in the section, in lower case.
   * @param otherwise the reason of the others.
   */
  leaveUnread(section: Section, reasons: Readonly<Record<string, string>>, otherwise = NONE): void {
    const groups = new Map<
      string,
      { readonly why: string; readonly outer: string; readonly names: string[] }
    >();
    for (const key of section.unread()) {
      const [, outer = '', name = key] = /^(.*\.)?([^.]+)$/.exec(key) ?? [];
      const why = reasons[key.toLowerCase()] ?? otherwise;
      const group = groups.get(outer + why) ?? { why, outer, names: [] };
      group.names.push(name);
      groups.set(outer + why, group);
    }
    for (const { why, outer, names } of groups.values()) this.left(section.at(outer + names.join(', ')), why);
    section.skip();
  }

  /** A name that no other reward has, from what the plugin calls it. */
  nameFor(wanted: string): string {
    const base = wanted.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-').slice(0, NAME_MAX - 4) || 'reward';
    let name = base;
    for (let number = 2; this.names.has(name); number++) name = `${base}-${number}`;
    this.names.add(name);
    return name;
  }
}

const NONE = 'has no counterpart in Teller';
