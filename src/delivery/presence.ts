import { nameAsWord } from '../core/template.ts';
import type { Presence } from './game-server.ts';
import { readPlayerList } from './player-list.ts';
import type { Answer } from './rcon-connection.ts';
import { plain } from './reply-text.ts';

type Ask = (command: string) => Promise<Answer>;
type ListCommand = 'minecraft:list' | 'list';

/** [RCON-13] Finds out who is online from what the game server answers, and never guesses. */
export class PresenceReader {
  private readonly ask: Ask;
  /** Plugins reshape `list`; `minecraft:list` stays the game's own, where the server knows it. */
  private listCommands: readonly [ListCommand, ListCommand] = ['minecraft:list', 'list'];

  constructor(ask: Ask) {
    this.ask = ask;
  }

  async read(wanted: readonly string[]): Promise<Presence> {
    const [usual, other] = this.listCommands;
    const first = await this.readBy(usual);
    if (first.kind !== 'cannot-tell' || first.reason !== 'list-not-understood')
      return this.settle(first, wanted);
    // No list at all: this name of the command may be unknown here, in whatever language that was said.
    const second = await this.readBy(other);
    if (second.kind === 'known') this.listCommands = [other, usual];
    return this.settle(second, wanted);
  }

  private async readBy(command: ListCommand): Promise<Presence> {
    const answer = await this.ask(command);
    return answer.kind === 'reply'
      ? readPlayerList(answer.text)
      : { kind: 'unreachable', reason: answer.reason };
  }

  private settle(presence: Presence, wanted: readonly string[]): Presence | Promise<Presence> {
    return presence.kind === 'cannot-tell' ? this.askForEach(wanted, presence) : presence;
  }

  /** Who of `wanted` is there, in the spelling asked for: the answer names nobody. */
  private async askForEach(wanted: readonly string[], instead: Presence): Promise<Presence> {
    if (wanted.length === 0) return instead;
    const names: string[] = [];
    for (const name of wanted) {
      const word = nameAsWord(name);
      if (word === null) continue; // no player has such a name, and it might end the question
      const answer = await this.ask(`minecraft:execute if entity ${word}`);
      if (answer.kind !== 'reply') return { kind: 'unreachable', reason: answer.reason };
      const text = plain(answer.text);
      if (text.startsWith('Test passed')) names.push(name);
      else if (!text.startsWith('Test failed')) return instead;
    }
    return { kind: 'asked', names };
  }
}
