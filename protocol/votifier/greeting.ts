/** Characters of a challenge: 26 of 5 bits each, 130 bits in all [G-2]. */
export const CHALLENGE_BYTES = 26;

const ALPHABET = '0123456789abcdefghijklmnopqrstuv';

/** [G-2] A challenge from `CHALLENGE_BYTES` random bytes; five bits of each are used. */
export function challengeFrom(random: Buffer): string {
  let challenge = '';
  for (const byte of random) challenge += ALPHABET[byte & 31];
  return challenge;
}

/** [G-1] One `\n`, no `\r`, three parts, at most 64 bytes. */
export const encodeGreeting = (challenge: string): string => `VOTIFIER 2 ${challenge}\n`;

export type Greeting =
  | { readonly kind: 'v2'; readonly challenge: string }
  /** A listener that supports version 1 only: `VOTIFIER 1.9` and similar. */
  | { readonly kind: 'v1-only'; readonly version: string }
  | { readonly kind: 'need-more' }
  | { readonly kind: 'not-votifier' };

const GREETING_MAX_CHARACTERS = 256;

/** [G-4] Reads a listener's first line, for senders; accepts `\r\n` and a fourth part. */
export function decodeGreeting(received: string): Greeting {
  const end = received.indexOf('\n');
  const line = (end < 0 ? received : received.slice(0, end)).trimEnd();
  if (!'VOTIFIER '.startsWith(line.slice(0, 9)) || received.length > GREETING_MAX_CHARACTERS) {
    return { kind: 'not-votifier' };
  }
  if (end < 0) return { kind: 'need-more' };
  const [word, version, challenge] = line.split(' ');
  if (word !== 'VOTIFIER' || version === undefined) return { kind: 'not-votifier' };
  if (version !== '2') return { kind: 'v1-only', version };
  return challenge ? { kind: 'v2', challenge } : { kind: 'not-votifier' };
}
