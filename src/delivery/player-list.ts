import type { CannotTellReason } from './reasons.ts';
import { plain } from './reply-text.ts';

export type PlayerList =
  /** In the spelling that the server shows. */
  | { readonly kind: 'known'; readonly names: readonly string[] }
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellReason };

/** [RCON-13] Each begins where the number of players can be read; nothing is assumed about what stands before. */
const heads: readonly RegExp[] = [
  /There are (\d+) of a max(?: of)? \d+ players online:/i,
  /There are (\d+)\/\d+ players online:/i,
  /Players \((\d+)\):/i,
];

/** A name, with room for the prefix of a Bedrock player; anything else in a list is no name. */
const NAME = /^(?=.{1,16}$)[^\s\w@"'\\/#;,:()[\]<>\p{Cc}]{0,3}\w+$/u;

/** [RCON-13] The names, if the list has as many as it announces; else why it cannot be relied on. */
export function readPlayerList(reply: string): PlayerList {
  const text = plain(reply);
  const head = heads.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (head === undefined) return { kind: 'cannot-tell', reason: 'list-not-understood' };
  const announced = Number(head[1]);
  const names = namesIn(text.slice(head.index + head[0].length), announced);
  const different = new Set(names.map((name) => name.toLowerCase()));
  return different.size === announced && names.length === announced && names.every((name) => NAME.test(name))
    ? { kind: 'known', names }
    : { kind: 'cannot-tell', reason: 'list-does-not-add-up' };
}

/** On the head's line; where that is empty and somebody is announced, on the next. Whatever follows is not the list. */
function namesIn(rest: string, announced: number): string[] {
  const [first = '', second = ''] = rest.split(/\r?\n/);
  const line = first.trim() === '' && announced > 0 ? second : first;
  return line
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
