/** The facts in a sentence. */
export interface SendFacts {
  /** The listener as a person writes it, `host:port`. */
  readonly where: string;
  /** The other side's message, what it looks like, or the operating system's name of the error; may be empty. */
  readonly detail: string;
}

interface Success {
  readonly kind: 'accepted' | 'sent';
  sentence(facts: SendFacts): string;
}

/** Detail of a v1 vote to a listener whose greeting offers version 2. */
export const TAKES_TOKENS = 'takes tokens';

/** The endings that are not failures. Version 1 can never say more than `sent` [V1-6]. */
export const successes = {
  accepted: {
    kind: 'accepted',
    sentence: ({ where }) => `Accepted: ${where} answered ok.`,
  },
  sent: {
    kind: 'sent',
    sentence: ({ where, detail }) =>
      detail === TAKES_TOKENS
        ? `Sent to ${where} (protocol version 1 cannot confirm that it arrived). This listener also accepts tokens, and confirms votes that are sent with one (version 2).`
        : `Sent to ${where} (protocol version 1 cannot confirm that it arrived).`,
  },
  'sent-ungreeted': {
    kind: 'sent',
    sentence: ({ where }) =>
      `Sent to ${where}, which sent no greeting: it may not be a Votifier (and protocol version 1 cannot confirm that the vote arrived).`,
  },
} as const satisfies Record<string, Success>;

interface Failure {
  /**
   * `no`: the vote does not count there, because it was never written or because the listener said so.
   * `unknown`: it was written but no usable answer came, so it may count.
   */
  readonly reached: 'no' | 'unknown';
  sentence(facts: SendFacts): string;
}

/** Every way in which sending can fail, in the order in which they can happen. */
export const failures = {
  'line-break': {
    reached: 'no',
    sentence: () =>
      'A field of the vote contains a line break, which would start the next field. The vote was not sent.',
  },
  'key-unusable': {
    reached: 'no',
    sentence: () =>
      'The public key is not an RSA key of 2048 bits, the only kind that protocol version 1 allows.',
  },
  'vote-too-long': {
    reached: 'no',
    sentence: ({ detail }) =>
      `The fields of the vote are too long together: ${detail}. The vote was not sent.`,
  },
  'host-unresolvable': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `The host name of ${where} cannot be resolved (${detail}): check its spelling and its DNS record.`,
  },
  'address-not-allowed': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} is not an address that votes may be sent to: ${detail}.`,
  },
  'port-refused': {
    reached: 'no',
    sentence: ({ where }) =>
      `Nothing listens at ${where} (connection refused): is the listener running, and is this its port?`,
  },
  unreachable: {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} cannot be reached (${detail}): check the address and firewalls.`,
  },
  'connection-reset': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} reset the connection at once: is this the listener’s port, and does it allow this address?`,
  },
  'out-of-sockets': {
    reached: 'no',
    sentence: ({ detail }) => `This machine has no free sockets (${detail}): send fewer votes at once.`,
  },
  'connect-timeout': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} did not accept the connection in time: check the address, and whether a firewall drops packets.`,
  },
  'closed-without-greeting': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} closed the connection without a Votifier greeting: is this the listener’s port, and does it allow this address?`,
  },
  'no-greeting': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} sent no Votifier greeting in time: is this the listener’s port, and not the game’s?`,
  },
  'not-votifier': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} is not a Votifier listener: it looks like ${detail}.`,
  },
  'v1-only': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} supports only protocol version 1 (its greeting says version ${detail}), which does not use tokens: use its public key.`,
  },
  'version-unknown': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `The greeting of ${where} says protocol version ${detail}, but this sender supports versions 1 and 2: use --public-key if the listener still accepts version 1, or update Teller.`,
  },
  'closed-before-vote': {
    reached: 'no',
    sentence: ({ where }) => `${where} closed the connection before the vote could be written.`,
  },
  'wrong-token': {
    reached: 'no',
    sentence: ({ where, detail }) => `The token is not the one that ${where} expects. It answered: ${detail}`,
  },
  'unknown-service': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} has no token for this service name. It answered: ${detail}`,
  },
  'challenge-refused': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} did not accept its own challenge: something in between may be changing it. It answered: ${detail}`,
  },
  'name-too-long': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} takes no player name of this length. It answered: ${detail}`,
  },
  'error-reply': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} refused the vote. It answered: ${detail}`,
  },
  'unreadable-reply': {
    reached: 'unknown',
    sentence: ({ where, detail }) =>
      `The answer of ${where} is not a Votifier reply (${detail}): the vote may or may not have been recorded.`,
  },
  'closed-without-answer': {
    reached: 'unknown',
    sentence: ({ where }) =>
      `${where} closed the connection without an answer: the vote may or may not have been recorded. Some listeners do this if the token is wrong: compare the token, and check the listener’s log.`,
  },
  'no-answer': {
    reached: 'unknown',
    sentence: ({ where }) => `${where} did not answer in time: the vote may or may not have been recorded.`,
  },
} as const satisfies Record<string, Failure>;

export type SuccessCode = keyof typeof successes;
export type FailureCode = keyof typeof failures;

/** How sending ended, before it becomes a sentence. */
export interface Ending {
  readonly code: SuccessCode | FailureCode;
  readonly detail?: string;
  readonly over?: Over;
}

/** What ended an exchange that the conversation itself did not end. */
export type Over = 'closed' | 'reset' | 'time-limit' | 'stopped';

export type SendResult = SendFacts & {
  /** For a person: what happened and what to check. */
  readonly sentence: string;
  /** Absent if the conversation was complete, or never began. */
  readonly over?: Over;
} & (
    | { readonly kind: 'accepted'; readonly code: 'accepted' }
    | { readonly kind: 'sent'; readonly code: 'sent' | 'sent-ungreeted' }
    | { readonly kind: 'failed'; readonly code: FailureCode; readonly reached: Failure['reached'] }
  );

export function resultOf({ code, detail = '', over }: Ending, where: string): SendResult {
  const sentence = sendSentence(code, { where, detail });
  const worded = { where, detail, sentence, ...(over === undefined ? {} : { over }) };
  if (code === 'accepted') return { kind: code, code, ...worded };
  if (code === 'sent' || code === 'sent-ungreeted') return { kind: 'sent', code, ...worded };
  return { kind: 'failed', code, reached: failures[code].reached, ...worded };
}

export const sendSentence = (code: Ending['code'], facts: SendFacts): string =>
  ({ ...successes, ...failures })[code].sentence(facts);
