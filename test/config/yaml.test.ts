import { describe, expect, test } from 'vitest';
import { editorOf } from '../../src/config/edit.ts';
import { changedLines, maskSecrets } from '../../src/config/edit-steps.ts';
import { examineText } from '../../src/config/load.ts';
import { isYaml } from '../../src/config/yaml-parser.ts';
import { readYaml, yamlSource } from '../../src/config/yaml-source.ts';

const places = (text: string) =>
  readYaml(text).faults.map(({ code, path, line, column }) => [code, path, line, column]);

const examined = (text: string) => examineText(text, '/srv/teller/teller.yml', { env: {} });

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
    const { config, faults } = await examined(text);
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
  ])('is recognized by the ending of the file: %s', (file, expected) => {
    expect(isYaml(file)).toBe(expected);
  });

  test('reports errors of values at their line and column', async () => {
    const text =
      'log:\n  levle: info\n  level: 3\nrewards:\n  - name: a\n    commands:\n      - say {playr}\n';
    const found = (await examined(text)).faults.map(({ code, path, line, column }) => [
      code,
      path,
      line,
      column,
    ]);
    expect(found).toEqual([
      ['config-unknown-key', 'log.levle', 2, 3],
      ['config-value', 'log.level', 3, 10],
      ['config-template', 'rewards[0].commands[0]', 7, 9],
    ]);
  });
});

test('words that other versions read as true or as a number are strings, and keys are what was written', () => {
  const text = 'a: [no, on, yes, 1_000, 12:30, 2026-06-01]\nno: 1\n1.10: 2\n010: 3\nnull: 4\n<<: { x: 5 }\n';
  expect(readYaml(text).value).toEqual({
    a: ['no', 'on', 'yes', '1_000', '12:30', '2026-06-01'],
    no: 1,
    '1.10': 2,
    '010': 3,
    null: 4,
    '<<': { x: 5 },
  });
});

describe('refuses with line and column', () => {
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
  ])('%s', (_, text, line, column) => {
    expect(places(text)).toEqual([['config-syntax', '', line, column]]);
  });

  test('aliases that would expand to a billion values, at once', () => {
    const lists = [...'bcdefghi'].map((name, at) =>
      `${name}: &${name} [${'abcdefgh'[at]}`.replace(/\[(.)$/, '[*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1,*$1]'),
    );
    expect(places(`a: &a [x]\n${lists.join('\n')}\n`)).toEqual([['config-syntax', '', 1, 7]]);
  });

  test('thousands of open brackets, without crashing', () => {
    expect(places('['.repeat(50_000)).map(([code]) => code)).toEqual(['config-syntax']);
  });

  test('a key that appears twice, at its second position', () => {
    expect(places('keys: a\nlog:\n  level: warn\n  level: info\n"keys": b\n')).toEqual([
      ['config-duplicate-key', 'log.level', 4, 3],
      ['config-duplicate-key', 'keys', 5, 1],
    ]);
  });

  test('the key __proto__, like any unknown key', () => {
    expect(places('sites:\n  __proto__: {}\n')).toEqual([['config-unknown-key', 'sites.__proto__', 2, 3]]);
  });
});

test('an empty value is none, and an error in it is at its key', () => {
  const source = yamlSource(readYaml('sites:\n  A.com:\nlog: {}\n'));
  expect(source.value).toEqual({ sites: { 'A.com': null }, log: {} });
  const fault = { code: 'config-value', path: ['sites', 'A.com', 'label'], sentence: '' } as const;
  expect(source.locate(fault)).toMatchObject({ line: 2, path: 'sites["A.com"].label' });
});

describe('an edit', () => {
  const { withEntry, withValue, textAt } = editorOf('teller.yml');
  const added = (text: string) => withEntry(text, ['sites'], 'B.com', {});

  test.each<[string, string, string]>([
    [
      'adds an entry below the comment of the last one',
      '# mine\nsites:\n    default:\n        token: "t"   # v2\n    # A.com: {}\n\nkeys: k # here\n',
      '# mine\nsites:\n    default:\n        token: "t"   # v2\n    B.com: {}\n    # A.com: {}\n\nkeys: k # here\n',
    ],
    [
      'adds one at the end of a file without a line break',
      'sites:\n  a: {}',
      'sites:\n  a: {}\n  B.com: {}\n',
    ],
    [
      'adds one with the line breaks of the file',
      'sites:\r\n  a: {}\r\n',
      'sites:\r\n  a: {}\r\n  B.com: {}\r\n',
    ],
    [
      'adds one after a text of many lines',
      'sites:\n  a:\n    "//": |\n      one\n\n      two\nkeys: k\n',
      'sites:\n  a:\n    "//": |\n      one\n\n      two\n  B.com: {}\nkeys: k\n',
    ],
    ['adds one inside braces', 'sites: { a: {} } # all\n', 'sites: { a: {}, B.com: {} } # all\n'],
    ['adds one to empty braces', 'sites: {}\n', 'sites: { B.com: {} }\n'],
    ['adds the section', '# mine\nkeys: k\n', '# mine\nkeys: k\nsites: { "B.com": {} }\n'],
  ])('%s', (_, before, after) => {
    expect(added(before)).toBe(after);
  });

  test('puts a name in quotes that YAML would read as something else', () => {
    const names = ['no', '1.10', '', 'a: b', '\u202E'];
    const text = names.reduce((so, name) => withEntry(so, ['sites'], name, {}), 'sites:\n  a: {}\n');
    const { sites } = readYaml(text).value as { sites: object };
    expect(Object.keys(sites)).toEqual(['a', ...names]);
    expect(text).not.toContain('\u202E');
  });

  test('sets a value and leaves the rest of the line', () => {
    const text =
      'listener:\n  port: 1 # mine\n  protocols:\n    - v1\n    - v2\nsites:\n  a:\n    token: old # why\n';
    expect(withValue(text, ['listener', 'port'], 8193)).toBe(text.replace('port: 1', 'port: 8193'));
    expect(withValue(text, ['sites', 'a', 'token'], 'file:t')).toBe(text.replace('old', '"file:t"'));
    expect(withValue(text, ['sites', 'b', 'token'], 'x')).toBe(`${text}  b: { "token": "x" }\n`);
    const listed = withValue(text, ['listener', 'protocols'], ['v2']);
    expect(readYaml(listed).value).toMatchObject({
      listener: { port: 1, protocols: ['v2'] },
      sites: { a: { token: 'old' } },
    });
    expect(listed).toContain('# mine');
  });

  test('finds a string by its path', () => {
    expect(textAt('a:\n  b.c: x\n  d: 1\n', ['a', 'b.c'])).toBe('x');
    expect(textAt('a:\n  d: 1\n', ['a', 'd'])).toBeNull();
    expect(textAt('a: {}\n', ['b', 'd'])).toBeNull();
  });

  test('is shown with secrets masked, but not references to them', () => {
    const text =
      'sites:\n  a: { token: hunter2 } # mine\n  b:\n    token: file:t\n    api: { token: "s3" }\n';
    expect(maskSecrets(text, 'teller.yml')).toBe(
      text.replace('hunter2', '"(secret)"').replace('"s3"', '"(secret)"'),
    );
    expect(changedLines(text, added(text))).toEqual(['+   B.com: {}']);
  });
});
