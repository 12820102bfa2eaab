import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { FixedWindows } from '../../core/fixed-windows.ts';
import { type PlayerNameResult, parseVotedName } from '../../core/player-name.ts';
import { Problem } from '../../core/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type SiteTime, siteTimes, voteSites } from '../../operator/public/vote-sites.ts';
import { clientOf } from '../../web/client-network.ts';

/** What a visitor who entered a name is told. */
export type Answer =
  | { readonly kind: 'times'; readonly name: string; readonly sites: readonly SiteTime[] }
  /** No player can have the name. */
  | { readonly kind: 'no-name'; readonly code: NoName; readonly sentence: string }
  | { readonly kind: 'too-many'; readonly waitMs: number }
  | { readonly kind: 'unreadable' };

type NoName = 'name-too-long' | 'name-not-allowed' | 'name-unknown-prefix';

export interface QuestionParts {
  readonly teller: { readonly config: Config; readonly ledger: Pick<Ledger, 'windowEnds'> };
  readonly clock: Clock;
}

/** Enough for a household that asks for each of its players, and for pages that refresh themselves. */
const QUESTIONS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
/** Bounds the memory that a flood from many addresses can use. */
const CLIENTS_MAX = 10_000;

/** Answers when a player may vote again, a limited number of times for each client. */
export class Questions {
  private readonly asked = new FixedWindows({ windowMs: MINUTE_MS, keysMax: CLIENTS_MAX });

  constructor(private readonly parts: QuestionParts) {}

  /** @param address of the client. */
  async answer(entered: string, address: string): Promise<Answer> {
    const { teller, clock } = this.parts;
    const { config, ledger } = teller;
    const parsed = parseVotedName(entered, config.players.bedrockPrefixes);
    if (parsed.kind !== 'name') return NO_NAME[parsed.kind];
    const charge = this.asked.charge(clientOf(address), 1, QUESTIONS_PER_MINUTE, clock.monotonic());
    if (charge.kind === 'over') return { kind: 'too-many', waitMs: charge.resetMs };
    const { name } = parsed;
    try {
      return { kind: 'times', name, sites: await siteTimes(name, voteSites(config), ledger, clock.now()) };
    } catch (error) {
      if (error instanceof Problem) return { kind: 'unreadable' };
      throw error;
    }
  }
}

const noName = (code: NoName, sentence: string): Answer => ({ kind: 'no-name', code, sentence });

const NO_NAME: Readonly<Record<Exclude<PlayerNameResult['kind'], 'name'>, Answer>> = {
  'too-long': noName('name-too-long', 'A player name has at most 16 characters.'),
  'not-allowed': noName('name-not-allowed', 'A player name has only letters from A to Z, digits and _.'),
  'unknown-prefix': noName(
    'name-unknown-prefix',
    'No player name begins like that on this server. Enter it as the game shows it.',
  ),
};
