/** Who a player is: names and UUIDs, as game servers have shown them one after the other. */

export interface Player {
  readonly id: string;
  uuid: string | null;
  /** The name under which they were seen last, or in which they vote as long as they were never seen; null once someone else has taken it. */
  current: string | null;
}

/** What a game server's information changes about the history of players. */
export interface Joined {
  readonly from: string;
  readonly into: string;
}

const isBedrockName = (name: string): boolean => name.startsWith('.');

/** Of version 3, as servers in offline mode compute it from a name: "it neither joins nor starts a player". */
const isOffline = (uuid: string): boolean => uuid[14] === '3';
const isFloodgate = (uuid: string): boolean => uuid.startsWith('00000000-0000-0000-');

/** "A Bedrock prefix never joins a Java name": each kind of UUID says something about names of its own kind only. */
const saysNothing = (name: string, uuid: string): boolean =>
  isOffline(uuid) || isFloodgate(uuid) !== isBedrockName(name);

export class Players {
  readonly all: Player[] = [];
  private readonly holders = new Map<string, Player>();

  /** The player who has this name now. */
  holderOf(name: string): Player {
    const holder = this.holders.get(name.toLowerCase());
    return holder ?? this.started(name);
  }

  /** Every name that nobody else has taken from the player. */
  namesOf(player: Player): string[] {
    return [...this.holders].filter(([, holder]) => holder === player).map(([name]) => name);
  }

  byId(id: string): Player {
    return this.all.find((player) => player.id === id) as Player;
  }

  /** A game server shows a UUID under a name. @returns the players of whom one goes on as the other */
  see(name: string, uuid: string): Joined | null {
    if (saysNothing(name, uuid)) return null;
    const known = this.all.find((player) => player.uuid === uuid);
    const holder = this.holderOf(name);
    if (known === undefined) this.seeNewUuid(holder, name, uuid);
    else if (known !== holder) return this.rename(known, holder, name);
    else known.current = name;
    return null;
  }

  /** "A new UUID under an old name starts a new player"; the first UUID of a player only becomes known. */
  private seeNewUuid(holder: Player, name: string, uuid: string): void {
    if (holder.uuid === null) {
      holder.uuid = uuid;
      holder.current = name;
      return;
    }
    this.loses(holder, name);
    this.started(name).uuid = uuid;
  }

  /** "A known UUID under a new name joins that name to the player", unless another player has been seen under it. */
  private rename(player: Player, holder: Player, name: string): Joined | null {
    const isJoined = holder.uuid === null;
    if (!isJoined) this.loses(holder, name);
    this.holders.set(name.toLowerCase(), player);
    player.current = name;
    if (!isJoined) return null;
    this.all.splice(this.all.indexOf(holder), 1);
    return { from: holder.id, into: player.id };
  }

  private loses(player: Player, name: string): void {
    if (player.current?.toLowerCase() === name.toLowerCase()) player.current = null;
  }

  private ids = 0;

  private started(name: string): Player {
    this.ids++;
    const player: Player = { id: `p${this.ids}`, uuid: null, current: name };
    this.all.push(player);
    this.holders.set(name.toLowerCase(), player);
    return player;
  }
}
