import type { Path } from './fault.ts';

/** A value in a text. */
export interface Span {
  readonly offset: number;
  readonly length: number;
  readonly value: unknown;
}

/** Edits the text of a config. Everything that an edit does not name stays as it is, comments included. */
export interface FormatEditor {
  /** Sets one value. Only the line of the value may be reformatted. */
  withValue(text: string, path: Path, value: unknown): string;
  /** Adds an entry to an object, formatted like the entries before it. */
  withEntry(text: string, section: Path, key: string, value: unknown): string;
  /** Gives an entry of an object another key, in its place. */
  withKey(text: string, path: Path, key: string): string;
  /** The string at a path; null if there is none. */
  textAt(text: string, path: Path): string | null;
  /** The single values in such places. */
  secretSpans(text: string, isSecret: (at: Path) => boolean): readonly Span[];
}
