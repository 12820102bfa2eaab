import { describe, expect, it } from 'vitest';
import {
  decidedAt,
  judge,
  oneByOne,
  receive,
  splitAt,
  testPrivateKey,
  titled,
  v2File,
  type WireVector,
  wireVectors,
  written,
} from '../../support/vectors.ts';

const bytesOf = ({ bytes }: WireVector): Buffer => Buffer.from(bytes, 'hex');

const judged = (vector: WireVector) => {
  const given = { ...v2File.given, tokens: vector.tokens ?? v2File.given.tokens };
  return judge(receive([bytesOf(vector)]).result, given, testPrivateKey);
};

describe('every vector', () => {
  it.each(titled(wireVectors))('%s: gives the expected result', (_, vector) => {
    const { expected } = vector;
    if (expected.kind === 'vote') {
      expect(judged(vector)).toStrictEqual({ kind: 'vote', vote: expected.vote });
    } else if (expected.kind === 'refused') {
      const { code, service, firstLine } = expected;
      expect(judged(vector)).toStrictEqual({
        kind: 'refused',
        code,
        ...(service !== undefined && { service }),
        ...(firstLine !== undefined && { firstLine }),
      });
    } else {
      expect(judged(vector)).toStrictEqual({ kind: 'need-more' });
    }
  });

  const open = wireVectors.filter(({ expected }) => expected.kind === 'need-more');
  it.each(titled(open))('%s: is refused with its code when the sender closes', (_, vector) => {
    const { expected } = vector;
    const { reader } = receive([bytesOf(vector)]);
    expect(reader.end()).toStrictEqual({
      kind: 'refused',
      code: expected.kind === 'need-more' && expected.end,
    });
  });

  const named = wireVectors.filter(({ expected }) => 'junk' in expected);
  it.each(titled(named))('%s: is recognised, so that the log can name it', (_, vector) => {
    const { expected } = vector;
    expect(receive([bytesOf(vector)]).reader.junk()).toBe('junk' in expected && expected.junk);
  });

  const timed = wireVectors.filter(({ expected }) => 'at' in expected);
  it.each(titled(timed))('%s: is decided by exactly the stated byte', (_, vector) => {
    expect(decidedAt(bytesOf(vector))).toBe('at' in vector.expected && vector.expected.at);
  });
});

it.each(titled(wireVectors))('%s: is the same split in two anywhere, and one byte at a time', (_, vector) => {
  const bytes = bytesOf(vector);
  const inOne = receive([bytes]);
  const whole = written(inOne.result);
  for (let cut = 0; cut <= bytes.length; cut++)
    if (written(receive(splitAt(bytes, cut)).result) !== whole) expect.fail(`cut at ${cut}`);
  const inMany = receive(oneByOne(bytes));
  expect(written(inMany.result)).toBe(whole);
  expect(inMany.reader.end()).toStrictEqual(inOne.reader.end());
});
