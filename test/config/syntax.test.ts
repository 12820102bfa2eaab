import { describe, expect, test } from 'vitest';
import { examineText } from '../../src/config/load.ts';
import { examined } from './examined.ts';

const places = async (text: string) =>
  (await examined(text)).faults.map(({ code, path, line, column }) => [code, path, line, column]);

describe('refuses invalid JSON with line and column', () => {
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
  ])('%s', async (_, text, line, column) => {
    expect((await places(text))[0]).toEqual(['config-syntax', '', line, column]);
  });

  test('thousands of open brackets, without crashing', async () => {
    expect(await places('['.repeat(200_000))).toEqual([['config-syntax', '', 1, 1]]);
  });

  test('a comment that is not closed, and nothing that follows from it', async () => {
    expect(await places('{\n  /* hello\n"keys": 1')).toEqual([['config-syntax', '', 2, 3]]);
  });

  test('reporting each line once, however many errors the parser finds', async () => {
    const lines = (await places('{"a": nope nope nope,\n "b": also}')).map(([, , line]) => line);
    expect(lines).toEqual([1, 2]);
  });
});

describe('says what was written instead of JSON', () => {
  const first = async (text: string) => (await examined(text)).faults[0]?.sentence ?? '';

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
  ])('%s', async (_, text, sentence) => {
    expect(await first(text)).toMatch(sentence);
  });

  test('reports another format once, not for every line', async () => {
    expect(await places('listener:\n  port: 8192\nkeys: "a"\n')).toEqual([['config-syntax', '', 1, 1]]);
  });

  test('allows every kind of quote inside a string', async () => {
    expect((await examined('{"//": "it’s “mine”"}')).faults).toEqual([]);
    expect(await first('{"//": "it’s “mine”" "keys": "a"}')).toMatch(/comma/);
  });
});

test('allows comments and a comma after the last entry', async () => {
  const text =
    '// mine\n{\n  /* a\n     b */ "log": { "level": "warn", }, // why\n  "rewards": [],\n}\n// end\n';
  const { config, faults } = await examined(text);
  expect(faults).toEqual([]);
  expect(config?.log.level).toBe('warn');
});

test('counts the lines of comments in the place of an error', async () => {
  expect(await places('/* a\n b */ {\n // c\n "log": { "level": 3 },\n}')).toEqual([
    ['config-value', 'log.level', 4, 20],
  ]);
});

test('reports a duplicate key at its second position', async () => {
  expect(await places('{\n  "keys": "a",\n  "listener": {"port": 1, "port": 2},\n  "keys": "b"\n}')).toEqual([
    ['config-duplicate-key', 'listener.port', 3, 27],
    ['config-duplicate-key', 'keys', 4, 3],
  ]);
});

test('finds duplicate keys inside lists and commands', async () => {
  const text = '{"rewards":[{"name":"a","commands":[["say",{"x":1,"x":2}]]}]}';
  expect(await places(text)).toEqual([['config-duplicate-key', 'rewards[0].commands[0][1].x', 1, 51]]);
});

test('refuses a comment that is not a string', async () => {
  expect(await places('{"//": ["a"]}')).toEqual([['config-value', '["//"]', 1, 8]]);
});

test('refuses the key __proto__ like any unknown key', async () => {
  expect(await places('{"sites": {"__proto__": {}}}')).toEqual([
    ['config-unknown-key', 'sites.__proto__', 1, 12],
  ]);
});

test('reports an unknown key at that key, an invalid value at that value, and a missing key at its object', async () => {
  const text = '{\n "log": {"levle": "info", "level": 3},\n "gameServers": {"a": {"kind": "rcon"}}\n}';
  expect(await places(text)).toEqual([
    ['config-unknown-key', 'log.levle', 2, 10],
    ['config-value', 'log.level', 2, 36],
    ['config-value', 'gameServers.a.password', 3, 23],
  ]);
});

const inYaml = (text: string, file = 'teller.yml') => examineText(text, `/srv/teller/${file}`, { env: {} });

const yamlPlaces = async (text: string) =>
  (await inYaml(text)).faults.map(({ code, path, line, column }) => [code, path, line, column]);

describe('a config in YAML', () => {
  test('loads like the same config in JSON', async () => {
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
    const { config, faults } = await inYaml(text);
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
  ])('is recognized by the ending of the file: %s', async (file, isRead) => {
    expect((await inYaml('keys: k\n', file)).config?.keys).toBe(isRead ? '/srv/teller/k' : undefined);
  });

  test('reports errors of values at their line and column', async () => {
    const text =
      'log:\n  levle: info\n  level: 3\nrewards:\n  - name: a\n    commands:\n      - say {playr}\n';
    const found = await yamlPlaces(text);
    expect(found).toEqual([
      ['config-unknown-key', 'log.levle', 2, 3],
      ['config-value', 'log.level', 3, 10],
      ['config-template', 'rewards[0].commands[0]', 7, 9],
    ]);
  });
});

test('words that other versions read as true or as a number are strings, and keys are what was written', async () => {
  const labels = ['no', 'on', 'yes', '1_000', '12:30', '2026-06-01'];
  const names = ['no', '1.10', '010', 'null', '<<'];
  const sites = [...labels, ...names].map((text) => `  ${text}: { label: ${text === '<<' ? 'x' : text} }\n`);
  const { config, faults } = await inYaml(`sites:\n${[...new Set(sites)].join('')}`);
  expect(faults.map(({ path }) => path)).toEqual([
    'sites["1.10"].label',
    'sites["010"].label',
    'sites.null.label',
  ]);
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
    expect((await yamlPlaces(text))[0]).toEqual(['config-syntax', '', line, column]);
  });

  test('aliases that would expand to a billion values, at once', async () => {
    const lists = [...'bcdefghi'].map((name, at) =>
      `${name}: &${name} [${'abcdefgh'[at]}`.replace(/\[(.)$/, '[*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1]'),
    );
    expect(await yamlPlaces(`a: &a [x]\n${lists.join('\n')}\n`)).toEqual([['config-syntax', '', 1, 7]]);
  });

  test('thousands of open brackets, without crashing', async () => {
    expect((await yamlPlaces('['.repeat(50_000))).map(([code]) => code)).toEqual(['config-syntax']);
  });

  test('a key that appears twice, at its second position', async () => {
    expect(await yamlPlaces('keys: a\nlog:\n  level: warn\n  level: info\n"keys": b\n')).toEqual([
      ['config-duplicate-key', 'log.level', 4, 3],
      ['config-duplicate-key', 'keys', 5, 1],
    ]);
  });

  test('the key __proto__, like any unknown key', async () => {
    expect(await yamlPlaces('sites:\n  __proto__: {}\n')).toEqual([
      ['config-unknown-key', 'sites.__proto__', 2, 3],
    ]);
  });
});

test('an error in an empty value is at its key', async () => {
  expect(await yamlPlaces('sites:\n  A.com:\nlog: {}\n')).toEqual([['config-value', 'sites["A.com"]', 2, 9]]);
});
