import { describe, expect, it } from 'vitest';
import { bodyText, encodePacket, judgeRequest, RconReader } from '../../../protocol/rcon.ts';

describe('a request [RCON-6]', () => {
  it('of 1,446 bytes is the longest, and fills one read of 1,460', () => {
    expect(judgeRequest('x'.repeat(1_446))).toBe(null);
    expect(encodePacket({ id: 1, type: 2, body: 'x'.repeat(1_446) })).toHaveLength(1_460);
    expect(judgeRequest('x'.repeat(1_447))).toBe('command-too-long');
  });

  it('is measured in bytes, not characters', () => {
    expect(judgeRequest('ä'.repeat(723))).toBe(null);
    expect(judgeRequest('ä'.repeat(724))).toBe('command-too-long');
  });

  it.each(['say a\nop evil', 'say a\rop evil', 'say a\0b'])('cannot be more than one line: %j', (command) => {
    expect(judgeRequest(command)).toBe('command-not-one-line');
  });
});

describe('a reply', () => {
  it('is decoded only after its pieces are joined, so a split inside a character is harmless [RCON-5]', () => {
    const apple = Buffer.from('🍎', 'utf8');
    expect(bodyText([apple.subarray(0, 2), apple.subarray(2)])).toBe('🍎');
  });

  it('may be 1 MiB long and come in small chunks [RCON-3]', () => {
    const bytes = encodePacket({ id: 1, type: 0, body: Buffer.alloc(1_048_566, 'x') });
    const reader = new RconReader();
    const bodies: number[] = [];
    for (let at = 0; at < bytes.length; at += 1_000) {
      const { packets } = reader.push(bytes.subarray(at, at + 1_000));
      bodies.push(...packets.map(({ body }) => body.length));
    }
    expect(bodies).toEqual([1_048_566]);
  });
});
