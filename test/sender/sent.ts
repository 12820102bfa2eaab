/** What `teller send` says of a vote of Steve for `Liste fünf`. */
import { expect } from 'vitest';
import { typed } from '../kit/typed.ts';
import { FakeClock } from '../support/fake-clock.ts';

export interface Sent {
  readonly kind: 'accepted' | 'sent' | 'failed';
  readonly code: string;
  readonly reached: 'yes' | 'no' | 'unknown';
  readonly detail: string | null;
  readonly sentence: string;
}

const VOTE = ['--service', 'Liste fünf', '--address', '203.0.113.9', '--timestamp', '1780315200000'];
const BY_V2 = ['--token', 's3cret'];

/** Sends votes to this port, on a clock that the test moves. @param words more flags; `--public-key` sends by v1. */
export function sending(port: number, ...words: readonly string[]) {
  const clock = new FakeClock();
  const auth = words.includes('--public-key') ? [] : BY_V2;
  const to = words.includes('--host') ? [] : ['--host', '127.0.0.1'];
  const flags = [...to, '--port', String(port), ...auth, ...VOTE, ...words, '--json'];
  const all = typed(['send', ...flags], null, clock).then(({ json }) => json as readonly Sent[]);
  return { clock, all, sent: all.then(([first = expect.fail()]) => first) };
}

export const send = (port: number, ...words: readonly string[]): Promise<Sent> =>
  sending(port, ...words).sent;
