import { expect, test } from 'vitest';
import { exactText, line, oneOf, parseEntered, readFields, someOf, ticked } from '../../src/web/fields.ts';
import { naming } from '../support/naming.ts';

const SHAPE = {
  host: line({ label: 'Host', most: 10 }),
  method: oneOf('Method', ['token', 'public-key']),
  scopes: someOf('Scopes', ['a', 'b'], 1),
  key: exactText({ label: 'Key', most: 20, least: 0 }),
  active: ticked,
};

const read = (body: string) => readFields(parseEntered(body), SHAPE);

test('converts what was entered to values of the right type', () => {
  expect(read('host=+mc.org+&method=token&scopes=b&scopes=a&key=a%0D%0Ab&active=on')).toEqual({
    kind: 'values',
    values: { host: 'mc.org', method: 'token', scopes: ['a', 'b'], key: 'a\r\nb', active: true },
  });
});

test('reports all errors at once, each with what to enter', () => {
  expect(read('')).toEqual({
    kind: 'faults',
    faults: {
      host: naming('Host'),
      method: naming('Method'),
      scopes: naming('Scopes', '1'),
    },
  });
});

test.each([
  ['a%0Ab', ''],
  ['a%00b', ''],
  ['+++', ''],
  ['a'.repeat(11), '10'],
])('refuses the host %s', (host, fact) => {
  expect(read(`host=${host}&method=token&scopes=a`)).toEqual({
    kind: 'faults',
    faults: { host: naming('Host', fact) },
  });
});

test('refuses a value that the form does not offer', () => {
  const result = read('host=a&method=none&scopes=a&scopes=stats%3Awrite');
  expect(result).toMatchObject({ kind: 'faults', faults: { scopes: naming('Scopes') } });
});

test('reads fields with any name', () => {
  const entered = parseEntered('__proto__=x&constructor=y&csrf=z&__proto__=w');
  expect(Object.entries(entered)).toEqual([
    ['__proto__', ['x', 'w']],
    ['constructor', ['y']],
    ['csrf', ['z']],
  ]);
  expect(entered.toString).toBeUndefined();
});

test('reads a field with many values in order, without copying all of them for each new one, which would take minutes', () => {
  expect(parseEntered('a=&'.repeat(500_000)).a).toHaveLength(500_000);
  expect(parseEntered('a=1&b=2&a=3').a).toEqual(['1', '3']);
});
