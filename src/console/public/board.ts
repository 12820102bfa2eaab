import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { type RunningTop, RunningTops } from '../../operator/public/running-tops.ts';
import { type PartyState, partyStates } from '../../operator/together/party-progress.ts';

/** What is read from the ledger for every visitor. */
export interface Board {
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  readonly tops: readonly RunningTop[];
  readonly parties: readonly PartyState[];
}

interface Reading {
  readonly config: Config;
  readonly board: Promise<Board | null>;
  /** In monotonic time; null while it is being read. */
  endedAt: number | null;
}

export interface BoardParts {
  readonly teller: { readonly config: Config; readonly ledger: LedgerReader };
  readonly clock: Clock;
  readonly log: Log;
}

/** What everyone sees is read again after this time, so that many visitors cost the ledger no more than one. */
export const FRESH_MS = 5_000;
export const PLACES_SHOWN = 10;

/** The board, at most 5 seconds old. */
export class FreshBoard {
  private readonly tops: RunningTops;
  private last: Reading | null = null;

  constructor(private readonly parts: BoardParts) {
    this.tops = new RunningTops(parts.teller.ledger, PLACES_SHOWN);
  }

  /** null: the ledger cannot be read now. */
  current(): Promise<Board | null> {
    const { teller, clock } = this.parts;
    const { last } = this;
    const isFresh =
      last?.config === teller.config &&
      (last.endedAt === null || clock.monotonic() - last.endedAt < FRESH_MS);
    return isFresh ? last.board : this.readAgain();
  }

  private readAgain(): Promise<Board | null> {
    const { config } = this.parts.teller;
    const board = this.read(config).finally(() => {
      reading.endedAt = this.parts.clock.monotonic();
    });
    const reading: Reading = { config, board, endedAt: null };
    this.last = reading;
    return board;
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
