import { describe, expect, it } from 'vitest';
import { type RefusalCode, refusals, refused } from '../../../protocol/votifier/refusals.ts';
import { decodeReply, encodeErrorReply } from '../../../protocol/votifier/wire.ts';
import { Seeded } from '../../support/seeded.ts';

const codes = Object.keys(refusals) as RefusalCode[];
const SILENT: readonly RefusalCode[] = [
  ...(['empty', 'incomplete', 'deadline', 'crowded', 'http', 'tls', 'ssh'] as const),
  ...(['proxy-header', 'proxy-missing', 'proxy-malformed', 'proxy-untrusted'] as const),
  ...(['v1-off', 'v1-bad-block', 'v1-not-a-vote', 'v1-fields'] as const),
];
const answered = codes.filter((code) => !SILENT.includes(code));

/** One line, one object, one small write [V2-14]. */
function expectOneSmallLine(reply: string | null): Record<string, unknown> {
  expect(reply).toMatch(/^[^\r\n]+\r\n$/);
  expect(Buffer.byteLength(reply ?? '')).toBeLessThanOrEqual(255);
  const fields = JSON.parse(reply ?? '') as Record<string, unknown>;
  expect(Object.keys(fields)).toEqual(['status', 'cause', 'error']);
  expect(fields.status).toBe('error');
  expect(fields.cause).toMatch(/^[A-Z][A-Za-z]+$/);
  return fields;
}

describe('the reply to a sender', () => {
  it.each(answered)('[V2-14] is one JSON line of at most 255 bytes: %s', (code) => {
    expectOneSmallLine(encodeErrorReply(refused(code)));
    expectOneSmallLine(encodeErrorReply(refused(code, '"\\\r\n\0'.repeat(4000))));
  });

  it.each(SILENT)('[V2-14] [V1-6] is empty if the bytes were not v2: %s', (code) => {
    expect(encodeErrorReply(refused(code, 'My Site'))).toBeNull();
  });

  it('[V2-15] has the full name of an unknown service if it fits', () => {
    for (const name of ['', 'x', "O'Brien", 'Größe 日本 🎮', 'a"b\\c', '</script>', 'x'.repeat(150)]) {
      const { error } = expectOneSmallLine(encodeErrorReply(refused('v2-unknown-service', name)));
      expect(error).toBe(`Unknown service '${name}'`);
    }
  });
});

describe('an unknown service with a hostile name', () => {
  const LETTERS = ['x', '"', '\\', '\0', '\n', '\r', '\u2028', 'é', '日', '🎮', '\ud800', '\udc00'];

  it.each(LETTERS)('[V2-14] [V2-15] that consists of any number of %j is shortened to fit', (letter) => {
    for (let length = 0; length <= 300; length++) {
      const name = letter.repeat(length);
      const { error } = expectOneSmallLine(encodeErrorReply(refused('v2-unknown-service', name)));
      expect(`Unknown service '${name}'`.startsWith(String(error).slice(0, -1))).toBe(true);
      expect(String(error).at(-1)).toBe("'");
    }
  });

  it('[V2-15] is shortened no more than necessary, and only between characters', () => {
    const reply = encodeErrorReply(refused('v2-unknown-service', '🎮'.repeat(1000)));
    const { error } = expectOneSmallLine(reply);
    expect(error).toMatch(/^Unknown service '(?:🎮)+'$/u);
    expect(Buffer.byteLength(reply ?? '')).toBeGreaterThan(255 - 4);
  });

  // The name is as long as the largest body. Shortening it one character at a time took a second.
  it('[V2-14] of 16,384 characters is shortened ten times within five seconds', () => {
    const random = new Seeded(16);
    const name = random.text(16_384, LETTERS.join(''));
    for (let i = 0; i < 10; i++) {
      expectOneSmallLine(encodeErrorReply(refused('v2-unknown-service', `${i}${name}`)));
    }
  }, 5000);
});

describe('decodeReply', () => {
  it.each(answered)('[V2-16] reads our own refusal: %s', (code) => {
    const reply = encodeErrorReply(refused(code, 'My Site')) ?? '';
    const { cause, error } = JSON.parse(reply) as { cause: string; error: string };
    expect(decodeReply(reply)).toStrictEqual({ kind: 'error', cause, message: error });
  });

  it.each(
    ['\r\n', '', '\n'].map((end) => `{"status":"ok"}${end}`).concat(' { "status" : "ok", "more": 1 } '),
  )('[V2-16] reads %j as ok', (text) => {
    expect(decodeReply(text)).toStrictEqual({ kind: 'ok' });
  });

  it('[V2-16] reads an error without cause or message', () => {
    for (const text of ['{"status":"error"}', '{"status":"error","cause":7,"error":null}'])
      expect(decodeReply(text)).toStrictEqual({ kind: 'error', cause: '', message: '' });
  });

  it.each([
    ...['', 'ok', '{}', '[]', 'null', '"ok"', 'HTTP/1.1 400'],
    ...['{"status":"OK"}', '{"status":1}', '{"status":"ok"'],
  ])('[V2-16] reports %j as unreadable', (text) => {
    expect(decodeReply(text)).toStrictEqual({ kind: 'unreadable' });
  });
});
