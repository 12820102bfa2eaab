import { describe, expect, test } from 'vitest';
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
