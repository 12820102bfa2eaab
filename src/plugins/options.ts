type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/**
 * The options of a section of a plugin's config. It remembers which of them were read, so that a conversion can list
 * every other one. Keys are compared without case, as VotingPlugin does by default.
 */
export class Options {
  readonly #fields: Fields;
  /** Where the section is, such as `VoteSites.yml: VoteSites.MCList`. */
  readonly path: string;
  readonly #read = new Set<string>();
  readonly #inner: Options[] = [];

  constructor(fields: Fields, path: string) {
    this.#fields = fields;
    this.path = path;
  }

  get keys(): readonly string[] {
    return Object.keys(this.#fields);
  }

  get isEmpty(): boolean {
    return this.keys.length === 0;
  }

  /** The path of one of its options. */
  at(key: string): string {
    return `${this.path}${this.path.endsWith(': ') ? '' : '.'}${key}`;
  }

  has(key: string): boolean {
    return this.#keyOf(key) !== null;
  }

  /** undefined: it is absent. */
  take(key: string): unknown {
    const found = this.#keyOf(key);
    if (found === null) return undefined;
    this.#read.add(found);
    return this.#fields[found];
  }

  /** null: it is absent, empty, or no single value; then it stays unread. */
  text(key: string): string | null {
    const value = this.#peek(key);
    if (value !== null && typeof value === 'object') return null;
    this.take(key);
    return value === undefined || value === null || String(value) === '' ? null : String(value);
  }

  flag(key: string, otherwise: boolean): boolean {
    const text = this.text(key)?.toLowerCase();
    return text === undefined ? otherwise : text === 'true';
  }

  /** null: it is absent, or no number; then it stays unread. */
  number(key: string): number | null {
    const value = this.#peek(key);
    const isNumber = /^-?\d+(?:\.\d+)?$/.test(String(value));
    return isNumber ? Number(this.text(key)) : null;
  }

  /** The strings of a list; a single value is a list of one. Anything else stays unread. */
  texts(key: string): readonly string[] {
    const value = this.#peek(key);
    const all = Array.isArray(value) ? value : [value];
    if (all.some((each) => each !== null && typeof each === 'object')) return [];
    this.take(key);
    return Array.isArray(value)
      ? value.map(String)
      : value === undefined || value === null || value === ''
        ? []
        : [String(value)];
  }

  isSection(key: string): boolean {
    const found = this.#keyOf(key);
    return found !== null && isFields(this.#fields[found]);
  }

  /** null: it is absent or no section, and stays unread. */
  section(key: string): Options | null {
    if (!this.isSection(key)) return null;
    const inner = new Options(this.take(key) as Fields, this.at(key));
    this.#inner.push(inner);
    return inner;
  }

  /** The sections of a section, by name. */
  sections(key: string): readonly (readonly [string, Options])[] {
    const outer = this.section(key);
    if (outer === null) return [];
    return outer.keys.flatMap((name) => {
      const inner = outer.section(name);
      return inner === null ? [] : [[name, inner] as const];
    });
  }

  /** Nothing in it is left to list. */
  skip(): void {
    for (const key of this.keys) this.#read.add(key);
    for (const inner of this.#inner) inner.skip();
  }

  /** The paths of the options that were not read, apart from empty ones. */
  unread(): readonly string[] {
    const own = this.keys.filter((key) => !this.#read.has(key) && !isNothing(this.#fields[key]));
    return [...own.map((key) => this.at(key)), ...this.#inner.flatMap((inner) => inner.unread())];
  }

  #peek(key: string): unknown {
    const found = this.#keyOf(key);
    return found === null ? undefined : this.#fields[found];
  }

  #keyOf(key: string): string | null {
    if (Object.hasOwn(this.#fields, key)) return key;
    const wanted = key.toLowerCase();
    return this.keys.find((each) => each.toLowerCase() === wanted) ?? null;
  }
}

const isNothing = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0);
