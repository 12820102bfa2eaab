import { describe, expect, test } from 'vitest';
import { readJson, readJsonBytes } from '../../src/core/json.ts';

describe('reading JSON', () => {
  test('gives the value, null included', () => {
    expect([readJson('{"a":[1]}'), readJson('null'), readJsonBytes(Buffer.from('"ä"'))]).toEqual([
      { a: [1] },
      null,
      'ä',
    ]);
  });

  test.each(['', '{', 'nothing', '{"a":1}}'])('gives undefined for %j', (text) => {
    expect([readJson(text), readJsonBytes(Buffer.from(text))]).toEqual([undefined, undefined]);
  });

  test('gives undefined for bytes that are not UTF-8', () => {
    expect(readJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
  });
});
