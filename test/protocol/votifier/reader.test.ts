import { describe, expect, it } from 'vitest';
import { V2_BODY_MAX_BYTES } from '../../../protocol/votifier/v2.ts';
import { receive, v1File, v2File, type WireVector } from '../../support/vectors.ts';

const named = (vectors: readonly WireVector[], name: string): Buffer => {
  const vector = vectors.find((one) => one.name === name);
  if (vector === undefined) throw new Error(`no vector is named "${name}"`);
  return Buffer.from(vector.bytes, 'hex');
};

const frame = named(v2File.vectors, 'plain frame');
const block = named(v1File.vectors, 'plain block');

describe('VotifierReader', () => {
  it('[R-5] keeps its first decision, whatever bytes follow', () => {
    for (const first of [frame, block, Buffer.from('733affff7b', 'hex')]) {
      const { reader, result } = receive([first]);
      expect(result.kind).not.toBe('need-more');
      expect(reader.push(frame)).toBe(result);
      expect(reader.push(block)).toBe(result);
      expect(reader.end()).toBe(result);
    }
  });

  it('[G-3] reads a whole block even if the sender has closed without reading the greeting', () => {
    const { reader } = receive([block]);
    expect(reader.end()).toStrictEqual({ kind: 'v1-block', block });
  });

  it('[R-4] refuses bytes after the end with the same code as the end', () => {
    const { reader } = receive([frame.subarray(0, 20)]);
    expect(reader.end()).toStrictEqual({ kind: 'refused', code: 'incomplete' });
    expect(reader.push(frame.subarray(20))).toStrictEqual({ kind: 'refused', code: 'incomplete' });
  });
});

describe('the number of bytes that VotifierReader waits for', () => {
  const decidesAfter = (start: string, filler: string): [number, unknown] => {
    const { reader, result } = receive([Buffer.from(start, 'latin1')]);
    let last = result;
    let bytes = start.length;
    for (; last.kind === 'need-more' && bytes < 100_000; bytes++) last = reader.push(Buffer.from(filler));
    return [bytes, 'code' in last ? last.code : last.kind];
  };

  it('[V2-9] an unfinished frame that announces 4,096 is refused at body byte 16,385', () => {
    expect(V2_BODY_MAX_BYTES).toBe(4096);
    expect(decidesAfter('s:\x10\x00{"payload":"', 'x')).toEqual([4 + 16_385, 'v2-malformed']);
  });

  it('[V2-9] an unfinished frame that announces 29 is refused at body byte 117', () => {
    expect(decidesAfter('s:\x00\x1d{', '[')).toEqual([4 + 117, 'v2-malformed']);
  });

  it('[V2-12] an unfinished bare body is refused at byte 4,097', () => {
    expect(decidesAfter('{"payload":"', 'x')).toEqual([4097, 'v2-malformed']);
    expect(decidesAfter('{"signature"', ' ')).toEqual([4097, 'v2-malformed']);
  });

  it.each(['s', 's:', 's:\x00\x1c{', 's:\x10\x00x', '{', '{ x', '{"x', '\x00', 'GET '])(
    '[R-3] is 256, for a block, after any other beginning: %j',
    (start) => {
      expect(decidesAfter(start, 'x')).toEqual([256, 'v1-block']);
    },
  );

  it('[R-2] white space after the brace may have up to 64 characters', () => {
    expect(decidesAfter(`{${' '.repeat(64)}"payload"`, 'x')[0]).toBe(4097);
    expect(decidesAfter(`{${' '.repeat(65)}"payload"`, 'x')).toEqual([256, 'v1-block']);
  });
});
