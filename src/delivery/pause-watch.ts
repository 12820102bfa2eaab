import type { Log } from '../core/log.ts';
import { type Pause, pauseText, resumeText, scopeText } from '../core/pause.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** Logs each pause of the operator once, and its end. The ledger itself lets nothing be claimed meanwhile. */
export class PauseWatch {
  private known: readonly Pause[] = [];

  constructor(
    private readonly ledger: Pick<Ledger, 'pauses'>,
    private readonly log: Log,
  ) {}

  /** Call this when another process has written. @returns whether a pause is over. Rejects with the ledger's Problem. */
  async look(): Promise<boolean> {
    const before = this.known;
    const pauses = await this.ledger.pauses();
    this.known = pauses;
    const over = before.filter((pause) => !pauses.some((other) => isSame(other, pause)));
    for (const pause of over)
      this.log.info({ code: 'resumed' }, `${scopeText(pause)}: paid again from now on`);
    for (const pause of pauses.filter((one) => !before.some((other) => isSame(other, one))))
      this.log.warn(
        { code: 'paused', by: pause.by },
        `${pauseText(pause)}; \`${resumeText(pause)}\` ends the pause`,
      );
    return over.length > 0;
  }
}

const isSame = (one: Pause, other: Pause): boolean =>
  one.server === other.server && one.reward === other.reward && one.at === other.at;
