import { describe, expect, test } from 'vitest';
import { dayInName } from '../../src/plugins/log-days.ts';
import { type PaymentFile, paymentLines } from '../../src/plugins/payment-lines.ts';

const read = async (text: string, more: Partial<PaymentFile> = {}) => {
  const file = { pattern: null, bedrockPrefixes: ['.'], zone: 'Europe/Berlin', day: null, ...more };
  const found = [];
  // Cut in the middle of lines.
  for await (const line of paymentLines(chunks(text), file)) found.push(line);
  return found;
};

async function* chunks(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 7) yield text.slice(at, at + 7);
}

const payment = (line: number, player: string, service: string | null, at: string | null) => ({
  ...{ kind: 'payment', line, player, service },
  at: at === null ? null : Date.parse(at),
});

describe('the payments of a file', () => {
  test('are read from CSV, with or without times and services', async () => {
    expect(await read('player\nAlex\n.Steve\n')).toEqual([
      payment(2, 'alex', null, null),
      payment(3, '.steve', null, null),
    ]);
    expect(
      await read('time;player;site\n2026-06-01T12:00:00Z;Alex;A.example\n1780315200000;Steve;\n'),
    ).toEqual([
      payment(2, 'alex', 'A.example', '2026-06-01T12:00:00Z'),
      payment(3, 'steve', null, '2026-06-01T12:00:00Z'),
    ]);
  });

  test('are read from JSON lines', async () => {
    expect(await read('{"player":"Alex","time":"2026-06-01T12:00:00Z"}\n{"username":"Steve"}\n')).toEqual([
      payment(1, 'alex', null, '2026-06-01T12:00:00Z'),
      payment(2, 'steve', null, null),
    ]);
  });

  test('are those lines of a log that match, with times in the zone of the config', async () => {
    const log = [
      '[2026-06-01 14:00:01] Starting',
      '[2026-06-01 14:00:02] Gave 1 [Diamond] to Alex',
      '[2026-06-01 14:00:03] Gave 1 [Dirt] to Steve',
      '',
    ].join('\r\n');
    const pattern = /^\[(?<time>[^\]]+)\] Gave 1 \[Diamond\] to (?<player>\S+)/;
    expect(await read(log, { pattern })).toEqual([payment(2, 'alex', null, '2026-06-01T12:00:02Z')]);
  });

  test('have the day that the log is of, and the next one once their times go back', async () => {
    const log = '[23:58:00] Alex\n[23:59:59] Steve\n[23:59:30] Kim\n[00:00:10] Robin\n';
    const pattern = /^\[(?<time>[^\]]+)\] (?<player>\S+)/;
    expect(await read(log, { pattern, day: '2026-06-01' })).toEqual([
      payment(1, 'alex', null, '2026-06-01T21:58:00Z'),
      payment(2, 'steve', null, '2026-06-01T21:59:59Z'),
      payment(3, 'kim', null, '2026-06-01T21:59:30Z'),
      payment(4, 'robin', null, '2026-06-01T22:00:10Z'),
    ]);
    expect(await read('[23:58:00] Alex', { pattern })).toMatchObject([{ kind: 'unusable', line: 1 }]);
    expect([dayInName('2026-06-01-1.log'), dayInName('latest.log')]).toEqual(['2026-06-01', null]);
  });

  test('leave out lines without a player or with a time that is none, and say which', async () => {
    expect(await read('player,time\n@a,2026-06-01\nAlex,yesterday\nSteve,2026-06-01T14:00\n')).toMatchObject([
      { kind: 'unusable', line: 2 },
      { kind: 'unusable', line: 3 },
      payment(4, 'steve', null, '2026-06-01T12:00:00Z'),
    ]);
    expect(await read('name_of_player\nAlex\n')).toMatchObject([{ kind: 'unusable', line: 1 }]);
  });
});
