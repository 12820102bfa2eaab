import { Problem } from '../core/problem.ts';
import type { Pause } from '../core/pause.ts';
import { GameServerWatch } from '../operator/now/game-server-watch.ts';
import { type Mode, modesOf } from '../operator/now/modes.ts';
import type { ConsoleParts } from './parts.ts';

/** What pages are built from that also show what is watched of the running Teller. */
export interface WatchingParts extends ConsoleParts {
  readonly watch: RunningWatch;
}

/** What pages show of the running Teller besides its ledger, kept up to date while somebody looks. */
export class RunningWatch {
  readonly gameServers: GameServerWatch;
  /** What the operator has paused, by the last look at the ledger. */
  pauses: readonly Pause[];

  constructor(private readonly parts: Pick<ConsoleParts, 'teller' | 'control' | 'clock'>) {
    const { teller, clock } = parts;
    this.pauses = teller.pauses;
    this.gameServers = new GameServerWatch({ teller, clock });
  }

  get modes(): readonly Mode[] {
    return modesOf(this.parts.teller.config, this.pauses, this.parts.clock.now());
  }

  /** Reads what is paused. If the ledger cannot be read, it stays as it was, and the page says why. */
  async lookAtPauses(): Promise<void> {
    try {
      this.pauses = await this.parts.teller.ledger.pauses();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** A text that differs if anything changed; null while the ledger cannot be read. Renews what is old on the way. */
  async mark(): Promise<string | null> {
    this.gameServers.look();
    const revision = await this.parts.teller.ledger.revision().catch(ifProblem);
    return revision === null ? null : JSON.stringify([revision, this.ofProcess()]);
  }

  private ofProcess(): readonly unknown[] {
    const { teller, control } = this.parts;
    return [
      control.file,
      this.modes,
      teller.gameServers.map((server) => {
        const presence = this.gameServers.of(server)?.presence;
        return [server.name, server.trouble ?? null, presence ?? null];
      }),
    ];
  }
}

function ifProblem(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}
