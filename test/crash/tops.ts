import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import type { LedgerReader, SettledPlace } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { usedConfig } from '../../src/main/parts.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { DAY_MS, DOWN_FOR_DAYS, TOP_PLACES, TOP_SITES, TOP_TIES } from './sites.ts';

/** An entry of `tops`. */
export interface TopConfig {
  readonly name: string;
  readonly period: 'day';
  readonly ties: 'first' | 'share';
  readonly settle: string;
  readonly [key: string]: unknown;
}

/** The places of a day as they were stored. */
export interface SettledDay {
  readonly top: TopConfig;
  /** Days since 1970. */
  readonly day: number;
  readonly places: readonly SettledPlace[];
}

/** No lifetime of a run of so many kills takes longer on average. */
const MS_PER_KILL = 1_000;

/**
 * Days end at midnight, which no run can wait for. So Teller had the tops for some days and was down when these
 * ended, and `settle` ends now for the first top, and later in the run for the others.
 */
export const topsFor = (startedAt: number, kills: number): readonly TopConfig[] =>
  TOP_TIES.map((ties, at) => {
    const name = `top-${at}`;
    const settleMs = (startedAt % DAY_MS) + Math.round((at / TOP_TIES.length) * kills * MS_PER_KILL);
    return {
      ...{ name, period: 'day', ties, settle: `${settleMs}ms`, when: 'always', servers: ['main'] },
      if: { site: TOP_SITES },
      prizes: { [`1..${TOP_PLACES}`]: [`say {player} won {occasion} of ${name}`] },
    };
  });

/** Creates the ledger as an earlier Teller with this config left it. */
export async function startLedgerEarlier(folder: string, startedAt: number): Promise<void> {
  const clock = { ...systemClock, now: () => startedAt - DOWN_FOR_DAYS * DAY_MS };
  const config = await loadConfig(join(folder, 'config.json'));
  const ledger = await openLedger(join(folder, 'data/teller.db'), 'create', { clock });
  await ledger.useTimeZone('UTC');
  await ledger.useConfig(usedConfig(config, clock));
  await ledger.close();
}

/** The days of each top that are over by now, as far as they are stored. */
export async function settledDays(
  ledger: Pick<LedgerReader, 'settledPlaces'>,
  tops: readonly TopConfig[],
  startedAt: number,
): Promise<{ readonly settled: readonly SettledDay[]; readonly missing: readonly string[] }> {
  const settled: SettledDay[] = [];
  const missing: string[] = [];
  for (const top of tops) {
    for (const day of daysOver(top, startedAt)) {
      const places = await ledger.settledPlaces(top, day);
      if (places === null) missing.push(`${top.name} ${dayName(day)}`);
      else settled.push({ top, day, places });
    }
  }
  return { settled, missing };
}

/** From this time on, the places of a day may be stored. */
export const settlesAt = ({ settle }: TopConfig, day: number): number =>
  (day + 1) * DAY_MS + Number(settle.replace('ms', ''));

export const dayName = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

function daysOver(top: TopConfig, startedAt: number): readonly number[] {
  const first = Math.floor(startedAt / DAY_MS) - DOWN_FOR_DAYS;
  const days = Array.from({ length: DOWN_FOR_DAYS + 2 }, (_, at) => first + at);
  return days.filter((day) => settlesAt(top, day) <= Date.now());
}
