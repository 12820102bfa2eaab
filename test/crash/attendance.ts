import type { PracticeServer } from '../../src/practice/server.ts';

/** From joining to leaving, in ms since the Unix epoch; `to` is null as long as the player is there. */
interface Stay {
  readonly from: number;
  to: number | null;
}

/** When players were on a game server, as it knows itself. Names are compared in lower case. */
export class Attendance {
  private readonly stays = new Map<string, Stay[]>();

  /** The same game server; who joins and leaves it from now on is recorded. */
  watching(practice: PracticeServer): PracticeServer {
    return {
      ...practice,
      join: (name, uuid) => {
        const hasJoined = practice.join(name, uuid);
        if (hasJoined)
          this.stays.set(name.toLowerCase(), [...this.staysOf(name), { from: Date.now(), to: null }]);
        return hasJoined;
      },
      leave: (name) => {
        const last = this.staysOf(name).at(-1);
        if (last !== undefined) last.to ??= Date.now();
        return practice.leave(name);
      },
    };
  }

  /** Whether they were there at some moment. Both times are included. */
  wasThere(player: string, since: number, until: number): boolean {
    return this.staysOf(player).some(({ from, to }) => from <= until && (to ?? until) >= since);
  }

  private staysOf(player: string): readonly Stay[] {
    return this.stays.get(player.toLowerCase()) ?? [];
  }
}
