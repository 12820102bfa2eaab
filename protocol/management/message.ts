/** [MP-6] The longest message in either direction, in bytes. A list of 5,000 players has about 350,000. */
export const MESSAGE_MAX_BYTES = 1_048_576;
/** [MP-6] The most messages that one array holds. */
export const BATCH_MAX = 1_000;
/** [MP-3] JSON-RPC's code for a method that the server does not have. */
export const METHOD_UNKNOWN = -32_601;
/** [MP-4] */
export const LIST_METHOD = 'minecraft:players';

export type NoticeKind = 'joined' | 'left';

/** Which of the two names of a notice a server uses: older builds say `notification:…`, newer ones `minecraft:notification/…`. */
export type NoticeNaming = 'old' | 'new';

/** [MP-5] */
const NOTICES: Readonly<Record<NoticeNaming, Readonly<Record<NoticeKind, string>>>> = {
  new: {
    joined: 'minecraft:notification/players/joined',
    left: 'minecraft:notification/players/left',
  },
  old: { joined: 'notification:players/joined', left: 'notification:players/left' },
};

export const noticeMethod = (kind: NoticeKind, naming: NoticeNaming): string => NOTICES[naming][kind];

/** The notice that a method is, under either name; null: it is another one. */
export function noticeOf(method: string): NoticeKind | null {
  for (const { joined, left } of Object.values(NOTICES)) {
    if (method === joined) return 'joined';
    if (method === left) return 'left';
  }
  return null;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** [MP-6] The messages of a text: one object, or an array of them; null if it is not that. Never throws. */
export function objectsIn(text: string): readonly JsonObject[] | null {
  if (Buffer.byteLength(text) > MESSAGE_MAX_BYTES) return null;
  const read = parsed(text);
  const all = Array.isArray(read) ? read : [read];
  return all.length <= BATCH_MAX && all.every(isObject) ? all : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
