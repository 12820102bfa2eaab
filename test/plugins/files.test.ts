import { describe, expect, test } from 'vitest';
import { tableRows } from '../../src/plugins/table.ts';
import { voteLines } from '../../src/plugins/vote-lines.ts';

/** The text in pieces that end at these places, as a file is read. */
async function* cutAt(text: string, places: readonly number[]): AsyncGenerator<string> {
  const ends = [...places, text.length];
  for (const [index, end] of ends.entries()) yield text.slice(ends[index - 1] ?? 0, end);
}

/** Where to cut a text into pieces of this many characters. */
const pieces = (text: string, size: number): readonly number[] =>
  Array.from({ length: Math.ceil(text.length / size) - 1 }, (_, index) => (index + 1) * size);

async function collected<T>(found: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of found) all.push(each);
  return all;
}

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

async function read(text: string, places: readonly number[] = []) {
  const found = await collected(voteLines(cutAt(text, places), ['.']));
  return found.map((each) =>
    'why' in each ? `line ${each.line} ${each.why}` : [each.line, each.player, each.service, each.at],
  );
}

const AT = Date.parse('2026-11-21T23:00:00Z');

const CSV = `Player,Service,Time,Address
Steve,MCList.example,2026-11-21T23:00:00Z,203.0.113.7
.Alex_B,"My, list",1795302000000,
Old Bedrock,MCList.example,2026-11-22 00:00:00+01:00,
@a,MCList.example,1795302000000,
Eva,MCList.example,yesterday,
Eva,MCList.example,1795302000,
Eva,MCList.example
`;

const JSON_LINES = `{"player":"Steve","service":"MCList.example","time":"2026-11-21T23:00Z","address":"203.0.113.7"}

{"username":"Eva","serviceName":"MCList.example","timestamp":1795302000000}
{"player":"Eva","time":1795302000000}
{"player":"Eva"
[1]
{"player":["Eva"],"service":"a","time":1}`;

describe('A file of votes', () => {
  test('is CSV with a header in any order and case, and is reported line by line', async () => {
    expect(await read(CSV)).toEqual([
      [2, 'Steve', 'MCList.example', AT],
      [3, '.Alex_B', 'My, list', AT],
      [4, 'Old_Bedrock', 'MCList.example', AT],
      'line 5 has no player name, but "@a"',
      'line 6 has no time, but "yesterday"',
      'line 7 has no time, but "1795302000"',
      'line 8 has no time, but nothing',
    ]);
  });

  test('can be JSON lines', async () => {
    expect(await read(JSON_LINES)).toEqual([
      [1, 'Steve', 'MCList.example', AT],
      [3, 'Eva', 'MCList.example', AT],
      'line 4 has no service name, but nothing',
      'line 5 is not JSON',
      'line 6 has no player name, but nothing',
      'line 7 has no time, but 1',
    ]);
  });

  test('reads the same wherever it is cut', async () => {
    for (const text of [CSV, JSON_LINES]) {
      const whole = await read(text);
      for (let at = 1; at < text.length; at++) expect(await read(text, [at])).toEqual(whole);
      expect(await read(text, pieces(text, 1))).toEqual(whole);
    }
  });

  test('without the columns that it needs is one fault, and an empty one is nothing', async () => {
    expect(await read('who,site\nSteve,a\n')).toEqual([
      'line 1 has to name the columns player, service and time; player and time is missing',
    ]);
    expect(await read(' \n')).toEqual([]);
  });

  test('of one endless line is not read into memory', async () => {
    async function* endless() {
      yield '{"player":"Steve';
      for (let part = 0; part < 1000; part++) yield 'x'.repeat(1000);
    }
    expect(await collected(voteLines(endless(), []))).toEqual([
      { line: 1, why: 'is too long; what follows is not read' },
    ]);
  });
});
