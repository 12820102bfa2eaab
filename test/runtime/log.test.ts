import { describe, expect, test } from 'vitest';
import { createLog, type LogFormat } from '../../src/platform/log.ts';
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

  test('as JSON begins with level and time, and ends with the sentence', () => {
    const line = lineOf('json', false);
    expect(Object.keys(JSON.parse(line))).toEqual(['level', 'time', 'code', 'vote', 'msg']);
    expect(JSON.parse(line)).toMatchObject({ level: 40, msg: SENTENCE });
  });

  test.each(['err', 'error'])('as JSON has the facts of an error in `%s`, and of its cause', (field) => {
    const terminal = fakeTerminal(false);
    const cause = new Error('the disk is full');
    const err = Object.assign(new TypeError('not stored', { cause }), { code: 'ENOSPC', syscall: 'write' });
    createLog('info', terminal).error({ code: 'pruning-failed', [field]: err }, SENTENCE);
    const shown = JSON.parse(terminal.errLines.join())[field];
    expect(shown).toMatchObject({
      type: 'TypeError',
      message: 'not stored: the disk is full',
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(shown.stack).toContain('caused by: Error: the disk is full');
  });

  test('prints what is at least as important as its level, which can be changed', () => {
    const terminal = fakeTerminal(false);
    const log = createLog('warn', terminal);
    log.info({ code: 'ending' }, SENTENCE);
    log.level = 'info';
    log.info({ code: 'keys-made' }, SENTENCE);
    log.level = 'silent';
    log.error({ code: 'practice-socket' }, SENTENCE);
    expect(terminal.errLines.map((line) => JSON.parse(line).code)).toEqual(['keys-made']);
  });
});
