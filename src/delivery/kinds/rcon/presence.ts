import { playerKey } from '../../../core/player-name.ts';
import { nameAsWord } from '../../../core/template.ts';
import type { Presence } from '../../game-server.ts';
import { plain } from '../../reply-text.ts';
import type { Answer, IsWhole } from './connection.ts';
import { isWholeList, readPlayerList } from './player-list.ts';

/** @param isWhole returns true if a reply is known to be complete; otherwise we wait after a long reply for more. */
type Ask = (command: string, isWhole?: IsWhole) => Promise<Answer>;

/**
 * In order of preference. With `uuids` the names are plain; without, vanilla shows a team's prefix and suffix around
 * them. Plugins change `list`, but not `minecraft:list`, which servers without plugins do not know.
 */
const LIST_COMMANDS = ['minecraft:list uuids', 'list uuids', 'minecraft:list', 'list'] as const;

type ListCommand = (typeof LIST_COMMANDS)[number];
type KnownPresence = Extract<Presence, { kind: 'known' }>;

/** [RCON-13] Finds out who is online from what the game server answers, and never guesses. */
export class PresenceReader {
  private commands: readonly ListCommand[] = LIST_COMMANDS;

  constructor(private readonly ask: Ask) {}

  async read(wanted: readonly string[]): Promise<Presence> {
    let presence: Presence = { kind: 'cannot-tell', reason: 'list-not-understood' };
    for (const command of this.commands) {
      presence = await this.readBy(command);
      if (presence.kind === 'known') this.prefer(command);
      // Not a list: the server may not know this form of the command and may say so in any language.
      if (presence.kind !== 'cannot-tell' || presence.reason !== 'list-not-understood') break;
    }
    if (presence.kind === 'cannot-tell') return this.askForEach(wanted, presence);
    return presence.kind === 'known' ? this.withDecorated(presence, wanted) : presence;
  }

  private prefer(command: ListCommand): void {
    this.commands = [command, ...LIST_COMMANDS.filter((other) => other !== command)];
  }

  private async readBy(command: ListCommand): Promise<Presence> {
    const answer = await this.ask(command, isWholeList);
    return answer.kind === 'reply'
      ? readPlayerList(answer.text)
      : { kind: 'unreachable', reason: answer.reason };
  }

  /** Adds players of `wanted` who are online but listed with a team's prefix: `~Steve` may be Steve. */
  private async withDecorated(list: KnownPresence, wanted: readonly string[]): Promise<Presence> {
    if (list.uuids !== undefined) return list;
    const listed = new Set(list.names.map(playerKey));
    const bare = new Set(list.names.map((name) => playerKey(name.replace(/^\W+/u, ''))));
    const doubtful = wanted.filter((name) => !listed.has(playerKey(name)) && bare.has(playerKey(name)));
    const asked = await this.askForEach(doubtful, list);
    return asked.kind === 'asked' ? { kind: 'known', names: [...list.names, ...asked.names] } : asked;
  }

  /** Which of `wanted` are online, in the spelling asked for, because the answer contains no name. */
  private async askForEach(wanted: readonly string[], instead: Presence): Promise<Presence> {
    if (wanted.length === 0) return instead;
    const names: string[] = [];
    for (const name of wanted) {
      const word = nameAsWord(name);
      if (word === null) continue; // no player has such a name, and it could end the command
      const answer = await this.ask(`minecraft:execute if entity ${word}`);
      if (answer.kind !== 'reply') return { kind: 'unreachable', reason: answer.reason };
      const text = plain(answer.text);
      if (text.startsWith('Test passed')) names.push(name);
      else if (!text.startsWith('Test failed')) return instead;
    }
    return { kind: 'asked', names };
  }
}
