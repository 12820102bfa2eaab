import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type RunningTop, RunningTops } from '../../operator/public/running-tops.ts';
import { type PartyState, partyStates } from '../../operator/together/party-progress.ts';
import { Kept } from '../kept.ts';

/** What is read from the ledger for every visitor. */
export interface Board {
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  readonly tops: readonly RunningTop[];
  readonly parties: readonly PartyState[];
}

export interface BoardParts {
  readonly teller: { readonly config: Config; readonly ledger: Ledger };
  readonly clock: Clock;
  readonly log: Log;
}

/** What everyone sees is read again after this time, so that many visitors cost the ledger no more than one. */
export const FRESH_MS = 5_000;
const PLACES_SHOWN = 10;

/** The board, at most 5 seconds old. */
export class FreshBoard {
  private readonly tops: RunningTops;
  private readonly board: Kept<Config, Board | null>;

  constructor(private readonly parts: BoardParts) {
    this.tops = new RunningTops(parts.teller.ledger, PLACES_SHOWN);
    this.board = new Kept(parts.clock, FRESH_MS, (config) => this.read(config));
  }

  /** null: the ledger cannot be read now. */
  current(): Promise<Board | null> {
    return this.board.get(this.parts.teller.config);
  }

  private async read(config: Config): Promise<Board | null> {
    const { teller, clock, log } = this.parts;
    const { ledger } = teller;
    const now = clock.now();
    try {
      return {
        zone: await ledger.timeZone(),
        tops: await this.tops.at(now, config.tops),
        parties: await partyStates(ledger, config, now),
      };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.error({ code: error.code }, `the public page cannot be read: ${error.message}`);
      return null;
    }
  }
}
