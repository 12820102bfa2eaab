import { type Refusal, refusalEntry } from './refusals.ts';

/** [V2-14] Clients read once, so a reply is one write of fewer bytes than this. */
const REPLY_MAX_BYTES = 255;

/** [V2-13] */
export const OK_REPLY = '{"status":"ok"}\r\n';

/** [V2-14] The reply to a v2 sender; null: the connection is closed without one. */
export function encodeErrorReply(refusal: Refusal): string | null {
  const { hears } = refusalEntry(refusal.code);
  if (hears === undefined) return null;
  const { cause, message } = hears;
  if (refusal.code !== 'v2-unknown-service') return render(cause, message);
  // [V2-15] The name as received, shortened until the whole reply fits. First it is cut to what could fit at all: trying
  // every length of a name of 16,384 characters took a second, and any sender can send one.
  const name = Array.from((refusal.service ?? '').slice(0, REPLY_MAX_BYTES));
  while (Buffer.byteLength(render(cause, unknownService(name))) > REPLY_MAX_BYTES) name.pop();
  return render(cause, unknownService(name));
}

const unknownService = (name: readonly string[]): string => `Unknown service '${name.join('')}'`;

const render = (cause: string, error: string): string =>
  `${JSON.stringify({ status: 'error', cause, error })}\r\n`;

export type Reply =
  | { readonly kind: 'ok' }
  | { readonly kind: 'error'; readonly cause: string; readonly message: string }
  | { readonly kind: 'unreadable' };

/** [V2-16] Reads a listener's reply, for senders: one JSON object, with or without a line end. */
export function decodeReply(text: string): Reply {
  const fields = parseObject(text);
  if (fields === null) return { kind: 'unreadable' };
  if (fields.status === 'ok') return { kind: 'ok' };
  if (fields.status !== 'error') return { kind: 'unreadable' };
  return {
    kind: 'error',
    cause: textOf(fields.cause),
    message: textOf(fields.error ?? fields.errorMessage),
  };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
