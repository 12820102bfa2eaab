import { describe, expect, test } from 'vitest';
import { voteLines } from '../../src/plugins/vote-lines.ts';
import { collected, cutAt, pieces } from './pieces.ts';

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
