import { describe, expect, test } from 'vitest';
import { tableRows } from '../../src/plugins/table.ts';
import { collected, cutAt, pieces } from './pieces.ts';

async function rows(text: string, sizes: readonly number[] = []) {
  const found = await collected(tableRows(cutAt(text, sizes)));
  return found.map((row) => {
    const why = 'why' in row ? row.why : row.ragged;
    return why === null
      ? [`line ${row.line}`, 'values' in row && Object.fromEntries(row.values)]
      : `line ${row.line} ${why}`;
  });
}

const TEXT =
  '\uFEFFuuid,"PlayerName", AllTimeTotal\r\nu1,Steve,12\r\n\r\nu2,"a ""b"", c\nd",NULL\r\nu3,x\r\nu4,,';

describe('CSV', () => {
  test('has values by the names of its first line, with quotes, line breaks in quotes, and NULL', async () => {
    expect(await rows(TEXT)).toEqual([
      ['line 2', { uuid: 'u1', playername: 'Steve', alltimetotal: '12' }],
      ['line 4', { uuid: 'u2', playername: 'a "b", c\nd', alltimetotal: null }],
      'line 6 has 2 values for 3 columns',
      ['line 7', { uuid: 'u4', playername: '', alltimetotal: '' }],
    ]);
  });

  test('reads the same wherever the file is cut', async () => {
    const whole = await rows(TEXT);
    for (let at = 1; at < TEXT.length; at++) expect(await rows(TEXT, [at])).toEqual(whole);
    expect(await rows(TEXT, pieces(TEXT, 1))).toEqual(whole);
  });

  test('may have semicolons or tabs between its values', async () => {
    expect(await rows('a;b\n1,5;2\n')).toEqual([['line 2', { a: '1,5', b: '2' }]]);
    expect(await rows('a\tb\n1\t"2\t3"\n')).toEqual([['line 2', { a: '1', b: '2\t3' }]]);
  });

  test('has escapes and NULL between tabs, as mysql -B writes them', async () => {
    const text = 'uuid\tPlayerName\tOther\tAllTimeTotal\nu1\tSt"eve\ta\\tb\\nc\\\\d\tNULL\n';
    expect(await rows(text)).toEqual([
      ['line 2', { uuid: 'u1', playername: 'St"eve', other: 'a\tb\nc\\d', alltimetotal: null }],
    ]);
  });

  test('with a quote that is never closed is read up to it, and at most 1 MiB further', async () => {
    async function* endless() {
      yield 'a,b\n1,2\n"';
      for (let part = 0; part < 100; part++) yield 'x'.repeat(100_000);
    }
    const found = await collected(tableRows(endless()));
    expect(found).toEqual([
      {
        line: 2,
        values: new Map([
          ['a', '1'],
          ['b', '2'],
        ]),
        ragged: null,
      },
      { line: 3, why: 'has a quote that is never closed; what follows is not read' },
    ]);
  });
});
