import { describe, expect, it } from 'vitest';
import { readProxyHeader } from '../../../protocol/proxy-header.ts';
import { decodeV1Text } from '../../../protocol/votifier/v1.ts';
import { claimedTime, decodeGreeting, decodeReply } from '../../../protocol/votifier/wire.ts';
import { mutated, Seeded } from '../../support/seeded.ts';
import { proxyFile, timestampsFile } from '../../support/vectors.ts';

describe('any input to the smaller codecs', () => {
  it('[P-4] 60,000 mutated PROXY headers give the same result in one read and in many', () => {
    const random = new Seeded(61);
    const proxies = proxyFile.vectors
      .map(({ bytes }) => Buffer.from(bytes, 'hex'))
      .filter(({ length }) => length < 400);
    for (let i = 0; i < 60_000; i++) {
      const bytes = mutated(random, random.pick(proxies), proxies);
      const whole = readProxyHeader(bytes);
      const part = readProxyHeader(bytes.subarray(0, random.below(bytes.length + 1)));
      if (part.kind !== 'need-more') expect(part, bytes.toString('hex')).toStrictEqual(whole);
      if (whole.kind === 'need-more') expect(bytes.length).toBeLessThan(2048);
      if (whole.kind === 'header') expect(whole.bytes).toBeLessThanOrEqual(bytes.length);
    }
  });

  it('[G-4] [V2-16] 20,000 random greetings and replies are read or refused', () => {
    const random = new Seeded(21);
    for (let i = 0; i < 20_000; i++) {
      const text =
        random.pick(['', 'VOTIFIER ', 'VOTIFIER 2 ']) + random.text(random.below(40), '2V \r\nab\0é');
      expect(['v2', 'v1-only', 'need-more', 'not-votifier']).toContain(decodeGreeting(text).kind);
      const reply =
        random.text(random.below(30), '{}":,[]0') +
        random.pick(['', '{"status":"ok"}', '{"status":"error"}']);
      expect(['ok', 'error', 'unreadable']).toContain(decodeReply(reply).kind);
    }
  });

  it('[T-1] [T-2] 50,000 random timestamps give a whole millisecond from 2000 to 2099, or nothing', () => {
    const random = new Seeded(50);
    for (let i = 0; i < 50_000; i++) {
      const base = Buffer.from(random.pick(timestampsFile.vectors).text);
      const text = random.chance(0.5)
        ? mutated(random, base, [base]).toString('latin1')
        : random.text(random.below(30), '0123456789.:-TZ+ ');
      const at = claimedTime(text)?.at ?? 946_684_800_000;
      if (!Number.isInteger(at) || at < 946_684_800_000 || at >= 4_102_444_800_000) expect.fail(text);
    }
  });

  it('[V1-3] 20,000 random texts give votes with five fields or are refused', () => {
    const random = new Seeded(51);
    const codes = new Set<string>();
    for (let i = 0; i < 20_000; i++) {
      const judged = decodeV1Text(
        random.pick(['', 'VOTE', 'VOTE\n', 'VOTE\na\n']) + random.text(random.below(20), '\n\n\r\0aVOTE🎮'),
      );
      codes.add(judged.kind === 'refused' ? judged.code : judged.kind);
    }
    expect([...codes].sort()).toEqual(['v1-bad-block', 'v1-fields', 'v1-not-a-vote', 'vote']);
  });
});
