import { expect, test } from 'vitest';
import { gameServerKinds, kindOf } from '../../src/delivery/kinds.ts';

test.each(gameServerKinds)('the secret of $name is one of its own keys', ({ secretKey, schema }) => {
  expect(secretKey === null || secretKey in schema).toBe(true);
});

test.each(gameServerKinds)('the own codes of $name begin with its name', ({ name, reasons = {} }) => {
  const codes = Object.values(reasons).flatMap((sentences) => Object.keys(sentences));
  expect(codes.filter((code) => !code.startsWith(`${name}.`))).toEqual([]);
});

test('each kind is found by its name, which no other one has', () => {
  expect(gameServerKinds.map(({ name }) => kindOf({ kind: name }))).toEqual(gameServerKinds);
});
