import { expect, it } from 'vitest';
import { encodePacket } from '../../../protocol/rcon/packet.ts';
import { RconReader, rconRefusals } from '../../../protocol/rcon/reader.ts';

const SEED = 20_260_601;
const INPUTS = 120_000;

/** Numbers from 0 up to `below`, the same ones in every run. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Roll = (below: number) => number;

const randomBytes = (roll: Roll, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => roll(256)));

/** Packets as they should be, with a few bytes changed, cut off or put in. */
function mutated(roll: Roll): Buffer {
  const bodies = Array.from({ length: 1 + roll(3) }, () => randomBytes(roll, roll(40)));
  const bytes = Buffer.concat(bodies.map((body) => encodePacket({ id: roll(1_000), type: roll(4), body })));
  for (let changes = roll(4); changes > 0; changes--) bytes[roll(bytes.length)] = roll(256);
  const cut = roll(bytes.length + 1);
  return roll(3) === 0
    ? Buffer.concat([bytes.subarray(0, cut), randomBytes(roll, roll(8)), bytes.subarray(cut)])
    : bytes;
}

/** Everything a reader gives for bytes in random pieces, as one comparable text. */
function readInPieces(bytes: Buffer, roll: Roll): string {
  const reader = new RconReader();
  const seen: string[] = [];
  let state = 'need-more';
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + roll(20));
    const result = reader.push(bytes.subarray(at, end));
    seen.push(...result.packets.map(({ id, type, body }) => `${id} ${type} ${body.toString('hex')}`));
    state = result.state.kind === 'refused' ? result.state.code : 'need-more';
    at = end;
  }
  return [...seen, state].join('|');
}

it('random and mutated bytes are read or refused, the same however they are cut, and never throw', () => {
  const roll = seeded(SEED);
  const ends = new Map<string, number>();
  for (let n = 0; n < INPUTS; n++) {
    const bytes = n % 3 === 0 ? randomBytes(roll, roll(60)) : mutated(roll);
    const read = readInPieces(bytes, roll);
    if (read !== readInPieces(bytes, () => bytes.length))
      expect.fail(`cut matters for ${bytes.toString('hex')}`);
    const end = read.split('|').at(-1) as string;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  // Each end was reached, so the fuzz has been everywhere.
  expect([...ends.keys()].sort()).toEqual([...Object.keys(rconRefusals), 'need-more'].sort());
});
