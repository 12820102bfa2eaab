import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodePacket, RconReader } from '../../../protocol/rcon.ts';

interface Vector {
  readonly name: string;
  readonly clause: string;
  readonly why: string;
  readonly bytes: string;
  readonly expected: {
    readonly packets: readonly { id: number; type: number; body: string }[];
    readonly refused: string | null;
    readonly midPacket: boolean;
  };
  readonly madeBy: string;
}

const file = new URL('../../../protocol/vectors/rcon.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly Vector[] };

/** Reads these pieces; the result has the form of a vector's `expected`. */
function read(pieces: readonly Buffer[]): Vector['expected'] {
  const reader = new RconReader();
  const packets: { id: number; type: number; body: string }[] = [];
  let refused: string | null = null;
  for (const piece of pieces) {
    const result = reader.push(piece);
    packets.push(...result.packets.map(({ id, type, body }) => ({ id, type, body: body.toString('utf8') })));
    refused = result.state.kind === 'refused' ? result.state.code : null;
  }
  return { packets, refused, midPacket: reader.midPacket };
}

describe.each(vectors)('$clause $name: $why', ({ bytes, expected, madeBy }) => {
  const whole = Buffer.from(bytes, 'hex');

  it('reads as expected in one piece, in single bytes, and split in two anywhere', () => {
    expect(read([whole])).toEqual(expected);
    expect(read(Array.from(whole, (byte) => Buffer.from([byte])))).toEqual(expected);
    for (let cut = 0; cut <= whole.length; cut++) {
      expect(read([whole.subarray(0, cut), whole.subarray(cut)])).toEqual(expected);
    }
  });

  it('was made by something other than our encoder', () => {
    expect(madeBy).toMatch(/^(?:written by hand|a one-off Python script)/);
  });
});

const wellFormed = vectors.filter(({ expected }) => expected.refused === null && !expected.midPacket);

it.each(wellFormed)('our encoder writes exactly the bytes of $name', ({ bytes, expected }) => {
  expect(Buffer.concat(expected.packets.map(encodePacket)).toString('hex')).toBe(bytes);
});
