import { describe, expect, test } from 'vitest';
import { examined } from './examined.ts';

const places = async (text: string) =>
  (await examined(text)).faults.map(({ code, path, line, column }) => [code, path, line, column]);

describe('a text that is not JSON is refused with line and column', () => {
  test.each([
    ['nothing at all', '', 1, 1],
    ['a trailing comma', '{\n  "keys": "a",\n}', 3, 1],
    ['a comma in a list', '{"rewards": [\n1,]}', 2, 3],
    ['a comment', '{\r\n  // hello\r\n}', 2, 3],
    ['a missing comma', '{"keys": "a"\n "ledger": "b"}', 2, 2],
    ['a missing colon', '{"keys" "a"}', 1, 9],
    ['an open brace', '{"listener": {"port": 1}', 1, 25],
    ['an open string', '{"keys": "a}\n', 1, 10],
    ['single quotes', "{'keys': 1}", 1, 2],
    ['a backslash in a path', '{"keys": "C:\\keys"}', 1, 10],
    ['something after the end', '{}\n{}', 2, 1],
  ])('%s', async (_, text, line, column) => {
    expect((await places(text))[0]).toEqual(['config-syntax', '', line, column]);
  });

  test('thousands of open brackets, without a crash', async () => {
    expect(await places('['.repeat(200_000))).toEqual([['config-syntax', '', 1, 1]]);
  });

  test('once a line, however often the parser stumbles', async () => {
    const lines = (await places('{"a": nope nope nope,\n "b": also}')).map(([, , line]) => line);
    expect(lines).toEqual([1, 2]);
  });
});

describe('what is written instead of JSON is named', () => {
  const first = async (text: string) => (await examined(text)).faults[0]?.sentence ?? '';

  test.each<[string, string, RegExp]>([
    ['YAML', 'listener:\n  port: 8192\n', /YAML/],
    ['YAML after a comment', '# my config\n---\nkeys: data/keys\n', /YAML/],
    ['a YAML list', '- a\n- b\n', /YAML/],
    ['TOML', '[listener]\nport = 8192\n', /TOML/],
    ['TOML without a table', 'port = 8192\n', /TOML/],
    ['curly quotes around a key', '{“keys”: "a"}', /curly|typographic/],
    ['curly quotes around a value', '{"keys": “a”}', /curly|typographic/],
    ['a curly quote at the end of a text', '{"keys": "a”}', /curly|typographic/],
    ['low and high quotes', '{„keys“: "a"}', /curly|typographic/],
    ['single quotes around a key', "{'keys': 1}", /single quote/],
    ['single quotes around a value', '{"keys": \'a b\'}', /single quote/],
    ['curly single quotes', '{‘keys’: 1}', /single quote/],
    ['a shell comment', '{\n# port\n"keys": "a"}', /"\/\/"/],
    ['a word without quotes', '{"keys": data}', /quotes/],
  ])('%s', async (_, text, sentence) => {
    expect(await first(text)).toMatch(sentence);
  });

  test('another format once, and not every line of it', async () => {
    expect(await places('listener:\n  port: 8192\nkeys: "a"\n')).toEqual([['config-syntax', '', 1, 1]]);
  });

  test('not in a text, where quotes of every kind belong', async () => {
    expect((await examined('{"//": "it’s “mine”"}')).faults).toEqual([]);
    expect(await first('{"//": "it’s “mine”" "keys": "a"}')).toMatch(/comma/);
  });
});

test('a key that is there twice is reported where it is the second time', async () => {
  expect(await places('{\n  "keys": "a",\n  "listener": {"port": 1, "port": 2},\n  "keys": "b"\n}')).toEqual([
    ['config-duplicate-key', 'listener.port', 3, 27],
    ['config-duplicate-key', 'keys', 4, 3],
  ]);
});

test('duplicate keys are found inside of lists and commands too', async () => {
  const text = '{"rewards":[{"name":"a","commands":[["say",{"x":1,"x":2}]]}]}';
  expect(await places(text)).toEqual([['config-duplicate-key', 'rewards[0].commands[0][1].x', 1, 51]]);
});

test('a comment that is not a text is refused', async () => {
  expect(await places('{"//": ["a"]}')).toEqual([['config-value', '["//"]', 1, 8]]);
});

test('a key that would change the object itself is refused like any other', async () => {
  expect(await places('{"sites": {"__proto__": {}}}')).toEqual([
    ['config-unknown-key', 'sites.__proto__', 1, 12],
  ]);
});

test('an unknown key is reported at the key, a value at the value, what is missing at what lacks it', async () => {
  const text = '{\n "log": {"levle": "info", "level": 3},\n "gameServers": {"a": {"kind": "rcon"}}\n}';
  expect(await places(text)).toEqual([
    ['config-unknown-key', 'log.levle', 2, 10],
    ['config-value', 'log.level', 2, 36],
    ['config-value', 'gameServers.a.password', 3, 23],
  ]);
});
