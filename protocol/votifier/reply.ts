import { type Refusal, refusalEntry } from './refusals.ts';

/** [V2-14] Clients do one read, so a reply is one write below this many bytes. */
const REPLY_MAX_BYTES = 255;

/** [V2-13] */
export const OK_REPLY = '{"status":"ok"}\r\n';

/** [V2-14] What a v2 sender hears; null for refusals that are answered by closing only. */
export function encodeErrorReply(refusal: Refusal): string | null {
  const { hears } = refusalEntry(refusal.code);
  if (hears === undefined) return null;
  const { cause, message } = hears;
  if (refusal.code !== 'v2-unknown-service') return render(cause, message);
  // [V2-15] The name as received, shortened until the whole reply fits. What cannot fit is cut off at once:
  // trying all lengths of a name of 16,384 characters took a second, which any sender could have asked for.
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

/** [V2-16] A listener's reply, for the sending side: one JSON object, with or without its line end. */
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
