import { describe, expect, test } from 'vitest';
import { createLog, type LogFormat } from '../../src/runtime/log.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const SENTENCE = 'a sentence of this test';

/** The log line of a warning. */
function lineOf(format: LogFormat | undefined, interactive: boolean): string {
  const terminal = fakeTerminal(interactive);
  createLog('info', terminal, format).warn({ code: 'practice', vote: 7 }, SENTENCE);
  return terminal.errLines.join();
}

describe('the log', () => {
  test('is JSON without a terminal and sentences at a terminal, unless a format is set', () => {
    expect(JSON.parse(lineOf(undefined, false))).toMatchObject({ code: 'practice', vote: 7 });
    expect(lineOf(undefined, true)).toContain(`  ${SENTENCE}`);
    expect(JSON.parse(lineOf('json', true))).toMatchObject({ code: 'practice', vote: 7 });
  });

  test('as text without a terminal has date, level and code, and no colours', () => {
    expect(lineOf('text', false)).toMatch(
      new RegExp(String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z {2}warn {3}${SENTENCE} \[practice\]$`),
    );
  });
});
