import { expect, test } from 'vitest';
import { gameServerKinds, kindOf, secretKeysOf } from '../../src/delivery/kinds.ts';
import { sentenceOf } from '../../src/delivery/reasons.ts';

test.each(gameServerKinds)('the secret keys of $name are in its schema', (kind) => {
  expect(secretKeysOf(kind).filter((key) => !(key in kind.schema))).toEqual([]);
});

test.each(gameServerKinds)('the path keys of $name are in its schema', ({ pathKeys = [], schema }) => {
  expect(pathKeys.filter((key) => !(key in schema))).toEqual([]);
});

test.each(gameServerKinds)('codes that only $name has begin with its name', ({ name, reasons = {} }) => {
  const codes = Object.values(reasons).flatMap((sentences) => Object.keys(sentences));
  expect(codes.filter((code) => !code.startsWith(`${name}.`))).toEqual([]);
});

test('each kind is found by its name, which no other kind has', () => {
  expect(gameServerKinds.map(({ name }) => kindOf({ kind: name }))).toEqual(gameServerKinds);
});

test('a code of a kind that this version does not have is shown as it is', () => {
  expect(sentenceOf('morse.line-cut')).toBe('morse.line-cut');
});
