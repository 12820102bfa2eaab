import { expect } from 'vitest';
import { escaped } from './naming.ts';

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
