import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/notify/webhook/post.ts';
import { failureText, postFailures, resultOf } from '../../src/notify/webhook/post-result.ts';
import { failureOf, type Phase } from '../../src/notify/webhook/reasons.ts';

const answered = (status: number): Answer => ({
  ...{ kind: 'answered', status, retryAfter: null, response: '' },
});

test.each([
  [200, 'arrived'],
  [204, 'arrived'],
  [101, 'receiver-failed'],
  [301, 'redirected'],
  [400, 'message-refused'],
  [401, 'not-let-in'],
  [403, 'not-let-in'],
  [404, 'url-not-found'],
  [408, 'ask-later'],
  [410, 'url-not-found'],
  [415, 'message-refused'],
  [425, 'ask-later'],
  [429, 'ask-later'],
  [500, 'receiver-failed'],
  [503, 'receiver-failed'],
])('HTTP %i is %s', (status, code) => {
  const result = resultOf(answered(status));
  expect(result.kind === 'arrived' ? 'arrived' : result.code).toBe(code);
});

describe('without an answer', () => {
  const failed = (code: string, phase: Phase): Answer => ({
    kind: 'failed',
    ...failureOf(Object.assign(new Error('x'), { code }), phase),
  });

  test.each([
    ['ECONNREFUSED', 'connecting', 'port-refused'],
    ['ENOTFOUND', 'connecting', 'host-unresolvable'],
    ['EHOSTUNREACH', 'connecting', 'unreachable'],
    ['CERT_HAS_EXPIRED', 'securing', 'tls-failed'],
    ['ECONNRESET', 'waiting', 'connection-lost'],
    ['HPE_INVALID_CONSTANT', 'waiting', 'not-http'],
    ['EMFILE', 'connecting', 'out-of-sockets'],
  ] as const)('%s while %s is %s', (fault, phase, code) => {
    expect(resultOf(failed(fault, phase))).toMatchObject({ kind: 'failed', code, status: null });
  });

  test('a time limit names what was not done in time, and a stop is cut-off', () => {
    const timeout = { code: 'timeout', facts: { phase: 'waiting' } } as const;
    expect(resultOf({ kind: 'failed', reason: timeout, isOurFault: false })).toMatchObject({
      ...{ code: 'timeout', detail: 'waiting' },
    });
    expect(resultOf({ kind: 'cut-off' })).toMatchObject({ code: 'cut-off' });
  });
});

test('a reason is followed by the status or by what the fault is called', () => {
  const { means } = postFailures['url-not-found'];
  expect(failureText({ code: 'url-not-found', status: 404, detail: null })).toBe(`${means} (HTTP 404)`);
  expect(failureText({ code: 'tls-failed', status: null, detail: 'CERT_HAS_EXPIRED' })).toMatch(
    /\(CERT_HAS_EXPIRED\)$/,
  );
});

test('what to do names the receiver’s place in the config', () => {
  expect(postFailures['url-not-found'].toDo('alarms')).toMatch(/`alarms\.url`/);
  expect(postFailures['not-let-in'].toDo('events[2]')).toMatch(
    /`events\[2\]\.url` and `events\[2\]\.secret`/,
  );
});
