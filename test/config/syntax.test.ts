import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';

const examine = (text: string, file = 'config.json') => examineText(text, `/srv/teller/${file}`, { env: {} });

/** The faults in their order, as code, path, line and column. */
const places = async (text: string, file?: string) =>
  (await examine(text, file)).faults.map(({ code, path, line, column }) =>
    [code, path, `${line}:${column}`].filter((part) => part !== '').join(' '),
  );

test.each([
  ['an empty file', '', 1, 1],
  ['two commas', '{\n  "keys": "a",,\n}', 2, 15],
  ['a comma without an entry', '{"rewards": [\n,]}', 2, 1],
  ['a missing comma', '{"keys": "a"\n "ledger": "b"}', 2, 2],
  ['a missing colon', '{"keys" "a"}', 1, 9],
  ['an unclosed brace', '{"listener": {"port": 1}', 1, 25],
  ['an unclosed string', '{"keys": "a}\n', 1, 10],
  ['single quotes', "{'keys': 1}", 1, 2],
  ['a backslash in a path', '{"keys": "C:\\keys"}', 1, 10],
  ['text after the end', '{}\n{}', 2, 1],
])('refuses invalid JSON with line and column: %s', async (_, text, line, column) => {
  expect((await places(text))[0]).toEqual(`config-syntax ${line}:${column}`);
});

test('refuses invalid JSON with line and column reporting each line once, however many errors the parser finds', async () => {
  const { faults } = await examine('{"a": nope nope nope,\n "b": also}');
  expect(faults.map(({ line }) => line)).toEqual([1, 2]);
});

