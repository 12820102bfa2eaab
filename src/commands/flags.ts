import { parseDuration } from '../core/duration.ts';
import { parseInstant } from '../core/instant.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { Problem } from '../core/problem.ts';

/** Parses flags; `done` then reports everything that is wrong with them at once. */
export class Flags {
  private readonly faults: string[] = [];

  fault(sentence: string): void {
    this.faults.push(sentence);
  }

  wholeNumber(flag: string, text: string | undefined, least: number, most: number): number | undefined {
    if (text === undefined) return undefined;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    this.fault(`${flag} must be a whole number from ${least} to ${most}, not "${text}"`);
    return undefined;
  }

  oneOf<Word extends string>(
    flag: string,
    text: string | undefined,
    known: readonly Word[],
  ): Word | undefined {
    const word = known.find((one) => one === text);
    if (text === undefined || word !== undefined) return word;
    const meant = nearestWord(text, known);
    const hint = meant === null ? '' : `; did you mean "${meant}"?`;
    this.fault(`${flag} must be one of ${known.join(', ')}, not "${text}"${hint}`);
    return undefined;
  }

  /** A point in time, or how long ago it was: `2026-06-01`, `2026-06-01T12:00`, `24h`. */
  since(flag: string, text: string | undefined, now: number): number | undefined {
    if (text === undefined) return undefined;
    const ago = parseDuration(text);
    return ago === null
      ? this.instant(flag, text, 'a duration ("24h") or an ISO date ("2026-06-01", "2026-06-01T12:00Z")')
      : now - ago;
  }

  instant(
    flag: string,
    text: string | undefined,
    kind = 'an ISO date ("2026-06-01T12:00Z")',
  ): number | undefined {
    if (text === undefined) return undefined;
    const instant = parseInstant(text);
    if (instant !== null) return instant;
    this.fault(`${flag} must be ${kind}, not "${text}"`);
    return undefined;
  }

  /** @throws Problem `usage` */
  done(): void {
    if (this.faults.length > 0) throw new Problem('usage', this.faults.join('; '));
  }
}

type Given<Values> = { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> };

/** Drops the values that were not given. */
export const given = <Values extends object>(values: Values): Given<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<Values>;

/** A port to listen on; 0 for a free one. @throws Problem `usage` */
export function readPort(flag: string, text: string): number {
  const flags = new Flags();
  const port = flags.wholeNumber(flag, text, 0, 65_535);
  flags.done();
  return port ?? 0;
}
