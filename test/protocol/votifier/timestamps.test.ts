import { describe, expect, it } from 'vitest';
import { claimedTime } from '../../../protocol/votifier/wire.ts';
import { Seeded } from '../../support/seeded.ts';
import { timestampsFile, titled } from '../../support/vectors.ts';

describe('claimedTime', () => {
  it.each(titled(timestampsFile.vectors))('%s', (_, { text, expected }) => {
    expect(claimedTime(text)).toStrictEqual(expected);
  });

  it('[T-1] is exact to the millisecond, despite binary fractions', () => {
    const wrong: string[] = [];
    for (const second of [946_684_800, 1_073_741_824, 1_780_315_200, 2_147_483_648, 4_102_444_799]) {
      for (let ms = 0; ms < 1000; ms++) {
        const text = `${second}.${String(ms).padStart(3, '0')}`;
        if (claimedTime(text)?.at !== second * 1000 + ms) wrong.push(text);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('[T-4] reports a time as whole seconds exactly if its milliseconds are 000', () => {
    const random = new Seeded(4);
    for (let i = 0; i < 5000; i++) {
      const at = 946_684_800_000 + random.below(3_155_760_000_000);
      const rounded = random.chance(0.5) ? at - (at % 1000) : at;
      expect(claimedTime(String(rounded))).toStrictEqual({
        at: rounded,
        precision: rounded % 1000 === 0 ? 's' : 'ms',
      });
    }
  });

  it('[T-2] reads the same instant from seconds and from milliseconds', () => {
    const random = new Seeded(2);
    for (let i = 0; i < 5000; i++) {
      const second = 946_684_800 + random.below(3_155_760_000);
      expect(claimedTime(String(second))).toStrictEqual(claimedTime(`${second}000`));
    }
  });
});
