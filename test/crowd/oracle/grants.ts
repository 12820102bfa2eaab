/** The grants of a crowd, and what each of them comes to while players come, go and change their names. */

import { currentName, type Player, type Players } from './players.ts';
import type { Shown, When } from './written.ts';

export interface Owed {
  readonly reward: string;
  readonly occasion: string;
  /** Null where it is for nobody in particular. */
  readonly player: string | null;
  readonly when: When;
}

interface Grant extends Omit<Owed, 'player'> {
  player: string | null;
  /** Whether it was open when someone else was seen under the player's name. */
  isHeld: boolean;
  /** The name that it was paid to; undefined: it is not paid. */
  paidTo?: string;
}

/** What can be seen from outside, sorted. */
export interface Seen {
  /** `reward | occasion | state | name`; no name before it is paid. */
  readonly grants: readonly string[];
  /** Everything that the game server was sent. */
  readonly commands: readonly string[];
}

export class Grants {
  private readonly all: Grant[] = [];
  private readonly commands: string[] = [];

  constructor(private readonly players: Players) {}

  add(owed: Owed): void {
    this.all.push({ ...owed, isHeld: false });
  }

  /** "A new UUID under an old name …: what waits for the old player is held." */
  hold(player: string): void {
    for (const grant of this.all)
      if (grant.player === player && grant.paidTo === undefined) grant.isHeld = true;
  }

  move(from: string, into: string): void {
    for (const grant of this.all) if (grant.player === from) grant.player = into;
  }

  /** Pays whatever can be paid while these players are on the game server. */
  pay(online: readonly Shown[]): void {
    const open = this.all.filter(({ paidTo }) => paidTo === undefined);
    for (const grant of open) {
      const name = this.payableTo(grant, online);
      if (name === null) continue;
      grant.paidTo = name;
      this.commands.push(['say', grant.reward, name].filter((word) => word !== '').join(' '));
    }
  }

  private payableTo(grant: Grant, online: readonly Shown[]): string | null {
    const { player, when } = grant;
    if (player === null) return '';
    if (this.isHeld(grant)) return null;
    if (when === 'always') return currentName(this.players.byId(player));
    return online.find(({ name }) => this.players.holderOf(name).id === player)?.name ?? null;
  }

  /** "And released when the old player's UUID is seen again under any name." */
  private isHeld({ player, isHeld }: Grant): boolean {
    if (player === null) return false;
    const owner: Player = this.players.byId(player);
    return (isHeld && owner.isReplaced) || currentName(owner) === null;
  }

  seen(): Seen {
    return {
      grants: this.all.map((grant) => this.spelt(grant)).sort(),
      commands: this.commands.toSorted(),
    };
  }

  private spelt(grant: Grant): string {
    const { reward, occasion, paidTo } = grant;
    const open = this.isHeld(grant) ? 'held' : 'waiting';
    return [reward, occasion, paidTo === undefined ? open : 'delivered', paidTo ?? ''].join(' | ');
  }
}