test.each<[string, string, RegExp]>([
  ['YAML', 'listener:\n  port: 8192\n', /YAML/],
  ['YAML after a comment', '# my config\n---\nkeys: data/keys\n', /YAML/],
  ['a YAML list', '- a\n- b\n', /YAML/],
  ['TOML', '[listener]\nport = 8192\n', /TOML/],
  ['TOML without a table', 'port = 8192\n', /TOML/],
  ['curly quotes around a key', '{“keys”: "a"}', /curly|typographic/],
  ['curly quotes around a value', '{"keys": “a”}', /curly|typographic/],
  ['a curly quote at the end of a string', '{"keys": "a”}', /curly|typographic/],
  ['low and high quotes', '{„keys“: "a"}', /curly|typographic/],
  ['single quotes around a key', "{'keys': 1}", /single quote/],
  ['single quotes around a value', '{"keys": \'a b\'}', /single quote/],
  ['curly single quotes', '{‘keys’: 1}', /single quote/],
  ['a shell comment', '{\n# port\n"keys": "a"}', /begins with \/\//],
  ['a word without quotes', '{"keys": data}', /quotes/],
  ['a missing comma after every kind of quote in a string', '{"//": "it’s “mine”" "keys": "a"}', /comma/],
])('says what was written instead of JSON: %s', async (_, text, sentence) => {
  expect((await examine(text)).faults[0]?.sentence).toMatch(sentence);
});

test('allows comments, a comma after the last entry, and every kind of quote inside a string', async () => {
  const text =
    '// mine\n{\n  /* a\n     b */ "log": { "level": "warn", }, // why\n  "rewards": [],\n}\n// end\n';
  const { config, faults } = await examine(text);
  expect(faults).toEqual([]);
  expect(config?.log.level).toBe('warn');
  expect(await places('{"//": "it’s “mine”"}')).toEqual([]);
});

test.each<[string, string, ...string[]]>([
  ['thousands of open brackets once, without crashing', '['.repeat(200_000), 'config-syntax 1:1'],
  ['an open comment, and nothing that follows from it', '{\n  /* hello\n"keys": 1', 'config-syntax 2:3'],
  ['another format once, not for every line', 'listener:\n  port: 8192\nkeys: "a"\n', 'config-syntax 1:1'],
  [
    'an error after comments, whose lines it counts',
    '/* a\n b */ {\n // c\n "log": { "level": 3 },\n}',
    'config-value log.level 4:20',
  ],
  [
    'a duplicate key at its second position',
    '{\n  "keys": "a",\n  "listener": {"port": 1, "port": 2},\n  "keys": "b"\n}',
    'config-duplicate-key listener.port 3:27',
    'config-duplicate-key keys 4:3',
  ],
  [
    'duplicate keys inside lists and commands',
    '{"rewards":[{"name":"a","commands":[["say",{"x":1,"x":2}]]}]}',
    'config-duplicate-key rewards[0].commands[0][1].x 1:51',
  ],
  ['a comment that is not a string', '{"//": ["a"]}', 'config-value ["//"] 1:8'],
  ['the key __proto__', '{"sites": {"__proto__": {}}}', 'config-unknown-key sites.__proto__ 1:12'],
  [
    'an unknown key at that key, an invalid value at that value, and a missing key at its object',
    '{\n "log": {"levle": "info", "level": 3},\n "gameServers": {"a": {"kind": "rcon"}}\n}',
    'config-unknown-key log.levle 2:10',
    'config-value log.level 2:36',
    'config-value gameServers.a.password 3:23',
  ],
])('reports %s', async (_, text, ...faults) => {
  expect(await places(text)).toEqual(faults);
});

const YAML = 'teller.yml';

test('a config in YAML loads like the same config in JSON', async () => {
  const text = [
    '# my Teller',
    '$schema: ./config.schema.json',
    'listener:',
    '  port: 8193 # the port that listings use',
    'sites:',
    '  default: { cooldown: 24h }',
    '  "My-List.com":',
    '    label: My List',
    'rewards:',
    '  - name: daily',
    '    if: { chance: 5% }',
    '    commands:',
    '      - give {player} diamond 1',
    '',
  ].join('\r\n');
  const { config, faults } = await examine(text, YAML);
  expect(faults).toEqual([]);
  expect(config?.listener.port).toBe(8193);
  expect(config?.keys).toBe('/srv/teller/data/keys');
  expect(config?.sites.get('My-List.com')?.label).toBe('My List');
  expect(config?.rewards.map(({ commands }) => commands)).toEqual([['give {player} diamond 1']]);
});

test.each<[string, boolean]>([
  ['a.yml', true],
  ['a.yaml', true],
  ['A.YML', true],
  ['config.json', false],
  ['yml', false],
])('a config in YAML is recognized by the ending of the file: %s', async (file, isRead) => {
  expect((await examine('keys: k\n', file)).config?.keys).toBe(isRead ? '/srv/teller/k' : undefined);
});

test('words that other versions read as true or as a number are strings, and keys are what was written', async () => {
  const labels = ['no', 'on', 'yes', '1_000', '12:30', '2026-06-01'];
  const names = ['no', '1.10', '010', 'null', '<<'];
  const sites = [...labels, ...names].map((text) => `  ${text}: { label: ${text === '<<' ? 'x' : text} }\n`);
  const { config, faults } = await examine(`sites:\n${[...new Set(sites)].join('')}`, YAML);
  const paths = faults.map(({ path }) => path);
  expect(paths).toEqual(['sites["1.10"].label', 'sites["010"].label', 'sites.null.label']);
  expect(config).toBeNull();
});

describe('refuses YAML with line and column', () => {
  test.each([
    ['an empty file', '', 1, 1],
    ['a file with only a comment', '# hi\n', 1, 1],
    ['a tab as indentation', 'log:\n\tlevel: warn\n', 2, 1],
    ['a text that begins with @', 'a: @b\n', 1, 4],
    ['a text that begins with %', 'a: %player% x\n', 1, 4],
    ['two keys on a line', 'a: b: c\n', 1, 4],
    ['a bracket that is not closed', 'a: [1, 2\nb: 3\n', 2, 1],
    ['a quote that is not closed', 'a: "b\n', 2, 1],
    ['an anchor', 'a: &x 1\nb: 2\n', 1, 7],
    ['an alias', 'a: &x { y: 1 }\nb: *x\n', 1, 7],
    ['an alias of nothing', 'b: *x\n', 1, 4],
    ['a tag', 'a: !!str 1\n', 1, 10],
    ['a key that is a list', '? [a]\n: 1\n', 1, 3],
    ['two documents', 'a: 1\n---\nb: 2\n', 2, 1],
    ['another version of YAML', '%YAML 1.1\n---\na: no\n', 1, 1],
  ])('%s', async (_, text, line, column) => {
    expect((await places(text, YAML))[0]).toEqual(`config-syntax ${line}:${column}`);
  });

  /** Lists of lists, of which the last one would have a billion values. */
  const lists = [...'bcdefghi'].map((name, at) =>
    `${name}: &${name} [${'abcdefgh'[at]}`.replace(/\[(.)$/, '[*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1]'),
  );

  test.each<[string, string, ...string[]]>([
    ['aliases of a billion values, at once', `a: &a [x]\n${lists.join('\n')}\n`, 'config-syntax 1:7'],
    [
      'values at their line and column',
      'log:\n  levle: info\n  level: 3\nrewards:\n  - name: a\n    commands:\n      - say {playr}\n',
      'config-unknown-key log.levle 2:3',
      'config-value log.level 3:10',
      'config-template rewards[0].commands[0] 7:9',
    ],
    [
      'a key that appears twice, at its second position',
      'keys: a\nlog:\n  level: warn\n  level: info\n"keys": b\n',
      'config-duplicate-key log.level 4:3',
      'config-duplicate-key keys 5:1',
    ],
    ['the key __proto__', 'sites:\n  __proto__: {}\n', 'config-unknown-key sites.__proto__ 2:3'],
    ['an empty value, at its key', 'sites:\n  A.com:\nlog: {}\n', 'config-value sites["A.com"] 2:9'],
  ])('%s', async (_, text, ...faults) => {
    expect(await places(text, YAML)).toEqual(faults);
  });

  test('thousands of open brackets, without crashing', async () => {
    const { faults } = await examine('['.repeat(50_000), YAML);
    expect(faults.map(({ code }) => code)).toEqual(['config-syntax']);
  });
});
