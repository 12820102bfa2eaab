import { readFileSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { editorOf, rewriteConfig } from '../../src/config/edit.ts';
import { tokenFileFor } from '../../src/config/token-file.ts';
import { temporaryFolder } from '../support/folder.ts';

const { textAt, withValue } = editorOf('config.json');

test('sets a value and keeps every other line as it is', () => {
  const text = '{\n\t"//": "mine",\n\t"listener": { "port": 1 },\n\t"sites": {}\n}\n';
  expect(withValue(text, ['listener', 'port'], 8193)).toBe(text.replace('1', '8193'));
});

test('adds a value with the indentation and line endings of the file', () => {
  const text = '\uFEFF{\r\n    "sites": {\r\n        "a": {}\r\n    }\r\n}\r\n';
  expect(withValue(text, ['sites', 'b', 'token'], 'x')).toBe(
    '\uFEFF{\r\n    "sites": {\r\n        "a": {},\r\n        "b": { "token": "x" }\r\n    }\r\n}\r\n',
  );
});

test('keeps comments and trailing commas, and sets a value beside them', () => {
  const text =
    '{\n  // the port that listings use\n  "listener": { "port": 1, /* old: 2 */ },\n  "sites": {\n    "a": {}, // mine\n  },\n}\n';
  expect(withValue(text, ['listener', 'port'], 8193)).toBe(text.replace('"port": 1', '"port": 8193'));
  expect(withValue(text, ['sites', 'b', 'token'], 'x')).toBe(
    text.replace('// mine\n', '// mine\n    "b": { "token": "x" },\n'),
  );
});

test('replaces an object on one line by another one, and puts it on a line of its own if that gets too long', () => {
  const text = '{\n  "sites": {}, // mine\n  "gameServers": { "a": {}, "b": { "kind": "x" } }\n}\n';
  expect(withValue(text, ['gameServers', 'b'], { kind: 'y' })).toBe(text.replace('"x"', '"y"'));
  const long = 'y'.repeat(80);
  expect(withValue(text, ['gameServers', 'b'], { kind: long })).toBe(
    text.replace('{ "a": {}, "b": { "kind": "x" } }', `{\n    "a": {},\n    "b": { "kind": "${long}" }\n  }`),
  );
});

test.each([
  ['config.json', '{ "sites": { "a": {}, /* b */ "b": {} } }', '{ "sites": { "a": {}, /* b */ "c d": {} } }'],
  ['config.yml', 'sites:\n  a: {}\n  b: {} # b\n', 'sites:\n  a: {}\n  "c d": {} # b\n'],
])('gives an entry of %s another key, in its place', (file, text, changed) => {
  const { withKey } = editorOf(file);
  expect(withKey(text, ['sites', 'b'], 'c d')).toBe(changed);
  expect(withKey(text, ['sites', 'x'], 'c d')).toBe(text);
});

test('adds a value to an empty config', () => {
  expect(JSON.parse(withValue('{}', ['sites', 'b.c', 'token'], 'x'))).toEqual({
    sites: { 'b.c': { token: 'x' } },
  });
});

test('finds a string by its key path, with and without a BOM', () => {
  expect(textAt('\uFEFF{"a":{"b.c":"x","d":1}}', ['a', 'b.c'])).toBe('x');
  expect(textAt('{"a":{"b.c":"x","d":1}}', ['a', 'd'])).toBeNull();
  expect(textAt('{}', ['a', 'd'])).toBeNull();
});

test('rewrites the target of a symbolic link and keeps its permissions', async () => {
  const folder = temporaryFolder({ 'real.json': '{}' });
  const link = path.join(folder, 'config.json');
  symlinkSync('real.json', link);
  await rewriteConfig(link, '{"keys":"k"}');
  expect(readFileSync(path.join(folder, 'real.json'), 'utf8')).toBe('{"keys":"k"}');
  expect(statSync(link).mode & 0o777).toBe(0o644);
});

test.each([
  ['default', /^data\/secrets\/default\.token$/],
  ['my-list.com', /^data\/secrets\/my-list\.com\.token$/],
  ['My-List.com', /^data\/secrets\/my-list\.com-[0-9a-f]{8}\.token$/],
  ['../../etc/passwd', /^data\/secrets\/etc-passwd-[0-9a-f]{8}\.token$/],
  ['..', /^data\/secrets\/[0-9a-f]{8}\.token$/],
  ['名', /^data\/secrets\/[0-9a-f]{8}\.token$/],
])('the token of %s gets its own file inside the secrets folder', (site, file) => {
  expect(tokenFileFor(site)).toMatch(file);
});
