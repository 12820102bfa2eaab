import type { CannotTellCode } from '../../core/game-server-codes.ts';
import { plain } from '../reply-text.ts';

export type PlayerList =
  | {
      readonly kind: 'known';
      /** In the spelling that the server shows. */
      readonly names: readonly string[];
      /** By name in lower case; only where the list shows the UUID of each player. */
      readonly uuids?: ReadonlyMap<string, string>;
    }
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode };

/** [RCON-13] Each begins where the number of players can be read; nothing is assumed about what stands before. */
const heads: readonly RegExp[] = [
  /There are (\d+) of a max(?: of)? \d+ players online:/i,
  /There are (\d+)\/\d+ players online:/i,
  /Players \((\d+)\):/i,
];

/** A name, with room for the prefix of a Bedrock player; anything else in a list is no name. */
const NAME = /^(?=.{1,16}$)[^\s\w@"'\\/#;,:()[\]<>\p{Cc}]{0,3}\w+$/u;

/** How `list uuids` writes a player: the plain name, without what a team puts around it. */
const NAME_WITH_UUID = /^(\S+) \(([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\)$/i;

/** [RCON-13] The names, if the list has as many as it announces; else why it cannot be relied on. */
export function readPlayerList(reply: string): PlayerList {
  const text = plain(reply);
  const head = heads.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (head === undefined) return { kind: 'cannot-tell', reason: 'list-not-understood' };
  const announced = Number(head[1]);
  const entries = entriesIn(text.slice(head.index + head[0].length), announced);
  const uuids = uuidsIn(entries);
  const names = entries.map((entry) => NAME_WITH_UUID.exec(entry)?.[1] ?? entry);
  const different = new Set(names.map((name) => name.toLowerCase()));
  const addsUp = different.size === announced && names.length === announced;
  if (!addsUp || !names.every((name) => NAME.test(name)))
    return { kind: 'cannot-tell', reason: 'list-does-not-add-up' };
  return uuids === null ? { kind: 'known', names } : { kind: 'known', names, uuids };
}

/** Whether nothing of the list can be missing: each player is there with a whole UUID. */
export function isWholeList(reply: string): boolean {
  if (!reply.trimEnd().endsWith(')')) return false;
  const list = readPlayerList(reply);
  return list.kind === 'known' && list.uuids !== undefined;
}

/** null where not every entry shows one. */
function uuidsIn(entries: readonly string[]): ReadonlyMap<string, string> | null {
  const pairs = entries.flatMap((entry) => {
    const [, name, uuid] = NAME_WITH_UUID.exec(entry) ?? [];
    return name === undefined || uuid === undefined
      ? []
      : [[name.toLowerCase(), uuid.toLowerCase()] as const];
  });
  return pairs.length > 0 && pairs.length === entries.length ? new Map(pairs) : null;
}

/** On the head's line; where that is empty and somebody is announced, on the next. Whatever follows is not the list. */
function entriesIn(rest: string, announced: number): string[] {
  const [first = '', second = ''] = rest.split(/\r?\n/);
  const line = first.trim() === '' && announced > 0 ? second : first;
  return line
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
