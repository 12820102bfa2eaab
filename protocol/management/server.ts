import { METHOD_UNKNOWN, type NoticeKind, type NoticeNaming, noticeMethod, objectsIn } from './message.ts';
import type { ManagementPlayer } from './players.ts';

/** A request as a server reads it. */
export interface Request {
  readonly id: number;
  readonly method: string;
}

/** The requests of one text [MP-2]. Whatever else is in it is left out. Never throws. */
export const readRequests = (text: string): readonly Request[] =>
  (objectsIn(text) ?? []).flatMap(({ id, method }) =>
    typeof id === 'number' && Number.isSafeInteger(id) && typeof method === 'string' ? [{ id, method }] : [],
  );

/** [MP-4] */
export const encodePlayers = (id: number, players: readonly ManagementPlayer[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: players.map(playerObject) });

/** [MP-3] */
export const encodeMethodUnknown = (id: number, method: string): string =>
  JSON.stringify({
    ...{ jsonrpc: '2.0', id },
    error: { code: METHOD_UNKNOWN, message: 'Method not found', data: `Method not found: ${method}` },
  });

/** [MP-5] */
export const encodeNotice = (kind: NoticeKind, player: ManagementPlayer, naming: NoticeNaming): string =>
  JSON.stringify({ jsonrpc: '2.0', method: noticeMethod(kind, naming), params: [playerObject(player)] });

const playerObject = ({ name, uuid }: ManagementPlayer) => (uuid === null ? { name } : { id: uuid, name });
