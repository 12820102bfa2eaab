/** Facts that a sentence is made of. */
export interface SendFacts {
  /** The listener as a person writes it, `host:port`. */
  readonly where: string;
  /** What the other side said, what it looks like, or what the system calls the fault; may be empty. */
  readonly detail: string;
}

interface Success {
  readonly kind: 'accepted' | 'sent';
  sentence(facts: SendFacts): string;
}

/** Detail of a v1 vote to a listener whose greeting offers version 2. */
export const TAKES_TOKENS = 'takes tokens';

/** How a sending that did not fail ends. `sent` is all that version 1 can ever say [V1-6]. */
export const successes = {
  accepted: {
    kind: 'accepted',
    sentence: ({ where }) => `Accepted: ${where} answered ok.`,
  },
  sent: {
    kind: 'sent',
    sentence: ({ where, detail }) =>
      detail === TAKES_TOKENS
        ? `Sent to ${where} (protocol version 1 cannot confirm that it arrived). This listener also takes tokens: with --token it answers whether the vote counts.`
        : `Sent to ${where} (protocol version 1 cannot confirm that it arrived).`,
  },
  'sent-ungreeted': {
    kind: 'sent',
    sentence: ({ where }) =>
      `Sent to ${where}, which never greeted: nothing shows that a Votifier listens there (and protocol version 1 cannot confirm).`,
  },
} as const satisfies Record<string, Success>;

interface Failure {
  /**
   * `no`: the vote certainly does not count there, because it was never written or because the listener said so.
   * `unknown`: it was written and no usable answer came, so it may count.
   */
  readonly reached: 'no' | 'unknown';
  sentence(facts: SendFacts): string;
}

/** Every way in which a sending fails, in the order in which they can happen. */
export const failures = {
  'line-break': {
    reached: 'no',
    sentence: () => 'A field of the vote holds a line break, which would read as the next field: not sent.',
  },
  'key-unusable': {
    reached: 'no',
    sentence: () =>
      'The public key is not an RSA key of 2048 bits, the only kind that protocol version 1 knows.',
  },
  'vote-too-long': {
    reached: 'no',
    sentence: ({ detail }) => `The fields of the vote are too long together: ${detail}. Not sent.`,
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
      `Nothing listens at ${where}, the connection was refused: is the listener running, and is this its port?`,
  },
  unreachable: {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} cannot be reached (${detail}): check the address and firewalls.`,
  },
  'connection-reset': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} reset the connection at once, so something is there and turns it away: is this the listener’s port, and does it allow this address?`,
  },
  'out-of-sockets': {
    reached: 'no',
    sentence: ({ detail }) => `This machine has no socket left (${detail}): send fewer votes at once.`,
  },
  'connect-timeout': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} did not answer the connection in time: a wrong address or a firewall that drops packets looks like this.`,
  },
  'closed-without-greeting': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} closed the connection without a Votifier greeting: is this the listener’s port, and does it allow this address?`,
  },
  'no-greeting': {
    reached: 'no',
    sentence: ({ where }) =>
      `${where} sent no Votifier greeting in time: is this the listener’s port and not the game’s own?`,
  },
  'not-votifier': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} is not a Votifier: it speaks like ${detail}.`,
  },
  'v1-only': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} knows only protocol version 1 (it greets as version ${detail}), which takes no token: use its public key.`,
  },
  'version-unknown': {
    reached: 'no',
    sentence: ({ where, detail }) =>
      `${where} greets as protocol version ${detail}, and this sender knows versions 1 and 2: use --public-key if the listener still takes version 1, or update Teller.`,
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
      `${where} did not take back its own challenge: something between may be changing it. It answered: ${detail}`,
  },
  'error-reply': {
    reached: 'no',
    sentence: ({ where, detail }) => `${where} refused the vote. It answered: ${detail}`,
  },
  'unreadable-reply': {
    reached: 'unknown',
    sentence: ({ where, detail }) =>
      `${where} answered something that is no Votifier reply (${detail}): the vote may or may not have been counted.`,
  },
  'closed-without-answer': {
    reached: 'unknown',
    sentence: ({ where }) =>
      `${where} closed the connection without an answer: the vote may or may not have been counted. Some listeners do this where the token is wrong: compare the token, and look into the listener’s log.`,
  },
  'no-answer': {
    reached: 'unknown',
    sentence: ({ where }) => `${where} did not answer in time: the vote may or may not have been counted.`,
  },
} as const satisfies Record<string, Failure>;

export type SuccessCode = keyof typeof successes;
export type FailureCode = keyof typeof failures;

/** How a sending ended, before it is put in words. */
export interface Ending {
  readonly code: SuccessCode | FailureCode;
  readonly detail?: string;
}

export type SendResult = SendFacts & {
  /** For a person: what happened and what to look at. */
  readonly sentence: string;
} & (
    | { readonly kind: 'accepted'; readonly code: 'accepted' }
    | { readonly kind: 'sent'; readonly code: 'sent' | 'sent-ungreeted' }
    | { readonly kind: 'failed'; readonly code: FailureCode; readonly reached: Failure['reached'] }
  );

export function resultOf({ code, detail = '' }: Ending, where: string): SendResult {
  const worded = { where, detail, sentence: sendSentence(code, { where, detail }) };
  if (code === 'accepted') return { kind: code, code, ...worded };
  if (code === 'sent' || code === 'sent-ungreeted') return { kind: 'sent', code, ...worded };
  return { kind: 'failed', code, reached: failures[code].reached, ...worded };
}

export const sendSentence = (code: Ending['code'], facts: SendFacts): string =>
  ({ ...successes, ...failures })[code].sentence(facts);
