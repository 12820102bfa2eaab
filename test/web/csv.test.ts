import { expect, test } from 'vitest';
import { csvText } from '../../src/web/csv.ts';
import { FakeBrowser } from '../support/fake-browser.ts';
import { samplePages } from '../support/sample-pages.ts';

test('quotes what has a comma, a quote or a line break, and leaves out what is unknown', () => {
  expect(
    csvText([
      ['Day', 'Votes'],
      ['a,b', 1.5],
      ['say "x"', null],
      ['a\nb', 0],
    ]),
  ).toBe('Day,Votes\r\n"a,b",1.5\r\n"say ""x""",\r\n"a\nb",0\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=cmd|"/C calc"!A1'])(
  'does not let a spreadsheet run %j as a formula',
  (text) => {
    expect(csvText([[text]]).replaceAll('"', '')).toMatch(/^'/);
  },
);

test('a negative number stays a number', () => {
  expect(csvText([[-1]])).toBe('-1\r\n');
});

test('is saved by the browser under its name, and not cached', async () => {
  const { status, headers, text } = await new FakeBrowser(samplePages().app).get('/gallery/votes.csv');
  expect([status, text]).toEqual([200, 'Day,Votes\r\n2026-11-23,3\r\n']);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="votes.csv"');
  expect(headers.get('cache-control')).toBe('no-store');
});
