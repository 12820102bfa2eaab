import type { Answer } from './post.ts';
import type { DetailedCode, PlainCode } from './reasons.ts';

interface Failure {
  readonly means: string;
  /** @param at the receiver's place in the config, such as `alarms`. */
  readonly toDo: (at: string) => string;
  /** The HTTP statuses that it stands for; absent: there was no complete answer. */
  readonly status?: string;
}

/** Why a message to one of the operator's receivers did not arrive, or may not have. Scripts rely on the codes. */
export const postFailures = {
  'url-not-found': {
    status: '404, 410',
    means: 'the receiver does not know this URL; its webhook was probably deleted',
    toDo: (at) => `create a webhook in the channel, and put its URL into \`${at}.url\``,
  },
  'not-let-in': {
    status: '401, 403',
    means: 'the receiver rejected the signature or the token in the URL',
    toDo: (at) => `compare \`${at}.url\` and \`${at}.secret\` with what the receiver expects`,
  },
  'message-refused': {
    status: 'other 4xx',
    means: 'the receiver refused the message',
    toDo: (at) => `check \`${at}.format\`: a chat channel needs "chat", your own program "json"`,
  },
  'ask-later': {
    status: '408, 425, 429',
    means: 'the receiver asked to be tried again later',
    toDo: () => 'Teller tries again',
  },
  redirected: {
    status: '3xx',
    means: 'the receiver answered with a redirect, which Teller does not follow',
    toDo: (at) => `put the final address into \`${at}.url\``,
  },
  'receiver-failed': {
    status: '5xx',
    means: 'the receiver failed',
    toDo: () => 'Teller tries again; look at the receiver’s log',
  },
  'port-refused': {
    means: 'nothing listens at the host and port of the URL',
    toDo: (at) => `check that the receiver runs, and \`${at}.url\``,
  },
  'host-unresolvable': {
    means: 'the host name of the URL cannot be resolved',
    toDo: (at) => `check \`${at}.url\`, and this machine’s DNS`,
  },
  unreachable: {
    means: 'the host of the URL cannot be reached',
    toDo: () => 'check this machine’s network and firewall',
  },
  'tls-failed': {
    means: 'the TLS handshake failed',
    toDo: () => 'check that the receiver’s certificate is valid for the host of the URL',
  },
  timeout: { means: 'no complete answer came within 10 seconds', toDo: () => 'Teller tries again' },
  'connection-lost': {
    means: 'the connection ended before the answer was complete',
    toDo: () => 'Teller tries again',
  },
  'not-http': { means: 'the answer is not HTTP', toDo: (at) => `check the port in \`${at}.url\`` },
  'out-of-sockets': {
    means: 'this machine has no socket left',
    toDo: () => 'raise the open-file limit (ulimit -n)',
  },
  'cut-off': {
    means: 'Teller was stopped before an answer came',
    toDo: () => 'the message is sent again at the next start',
  },
} as const satisfies Record<string, Failure>;

export type PostFailure = keyof typeof postFailures;

export const isPostFailure = (code: unknown): code is PostFailure =>
  typeof code === 'string' && Object.hasOwn(postFailures, code);

export type PostResult =
  | { readonly kind: 'arrived'; readonly status: number; readonly response: string }
  | {
      readonly kind: 'failed';
      readonly code: PostFailure;
      /** null: no complete answer came. */
      readonly status: number | null;
      /** What the operating system or the parser calls the fault; null if there is no more to say. */
      readonly detail: string | null;
      readonly response: string;
      /** The header `Retry-After`. */
      readonly retryAfter: string | null;
    };

export function resultOf(answer: Answer): PostResult {
  if (answer.kind === 'answered') return byStatus(answer);
  const nothing = { kind: 'failed', status: null, response: '', retryAfter: null } as const;
  if (answer.kind === 'cut-off') return { ...nothing, code: 'cut-off', detail: null };
  const { reason } = answer;
  if (reason.code === 'timeout') return { ...nothing, code: 'timeout', detail: reason.facts.phase };
  const { detail = null } = (reason.facts ?? {}) as { readonly detail?: string };
  return { ...nothing, code: failureOf(reason.code), detail };
}

/** Nothing else can happen here: every address is allowed, and nothing is recorded before the post. */
const failureOf = (code: PlainCode | DetailedCode): PostFailure =>
  isPostFailure(code) ? code : 'unreachable';

function byStatus({ status, response, retryAfter }: Extract<Answer, { kind: 'answered' }>): PostResult {
  if (status >= 200 && status < 300) return { kind: 'arrived', status, response };
  return { kind: 'failed', code: codeOf(status), status, detail: null, response, retryAfter };
}

const OWN_CODES: Readonly<Record<number, PostFailure>> = {
  401: 'not-let-in',
  403: 'not-let-in',
  404: 'url-not-found',
  408: 'ask-later',
  410: 'url-not-found',
  425: 'ask-later',
  429: 'ask-later',
};

function codeOf(status: number): PostFailure {
  const own = OWN_CODES[status];
  if (own !== undefined) return own;
  if (status >= 400 && status < 500) return 'message-refused';
  return status >= 300 && status < 400 ? 'redirected' : 'receiver-failed';
}

/** Why it failed, in a clause; the status or the fault's own name is added. */
export function failureText({
  code,
  status,
  detail,
}: Pick<PostFailed, 'code' | 'status' | 'detail'>): string {
  const facts = [status === null ? [] : [`HTTP ${status}`], detail === null ? [] : [detail]].flat();
  return `${postFailures[code].means}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

export type PostFailed = Extract<PostResult, { kind: 'failed' }>;
