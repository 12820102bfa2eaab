import { expect } from 'vitest';

type Fact = string | RegExp;

declare module 'vitest' {
  interface AsymmetricMatchersContaining {
    toNameAll(facts: readonly Fact[]): unknown;
  }
}

expect.extend({
  toNameAll(received: unknown, facts: readonly Fact[]) {
    const missing = facts.filter((fact) => typeof received !== 'string' || !patternOf(fact).test(received));
    return {
      pass: missing.length === 0,
      message: () => `${JSON.stringify(received)} does not name ${missing.map(String).join(', ')}`,
    };
  },
});

/**
 * A string that names each of these facts, in any order and in any wording: `expect(line).toEqual(naming('Steve', '5 s'))`.
 * A fact is found as a whole word, so that `5 s` is not found in `15 s`.
 */
export const naming = (...facts: readonly Fact[]): unknown => expect.toNameAll(facts);

/** A command that ended with this exit code, and names these facts on standard error. */
export const refused = (exit: number, ...facts: readonly Fact[]): unknown =>
  expect.objectContaining({ exit, err: naming(...facts) });

function patternOf(fact: Fact): RegExp {
  if (fact instanceof RegExp) return fact;
  const start = /^\w/.test(fact) ? '(?<!\\w|\\d\\.)' : '';
  const end = /\w$/.test(fact) ? '(?!\\w|\\.\\d)' : '';
  return new RegExp(`${start}${escaped(fact)}${end}`);
}

/** As a part of a regular expression that matches it literally. */
const escaped = (fact: string): string => fact.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A table as it is printed, row by row: its columns are two or more spaces apart. */
export const tableIn = (text: string): string[][] => text.split('\n').map((line) => line.split(/ {2,}/));
