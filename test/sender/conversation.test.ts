import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Conversation } from '../../src/sender/conversation.ts';
import { V1Conversation } from '../../src/sender/v1-conversation.ts';
import { V2Conversation } from '../../src/sender/v2-conversation.ts';

const VOTE = { serviceName: 'List', username: 'Steve', address: '0.0.0.0', timestamp: '1780315200000' };

/** Plays the pieces and then the close; returns what was written and the result. */
function play(conversation: Conversation, pieces: readonly Buffer[]) {
  let written = 0;
  for (const piece of pieces) {
    const step = conversation.push(piece);
    if (step.kind === 'end') return { written, code: step.ending.code };
    if (step.kind === 'write') written += step.bytes.length;
  }
  return { written, code: conversation.closed().code };
}

/** Each string is a separate burst, because a listener answers only what it has received. */
const bursts = (...texts: readonly string[]): readonly Buffer[] => texts.map((text) => Buffer.from(text));

const splits = (burst: Buffer): readonly (readonly Buffer[])[] =>
  Array.from(burst.keys(), (at) => [burst.subarray(0, at), burst.subarray(at)]);

test.each([
  ['accepted', bursts('VOTIFIER 2 c0ffee\r\n', '{"status":"ok"}\r\n')],
  [
    'wrong-token',
    bursts('VOTIFIER 2 c\n', '{"status":"error","error":"Signature is not valid (invalid token?)"}\r\n'),
  ],
  ['unreadable-reply', bursts('VOTIFIER 2 c\n', '{"status":"ü"}\r\n')],
  ['closed-without-answer', bursts('VOTIFIER 2 c\n', '\r\n\r\n')],
  ['v1-only', bursts('VOTIFIER 1.9\n')],
  ['closed-without-greeting', bursts('VOTIFIER 2 c')],
  ['not-votifier', bursts('SSH-2.0-OpenSSH_9.6\r\n')],
])('version 2 ends with %s, wherever the bytes are split', (code, [greeting, reply = Buffer.alloc(0)]) => {
  const whole = play(new V2Conversation(VOTE, 's3cret'), [greeting as Buffer, reply]);
  expect(whole.code).toBe(code);
  for (const pieces of splits(greeting as Buffer)) {
    expect(play(new V2Conversation(VOTE, 's3cret'), [...pieces, reply])).toEqual(whole);
  }
  for (const pieces of splits(reply)) {
    expect(play(new V2Conversation(VOTE, 's3cret'), [greeting as Buffer, ...pieces])).toEqual(whole);
  }
});

test('version 1 writes its block once, wherever the bytes are split', () => {
  const talk = Buffer.from('VOTIFIER 1.9\r\n and then whatever');
  for (const pieces of splits(talk)) {
    expect(play(new V1Conversation(Buffer.alloc(256)), pieces)).toEqual({ written: 256, code: 'sent' });
  }
});

test('random bytes end a conversation and never throw, whenever they arrive', () => {
  for (let round = 0; round < 500; round++) {
    const noise = randomBytes(round * 10);
    const talk = round % 2 === 0 ? [noise] : [Buffer.from('VOTIFIER 2 c0ffee\n'), noise];
    expect(play(new V2Conversation(VOTE, 's3cret'), talk).code).not.toBe('accepted');
    expect(play(new V1Conversation(Buffer.alloc(256)), talk).code).not.toBe('accepted');
  }
});
