import { describe, expect, test } from 'vitest';
import { editorOf } from '../../src/config/edit.ts';
import { changedLines, maskSecrets } from '../../src/config/edit-steps.ts';

const { withEntry } = editorOf('config.json');
const added = (text: string) => withEntry(text, ['sites'], 'B.com', {});

describe('adds an entry', () => {
  test.each<[string, string, string]>([
    [
      'after the last one, with its indentation',
      '{\n\t"//": "mine",\n\t"sites": {\n\t\t"//": "x",\n\t\t"A.com": {   }\n\t},\n\t"keys":  "k"\n}\n',
      '{\n\t"//": "mine",\n\t"sites": {\n\t\t"//": "x",\n\t\t"A.com": {   },\n\t\t"B.com": {}\n\t},\n\t"keys":  "k"\n}\n',
    ],
    [
      'on the same line if all entries are on one line',
      '{ "sites": { "default": { "cooldown": "24h" } }, "keys": "k" }',
      '{ "sites": { "default": { "cooldown": "24h" }, "B.com": {} }, "keys": "k" }',
    ],
    ['to an empty object', '{\n  "sites": {}\n}', '{\n  "sites": { "B.com": {} }\n}'],
    [
      'with the line endings of the file',
      '{"sites": {\r\n  "a": {}\r\n}}',
      '{"sites": {\r\n  "a": {},\r\n  "B.com": {}\r\n}}',
    ],
    ['after a BOM', '\uFEFF{"sites": {"a": {}}}', '\uFEFF{"sites": {"a": {}, "B.com": {}}}'],
  ])('%s', (_, before, after) => {
    expect(added(before)).toBe(after);
  });

  test.each<[string, string, string]>([
    [
      'below the comment of the last entry',
      '{\n  "sites": {\n    "A.com": {} // mine\n    // "C.com": {}\n  }\n}\n',
      '{\n  "sites": {\n    "A.com": {}, // mine\n    "B.com": {}\n    // "C.com": {}\n  }\n}\n',
    ],
    [
      'and keeps the comma after the last entry last',
      '{\n  "sites": {\n    "A.com": {}, // mine\n  },\n}\n',
      '{\n  "sites": {\n    "A.com": {}, // mine\n    "B.com": {},\n  },\n}\n',
    ],
    [
      'after a comma on the next line',
      '{"sites": {\n  "A.com": {} // mine\n  , // odd\n}}',
      '{"sites": {\n  "A.com": {} // mine\n  , // odd\n  "B.com": {},\n}}',
    ],
    [
      'on one line with a comment and a comma',
      '{"sites": { "A.com": {} /* mine */, }}',
      '{"sites": { "A.com": {} /* mine */, "B.com": {}, }}',
    ],
    [
      'behind the comment in one line',
      '{"sites": { "A.com": {} /* mine */ }}',
      '{"sites": { "A.com": {} /* mine */, "B.com": {} }}',
    ],
    [
      'on the line after a comment that ends with its line',
      '{\n  "sites": { "A.com": {} // mine\n  }\n}',
      '{\n  "sites": { "A.com": {}, // mine\n    "B.com": {}\n  }\n}',
    ],
    [
      'to an object that has only a comment',
      '{\n  "sites": {\n    // none yet\n  }\n}',
      '{\n  "sites": {\n    // none yet\n    "B.com": {}\n  }\n}',
    ],
    [
      'to an object that has only a comment on its line',
      '{ "sites": { /* none yet */ } }',
      '{ "sites": { /* none yet */ "B.com": {} } }',
    ],
  ])('%s', (_, before, after) => {
    expect(added(before)).toBe(after);
  });

  test('to a long line that has a comment, without moving it', () => {
    const entry = `"A.com": { "token":  "file:${'x'.repeat(90)}" } /* mine */`;
    expect(added(`{"sites": { ${entry} }}`)).toBe(`{"sites": { ${entry}, "B.com": {} }}`);
  });

  test('on its own line if the line would get too long, without changing the other entries', () => {
    const entry = `"A.com": { "token":  "file:${'x'.repeat(90)}" }`;
    expect(added(`{\n  "sites": { "//": "y", ${entry} },\n  "keys": "k"\n}\n`)).toBe(
      `{\n  "sites": {\n    "//": "y",\n    ${entry},\n    "B.com": {}\n  },\n  "keys": "k"\n}\n`,
    );
  });

  test('to a config without the section', () => {
    expect(JSON.parse(added('{ "keys": "k" }'))).toEqual({ keys: 'k', sites: { 'B.com': {} } });
  });

  test('as printable JSON, whatever characters its name has', () => {
    const name = 'a"\u202E\u0000';
    const text = withEntry('{"sites": {"x": {}}}', ['sites'], name, {});
    expect(Object.keys(JSON.parse(text).sites)).toEqual(['x', name]);
    expect(text).not.toContain('\u202E');
  });
});

test('shows only the lines that differ, each marked as removed or added', () => {
  expect(changedLines('a\nb\nc\n', 'a\nb,\nB\nc\n')).toEqual(['- b', '+ b,', '+ B']);
  expect(changedLines('a\n', 'a\n')).toEqual([]);
});

test('masks secrets but not references to them', () => {
  const text =
    '{"sites": {"a": {"token": "hunter2", "api": {"token": "file:t"}, "webhook": {"secret": "s3"}}}, "gameServers": {"m": {"password": "env:P"}, "n": {"password": 7}}}';
  expect(maskSecrets(text, 'config.json')).toBe(
    '{"sites": {"a": {"token": "(secret)", "api": {"token": "file:t"}, "webhook": {"secret": "(secret)"}}}, "gameServers": {"m": {"password": "env:P"}, "n": {"password": "(secret)"}}}',
  );
});
