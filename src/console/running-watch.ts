import type { Config } from '../config/config.ts';
import { pause as wait } from '../core/clock.ts';
import type { Pause } from '../core/pause.ts';
import { Problem } from '../core/problem.ts';
import { FirstTries } from '../operator/check/game-servers-inside.ts';
import { checkInside } from '../operator/check/inside.ts';
import { GameServerWatch } from '../operator/now/game-server-watch.ts';
import { type Mode, modesOf } from '../operator/now/modes.ts';
import { practiceWorlds } from '../operator/trial/practice-worlds.ts';
import { CheckWatch } from './check-watch.ts';
import type { ConsoleParts } from './parts.ts';

/** What pages are built from that also show what is watched of the running Teller. */
export interface WatchingParts extends ConsoleParts {
  readonly watch: RunningWatch;
}

/** How long a page waits to know what every page shows, because the ledger may be busy. */
const PATIENCE_MS = 50;
/** Grants that need the operator are counted up to this number. */
export const NEED_YOU_MAX = 10_000;

/** What pages show of the running Teller besides its ledger, kept up to date while somebody looks. */
export class RunningWatch {
  readonly gameServers: GameServerWatch;
  readonly checks: CheckWatch;
  private config: Config;
  private reloads = 0;
  /** What the operator has paused, by the last look at the ledger. */
  pauses: readonly Pause[];
  /** How many grants need the operator, by the same look. */
  needYou = 0;

  constructor(
    private readonly parts: Pick<
      ConsoleParts,
      'teller' | 'control' | 'clock' | 'random' | 'log' | 'publicPage'
    >,
  ) {
    const { teller, control, clock, random, publicPage } = parts;
    this.pauses = teller.pauses;
    this.config = teller.config;
    this.gameServers = new GameServerWatch({ teller, clock });
    const { gameServers: watch } = this;
    const tries = new FirstTries(clock);
    this.checks = new CheckWatch({
      check: async () => [
        ...(publicPage === null ? [] : [publicPage.finding]),
        ...(await checkInside({ teller, watch, tries, control, clock, random })),
      ],
      mark: () => JSON.stringify(this.ofProcess()),
      clock,
    });
  }

  get modes(): readonly Mode[] {
    return modesOf(this.parts.teller.config, this.pauses, this.parts.clock);
  }

  /** Reads what every page shows. It stays as it was if the ledger cannot be read, or not at once. */
  async lookAtLedger(): Promise<void> {
    const { ledger } = this.parts.teller;
    const pauses = ledger.pauses().then((found) => {
      this.pauses = found;
    }, ifProblem);
    const needYou = ledger.stuckCount(NEED_YOU_MAX).then((found) => {
      this.needYou = found;
    }, ifProblem);
    await Promise.race([Promise.all([pauses, needYou]), wait(this.parts.clock, PATIENCE_MS)]);
  }

  /** A text that differs if anything changed; null while the ledger cannot be read. Renews what is old on the way. */
  async mark(): Promise<string | null> {
    this.gameServers.look();
    this.checks.look();
    const { teller } = this.parts;
    const revision = await teller.ledger.revision().catch(ifProblem);
    const worlds = practiceWorlds(teller.practiceServers);
    return revision === null ? null : JSON.stringify([revision, worlds, this.checks.found, this.ofProcess()]);
  }

  private ofProcess(): readonly unknown[] {
    const { teller, control } = this.parts;
    if (teller.config !== this.config) this.reloads += 1;
    this.config = teller.config;
    return [
      this.reloads,
      control.file,
      this.modes,
      teller.gameServers.map((server) => {
        const presence = this.gameServers.of(server)?.presence;
        const { reason = null, retryAt } = server.state;
        return [server.name, reason, retryAt, presence ?? null];
      }),
    ];
  }
}

function ifProblem(error: unknown): null {
  if (error instanceof Problem) return null;
  throw error;
}
