import { describe, expect, test } from 'vitest';
import { createLog, type LogFormat } from '../../src/runtime/log.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const SAID = 'a sentence of this test';

/** The line that a warning becomes. */
function lineOf(format: LogFormat | undefined, interactive: boolean): string {
  const terminal = fakeTerminal(interactive);
  createLog('info', terminal, format).warn({ code: 'practice', vote: 7 }, SAID);
  return terminal.errLines.join();
}

describe('the log', () => {
  test('is JSON without a terminal and sentences at one, unless it is told otherwise', () => {
    expect(JSON.parse(lineOf(undefined, false))).toMatchObject({ code: 'practice', vote: 7 });
    expect(lineOf(undefined, true)).toContain(`  ${SAID}`);
    expect(JSON.parse(lineOf('json', true))).toMatchObject({ code: 'practice', vote: 7 });
  });

  test('as text without a terminal has the whole time, the level and the code, and no colours', () => {
    expect(lineOf('text', false)).toMatch(
      new RegExp(String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z {2}warn {3}${SAID} \[practice\]$`),
    );
  });
});
