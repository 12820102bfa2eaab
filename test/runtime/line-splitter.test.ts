import { expect, test } from 'vitest';
import { LineSplitter } from '../../src/platform/line-splitter.ts';

const TOO_LONG = null;

/** What a splitter for lines of at most 8 characters makes of these pieces. */
function linesOf(pieces: readonly Buffer[]): (string | null)[] {
  const lines: (string | null)[] = [];
  const splitter = new LineSplitter(8, {
    onLine: (line) => lines.push(line),
    onTooLong: () => lines.push(TOO_LONG),
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return lines;
}

const cases: [name: string, bytes: Buffer, lines: (string | null)[]][] = [
  ['lines, the last one without a line break', Buffer.from('stop\n\nreload'), ['stop', '', 'reload']],
  ['lines as Windows ends them', Buffer.from('stop\r\nreload\r\n'), ['stop', 'reload']],
  ['characters of several bytes', Buffer.from('é漢😀\n'), ['é漢😀']],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x0a]), ['\ufffd\ufffd']],
  ['a line that is exactly as long as allowed', Buffer.from('12345678\n'), ['12345678']],
  ['a line that is too long, between others', Buffer.from('a\n123456789…\nb\n'), ['a', TOO_LONG, 'b']],
  ['a last line that is too long', Buffer.from('1234567890'), [TOO_LONG]],
  ['nothing', Buffer.from(''), []],
];

test.each(cases)('cut at any byte, it is the same: %s', (_, bytes, lines) => {
  for (let at = 0; at <= bytes.length; at++)
    expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)]), String(at)).toEqual(lines);
});

test.each(cases)('byte by byte, it is the same: %s', (_, bytes, lines) => {
  expect(linesOf([...bytes].map((byte) => Buffer.from([byte])))).toEqual(lines);
});
