import { connectEnding } from '../sender/connection.ts';

interface Facts {
  /** What the system or the parser calls it, or how far the exchange had come; may be empty. */
  readonly detail: string;
}

/** Why an attempt has no HTTP status, each with its sentence for the log. */
export const reasons = {
  'address-not-allowed': ({ detail }) => `Nothing was sent: ${detail}.`,
  'host-unresolvable': ({ detail }) => `The host name cannot be resolved (${detail}).`,
  'port-refused': () => 'The connection was refused: nothing listens at this host and port.',
  unreachable: ({ detail }) => `The host cannot be reached (${detail}).`,
  'out-of-sockets': ({ detail }) => `The service has no socket left (${detail}).`,
  'tls-failed': ({ detail }) => `No secure connection came about (${detail}).`,
  'connection-lost': ({ detail }) => `The connection ended before the answer was complete (${detail}).`,
  'not-http': ({ detail }) => `What came back is not a proper HTTP answer (${detail}).`,
  timeout: ({ detail }) => `No complete answer came within 10 seconds: ${detail}.`,
  'not-recorded': () => 'Nothing was sent: the service could not write to its database.',
  'cut-off': () => 'The service ended before an answer came; the event may have arrived.',
} as const satisfies Record<string, (facts: Facts) => string>;

export type Reason = keyof typeof reasons;

export const reasonSentence = (reason: Reason, detail = ''): string => reasons[reason]({ detail });

/** How far an exchange had come when it failed. */
export type Phase = 'connecting' | 'securing' | 'waiting' | 'answering';

const LATE: Readonly<Record<Phase, string>> = {
  connecting: 'the connection did not come about',
  securing: 'the TLS handshake did not end',
  waiting: 'the answer did not begin',
  answering: 'the answer began and did not end',
};

export const lateSentence = (phase: Phase): string => reasonSentence('timeout', LATE[phase]);

/** What went wrong, and whether it was the service's own want of sockets: that says nothing of the receiver. */
export interface Failure {
  readonly sentence: string;
  readonly isOurFault: boolean;
}

export function failureOf(error: unknown, phase: Phase): Failure {
  if (OWN_WANT.has(faultCode(error))) return failure('out-of-sockets', faultCode(error));
  if (phase === 'connecting') return connectFailure(error);
  if (phase === 'securing') return failure('tls-failed', faultCode(error));
  if (isNotHttp(error)) return failure('not-http', error.message);
  return failure('connection-lost', faultCode(error));
}

const failure = (reason: Reason, detail = ''): Failure => ({
  sentence: reasonSentence(reason, detail),
  isOurFault: reason === 'out-of-sockets',
});

const OWN_WANT: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

const isNotHttp = (error: unknown): error is Error =>
  error instanceof Error && faultCode(error).startsWith('HPE_');

function connectFailure(error: unknown): Failure {
  const { code, detail } = connectEnding(error);
  const known: Reason = code in reasons ? (code as Reason) : 'unreachable';
  return failure(known, detail);
}

const faultCode = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown fault';
};
