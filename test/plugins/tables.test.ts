import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { desk } from '../kit/place.ts';

/** What `teller import votes` makes of this file: the votes, oldest first, and why lines are no vote. */
async function imported(text: string, name = 'votes.csv') {
  const one = desk({ rewards: [] });
  const file = path.join(one.folder, name);
  writeFileSync(file, text);
  const { json } = await one.run('import', 'votes', file, '--json');
  const votes: readonly Record<string, string>[] = (await one.run('votes', '--limit', '9999', '--json')).json;
  const faults: readonly { line: number; why: string }[] = json[0].faults;
  return {
    votes: votes.map(({ player, service, castAt }) => [player, service, castAt]).toReversed(),
    faults: faults.map(({ line, why }) => `line ${line} ${why}`),
  };
}

const AT = '2026-05-21T23:00:00.000Z';
const EPOCH = Date.parse(AT);

const CSV = `Player,Service,Time,Address
Steve,MCList.example,2026-05-21T23:00:00Z,203.0.113.7
.Alex_B,"My, list",${EPOCH},
Old Bedrock,MCList.example,2026-05-22 00:00:00+01:00,
@a,MCList.example,${EPOCH},
Eva,MCList.example,yesterday,
Eva,MCList.example,${EPOCH / 1_000},
Eva,MCList.example
`;

const JSON_LINES = `{"player":"Steve","service":"MCList.example","time":"2026-05-21T23:00Z","address":"203.0.113.7"}

{"username":"Eva","serviceName":"MCList.example","timestamp":${EPOCH}}
{"player":"Eva","time":${EPOCH}}
{"player":"Eva"
[1]
{"player":["Eva"],"service":"a","time":1}`;

test('a file of votes is CSV with a header in any order and case, and is reported line by line', async () => {
  const { votes, faults } = await imported(CSV);
  expect(votes.toSorted()).toEqual([
    ['.Alex_B', 'My, list', AT],
    ['Old_Bedrock', 'MCList.example', AT],
    ['Steve', 'MCList.example', AT],
  ]);
  expect(faults).toEqual([
    'line 5 has no player name, but "@a"',
    'line 6 has no time, but "yesterday"',
    `line 7 has no time, but "${EPOCH / 1_000}"`,
    'line 8 has no time, but nothing',
  ]);
});

test('a file of votes can be JSON lines', async () => {
  const { votes, faults } = await imported(JSON_LINES, 'votes.jsonl');
  expect(votes.toSorted()).toEqual([
    ['Eva', 'MCList.example', AT],
    ['Steve', 'MCList.example', AT],
  ]);
  expect(faults).toEqual([
    'line 4 has no service name, but nothing',
    'line 5 is not JSON',
    'line 6 has no player name, but nothing',
    'line 7 has no time, but 1',
  ]);
});

test('a file of votes without the columns that it needs is one fault, and an empty one is nothing', async () => {
  expect((await imported('who,site\nSteve,a\n')).faults).toEqual([
    'line 1 has to name the columns player, service and time; player and time is missing',
  ]);
  expect(await imported(' \n')).toEqual({ votes: [], faults: [] });
});

test.each([
  ['semicolons', `player;service;time\nSteve;a,b;${EPOCH}\n`, 'a,b'],
  ['tabs', `player\tservice\ttime\nSteve\t"a\tb"\t${EPOCH}\n`, 'a\tb'],
  [
    'quotes in quotes, and CRLF',
    `\uFEFFplayer,"service", time\r\nSteve,"a ""b"", c",${EPOCH}\r\n`,
    'a "b", c',
  ],
  [
    'tabs, with the escapes of mysql -B',
    `player\tservice\ttime\nSteve\tSt"e\\tb\\\\d\t${EPOCH}\n`,
    'St"e\tb\\d',
  ],
])('a file of votes may have %s', async (_, text, service) => {
  expect(await imported(text)).toEqual({ votes: [['Steve', service, AT]], faults: [] });
});

test('a file of votes reads the same wherever it is cut while it is read: 4,000 lines, which differ in length', async () => {
  const names = Array.from({ length: 4_000 }, (_, n) => `é "${'x'.repeat(n % 40)}", ${n}`);
  const lines = names.map((name, n) => `P${n},"${name.replaceAll('"', '""')}",${EPOCH + n}\r\n`);
  const { votes, faults } = await imported(`player,service,time\r\n${lines.join('')}`);
  expect(faults).toEqual([]);
  expect(votes.map(([, service]) => service).toSorted()).toEqual(names.toSorted());
});

test('a file of votes with a quote that is never closed, or of one endless line, is read up to that', async () => {
  const rest = 'x'.repeat(5_000_000);
  const quoted = await imported(`player,service,time\nSteve,a,${EPOCH}\n"${rest}`);
  expect(quoted).toEqual({
    votes: [['Steve', 'a', AT]],
    faults: ['line 3 has a quote that is never closed; what follows is not read'],
  });
  expect(await imported(`{"player":"Steve${rest}`, 'votes.jsonl')).toEqual({
    votes: [],
    faults: ['line 1 is too long; what follows is not read'],
  });
});
