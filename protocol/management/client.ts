import { isObject, type JsonObject, type NoticeKind, noticeOf, objectsIn } from './message.ts';
import { type ManagementPlayer, readPlayer } from './players.ts';

/** What a server sent. */
export type Received =
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  /** `code`: of JSON-RPC; 0 if the server gave none. */
  | { readonly kind: 'error'; readonly id: number; readonly code: number }
  | { readonly kind: NoticeKind; readonly player: ManagementPlayer };

/** [MP-1] The header `Authorization` of the request that opens the WebSocket. */
export const authorizationOf = (secret: string): string => `Bearer ${secret}`;

/** [MP-2] */
export const encodeRequest = (id: number, method: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method });

/**
 * The messages of one text that mean something to a client, in their order. Others are left out: notices about other
 * things, answers without a number, and whatever is not JSON-RPC [MP-7]. Never throws.
 */
export const readReceived = (text: string): readonly Received[] =>
  (objectsIn(text) ?? []).flatMap((message) => readOne(message) ?? []);

function readOne(message: JsonObject): Received | null {
  const { id, method } = message;
  if (typeof method === 'string') return readNotice(method, message.params);
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) return null;
  const error = errorIn(message);
  if (error !== null) return { kind: 'error', id, code: error };
  return 'result' in message ? { kind: 'answer', id, result: message.result } : null;
}

/** [MP-3] Some builds put a whole error message into `result`. */
function errorIn({ error, result }: JsonObject): number | null {
  const inner = isObject(result) && result.jsonrpc !== undefined ? result.error : undefined;
  const found = isObject(error) ? error : inner;
  if (!isObject(found)) return null;
  return typeof found.code === 'number' ? found.code : 0;
}

/** [MP-5] */
function readNotice(method: string, params: unknown): Received | null {
  const kind = noticeOf(method);
  if (kind === null) return null;
  const player = readPlayer(Array.isArray(params) ? params[0] : isObject(params) ? params.player : null);
  return player === null ? null : { kind, player };
}
