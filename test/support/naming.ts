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

function patternOf(fact: Fact): RegExp {
  if (fact instanceof RegExp) return fact;
  const start = /^\w/.test(fact) ? '(?<!\\w|\\d\\.)' : '';
  const end = /\w$/.test(fact) ? '(?!\\w|\\.\\d)' : '';
  return new RegExp(`${start}${escaped(fact)}${end}`);
}

/** As a part of a regular expression that matches it literally. */
export const escaped = (fact: string): string => fact.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A table as it is printed, row by row: its columns are two or more spaces apart. */
export const tableIn = (text: string): string[][] => text.split('\n').map((line) => line.split(/ {2,}/));

/** A placeholder for a fact that a test leaves open. No sentence contains it. */
const ANY = '\uE000';

/**
 * Matches a table's sentence for a code with these facts. A test names the code and the facts that matter; the wording
 * can change.
 */
export const saidBy = <Facts extends object>(
  sentence: (facts: Facts) => string,
  facts: Partial<Facts> = {},
): unknown => expect.stringMatching(new RegExp(`^${openPattern(sentence, facts)}$`));

/** Matches such a sentence inside a longer text. */
export const holding = <Facts extends object>(
  sentence: (facts: Facts) => string,
  facts: Partial<Facts> = {},
): unknown => expect.stringMatching(new RegExp(openPattern(sentence, facts)));

const openPattern = <Facts extends object>(
  sentence: (facts: Facts) => string,
  facts: Partial<Facts>,
): string => {
  const open = new Proxy(facts, { get: (known, name) => Reflect.get(known, name) ?? ANY });
  return escaped(sentence(open as Facts)).replaceAll(ANY, String.raw`[\s\S]*`);
};
