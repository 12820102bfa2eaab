import { expect } from 'vitest';

export { naming as withFacts } from './naming.ts';

/** Stands for a fact that a test leaves open: no sentence holds it. */
const ANY = '\uE000';

/**
 * Matches what a table says under one of its codes, with these facts and any others. A test names the code and the
 * facts that matter; the words stay free to change.
 */
export const saidBy = <Facts extends object>(
  sentence: (facts: Facts) => string,
  facts: Partial<Facts> = {},
): unknown => expect.stringMatching(new RegExp(`^${openPattern(sentence, facts)}$`));

/** The same somewhere within a longer text. */
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

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
