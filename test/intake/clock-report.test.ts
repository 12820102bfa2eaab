import { expect, test } from 'vitest';
import type { ClockNews } from '../../src/ledger/ledger.ts';
import { reportClock } from '../../src/votes/intake/clock-report.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { naming } from '../support/naming.ts';

function reported(news: ClockNews) {
  const { log, lines } = loggedLines();
  reportClock(news, log);
  return lines;
}

test('a doubt is logged as a warning, with its reason and by how much the clock is ahead', () => {
  const shownAt = Date.parse('2026-06-02T14:00:00Z');
  const doubt = { reason: 'jumped-ahead', shownAt, aheadMs: 93_600_000 } as const;
  expect(reported({ kind: 'doubted', doubt })).toEqual([
    {
      level: 'warn',
      code: 'clock-doubtful',
      fields: { code: 'clock-doubtful', reason: 'jumped-ahead', aheadMs: 93_600_000 },
      sentence: naming('2026-06-02T14:00:00.000Z', '26 h'),
    },
  ]);
});

test.each(['corrected', 'confirmed'] as const)(
  'a doubt that ended is logged with why, and how to release what is still held: %s',
  (by) => {
    expect(reported({ kind: 'believed', by, wasRight: false })).toEqual([
      {
        level: 'info',
        code: 'clock-believed',
        fields: { code: 'clock-believed', by },
        sentence: naming('teller clock release'),
      },
    ]);
  },
);

test('a doubt about a clock that was right all along is logged without a command, because nothing is held any more', () => {
  const [line] = reported({ kind: 'believed', by: 'confirmed', wasRight: true });
  expect(line).toMatchObject({ level: 'info', code: 'clock-believed' });
  expect(line?.sentence).not.toEqual(naming('teller clock release'));
});
