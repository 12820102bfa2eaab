/** Entries of our config, as they are written in it. */
export interface Fragment {
  readonly sites: Readonly<Record<string, object>>;
  readonly rewards: readonly object[];
  readonly players?: { readonly bedrockPrefixes: readonly string[] };
}

export interface Converted {
  /** The option of the plugin. */
  readonly what: string;
  /** What it became, such as `sites`. */
  readonly into: string;
}

export interface NotConverted {
  readonly what: string;
  /** Why, and what to do instead. */
  readonly why: string;
}

/** A plugin's config in ours. Every option of it is in one of the two lists, or is part of one that is. */
export interface Conversion {
  readonly fragment: Fragment;
  readonly converted: readonly Converted[];
  readonly notConverted: readonly NotConverted[];
}

const NAME_MAX = 64;

/** Collects what a conversion reports, and gives each entry a name of its own. */
export class ConversionReport {
  readonly converted: Converted[] = [];
  readonly notConverted: NotConverted[] = [];
  /** What was converted, but has to be looked at. */
  readonly hints: NotConverted[] = [];
  readonly #names = new Set<string>();

  became(what: string, into: string): void {
    this.converted.push({ what, into });
  }

  left(what: string, why: string): void {
    this.notConverted.push({ what: what.replace(/: $/, ''), why: why.replaceAll(/\p{Cc}/gu, ' ') });
  }

  hint(what: string, why: string): void {
    this.hints.push({ what, why });
  }

  /** A name that no other entry has, from what the plugin calls it. */
  nameFor(wanted: string): string {
    const base = wanted.replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-').slice(0, NAME_MAX - 4) || 'reward';
    let name = base;
    for (let number = 2; this.#names.has(name); number++) name = `${base}-${number}`;
    this.#names.add(name);
    return name;
  }
}
