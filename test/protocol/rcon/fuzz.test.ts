import { expect, it } from 'vitest';
import { encodePacket, RconReader } from '../../../protocol/rcon.ts';
import { Seeded } from '../../support/seeded.ts';

const SEED = 20_260_601;
const INPUTS = 120_000;

/** Valid packets with a few bytes changed or inserted. */
function mutated(random: Seeded): Buffer {
  const bodies = Array.from({ length: 1 + random.below(3) }, () => random.bytes(random.below(40)));
  const bytes = Buffer.concat(
    bodies.map((body) => encodePacket({ id: random.below(1_000), type: random.below(4), body })),
  );
  for (let changes = random.below(4); changes > 0; changes--)
    bytes[random.below(bytes.length)] = random.below(256);
  const cut = random.below(bytes.length + 1);
  return random.below(3) === 0
    ? Buffer.concat([bytes.subarray(0, cut), random.bytes(random.below(8)), bytes.subarray(cut)])
    : bytes;
}

/** All results of a reader that gets the bytes in pieces, as one string to compare. */
function readInPieces(bytes: Buffer, size: () => number): string {
  const reader = new RconReader();
  const seen: string[] = [];
  let state = 'need-more';
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + size());
    const result = reader.push(bytes.subarray(at, end));
    seen.push(...result.packets.map(({ id, type, body }) => `${id} ${type} ${body.toString('hex')}`));
    state = result.state.kind === 'refused' ? result.state.code : 'need-more';
    at = end;
  }
  return [...seen, state].join('|');
}

it('random and mutated bytes are read or refused, never throw, and give the same result however they are split', () => {
  const random = new Seeded(SEED);
  const ends = new Map<string, number>();
  for (let n = 0; n < INPUTS; n++) {
    const bytes = n % 3 === 0 ? random.bytes(random.below(60)) : mutated(random);
    const read = readInPieces(bytes, () => 1 + random.below(20));
    if (read !== readInPieces(bytes, () => bytes.length))
      expect.fail(`cut matters for ${bytes.toString('hex')}`);
    const end = read.split('|').at(-1) as string;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // Every possible end was reached.
  expect([...ends.keys()].sort()).toEqual([
    'length-too-large',
    'length-too-small',
    'need-more',
    'not-terminated',
  ]);
});
