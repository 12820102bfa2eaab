import type { Config } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { countText, listText } from '../../core/list-text.ts';
import type { Pause } from '../../core/pause.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type Mode, modesOf } from './modes.ts';

/** How a running Teller is, in a few facts. */
export interface StateNow {
  /** The port of the listener. */
  readonly port: number;
  /** The entries of `sites`, without `default`. */
  readonly sites: number;
  /** null: no vote was ever recorded. */
  readonly lastVoteAt: number | null;
  /** The game servers that accept no commands at present. */
  readonly away: readonly string[];
  /** Grants that are held or refused. */
  readonly needYou: number;
  /** Whether any reward was ever paid. */
  readonly isPaid: boolean;
  readonly modes: readonly Mode[];
}

export async function stateNow(
  { config, port, ledger }: { readonly config: Config; readonly port: number; readonly ledger: Ledger },
  pauses: readonly Pause[],
  clock: Pick<Clock, 'now' | 'practice'>,
): Promise<Omit<StateNow, 'away'>> {
  const [[newest], { held = 0, refused = 0, delivered = 0 }] = await Promise.all([
    ledger.votes({ limit: 1 }),
    ledger.grantStates(),
  ]);
  return {
    port,
    sites: config.sites.size - 1,
    lastVoteAt: newest?.receivedAt ?? null,
    needYou: held + refused,
    isPaid: delivered > 0,
    modes: modesOf(config, pauses, clock),
  };
}

const MODES: Readonly<Record<Mode['kind'], string>> = {
  shadow: 'In shadow: nothing is paid here.',
  'hand-over': 'The other listener still pays.',
  paused: 'Payment is paused.',
  practice: 'For practice only.',
  'practice-clock': 'The practice clock was moved.',
};

/** The sentences about the state, without that about the last vote, which ages. */
export function stateSentences({ port, sites, away, needYou, modes }: StateNow) {
  const kinds = [...new Set(modes.flatMap((mode) => (isPartly(mode) ? [] : [mode.kind])))];
  return {
    listening: `Listening on port ${port}.`,
    modes: kinds.map((kind) => MODES[kind]),
    sites: sites === 0 ? 'No site is in the config yet.' : `${countText(sites, 'site')}.`,
    away:
      away.length === 0
        ? null
        : `${listText(away, 'and')} ${away.length === 1 ? 'accepts' : 'accept'} no commands.`,
    needYou: needYou === 0 ? null : `${countText(needYou, 'grant')} ${needYou === 1 ? 'needs' : 'need'} you.`,
  };
}

/** What holds for a part of all payments is no state of the whole. */
const isPartly = (mode: Mode): boolean =>
  (mode.kind === 'practice' && !mode.isOnly) ||
  (mode.kind === 'paused' && (mode.pause.server !== null || mode.pause.reward !== null));
