import { describe, expect, test } from 'vitest';
import { withEntry } from '../../src/config/edit.ts';
import { changedLines, maskSecrets } from '../../src/config/shown-change.ts';

const added = (text: string) => withEntry(text, ['sites'], 'B.com', {});

describe('an entry is added', () => {
  test.each<[string, string, string]>([
    [
      'after the last one, in its indentation',
      '{\n\t"//": "mine",\n\t"sites": {\n\t\t"//": "x",\n\t\t"A.com": {   }\n\t},\n\t"keys":  "k"\n}\n',
      '{\n\t"//": "mine",\n\t"sites": {\n\t\t"//": "x",\n\t\t"A.com": {   },\n\t\t"B.com": {}\n\t},\n\t"keys":  "k"\n}\n',
    ],
    [
      'on the same line where they stand on one',
      '{ "sites": { "default": { "cooldown": "24h" } }, "keys": "k" }',
      '{ "sites": { "default": { "cooldown": "24h" }, "B.com": {} }, "keys": "k" }',
    ],
    ['to an empty object', '{\n  "sites": {}\n}', '{\n  "sites": { "B.com": {} }\n}'],
    [
      'with the line ends of the file',
      '{"sites": {\r\n  "a": {}\r\n}}',
      '{"sites": {\r\n  "a": {},\r\n  "B.com": {}\r\n}}',
    ],
    ['behind a BOM', '\uFEFF{"sites": {"a": {}}}', '\uFEFF{"sites": {"a": {}, "B.com": {}}}'],
  ])('%s', (_, before, after) => {
    expect(added(before)).toBe(after);
  });

  test('on a line of its own where one line would be too long, and each of the others stays as it is', () => {
    const entry = `"A.com": { "token":  "file:${'x'.repeat(90)}" }`;
    expect(added(`{\n  "sites": { "//": "y", ${entry} },\n  "keys": "k"\n}\n`)).toBe(
      `{\n  "sites": {\n    "//": "y",\n    ${entry},\n    "B.com": {}\n  },\n  "keys": "k"\n}\n`,
    );
  });

  test('to a config without the section', () => {
    expect(JSON.parse(added('{ "keys": "k" }'))).toEqual({ keys: 'k', sites: { 'B.com': {} } });
  });

  test('as JSON that every terminal shows, whatever its name', () => {
    const name = 'a"\u202E\u0000';
    const text = withEntry('{"sites": {"x": {}}}', ['sites'], name, {});
    expect(Object.keys(JSON.parse(text).sites)).toEqual(['x', name]);
    expect(text).not.toContain('\u202E');
  });
});

test('only the lines that differ are shown, each with its mark', () => {
  expect(changedLines('a\nb\nc\n', 'a\nb,\nB\nc\n')).toEqual(['- b', '+ b,', '+ B']);
  expect(changedLines('a\n', 'a\n')).toEqual([]);
});

test('secrets are masked, and where they are kept is not', () => {
  const text =
    '{"sites": {"a": {"token": "hunter2", "api": {"token": "file:t"}, "webhook": {"secret": "s3"}}}, "gameServers": {"m": {"password": "env:P"}, "n": {"password": 7}}}';
  expect(maskSecrets(text)).toBe(
    '{"sites": {"a": {"token": "(secret)", "api": {"token": "file:t"}, "webhook": {"secret": "(secret)"}}}, "gameServers": {"m": {"password": "env:P"}, "n": {"password": "(secret)"}}}',
  );
});
