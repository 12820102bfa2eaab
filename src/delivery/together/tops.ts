import type { Clock } from '../../core/clock.ts';
import { localDay } from '../../core/local-time.ts';
import type { Log } from '../../core/log.ts';
import { periodName, periodOf } from '../../core/period.ts';
import { periodEnd } from '../../core/period-end.ts';
import type { Random } from '../../core/random.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { drawFor } from '../../rewards/draws.ts';
import type { Rules, Top } from '../../rewards/reward.ts';
import { settlePeriod } from './settle-period.ts';

export interface TopSettings {
  readonly rules: Rules;
  readonly tops: readonly Top[];
  /** The entries of `sites`: how late their votes may come. */
  readonly sites: ReadonlyMap<string, { readonly api: { readonly maxAgeMs: number } | null }>;
}

export interface TopsParts {
  readonly ledger: Pick<Ledger, 'dueTop' | 'settleTop' | 'standings' | 'clock'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly onGrants: () => void;
  /** Up to when missed votes were looked for on each site that has an API. */
  readonly recovered: () => readonly { readonly site: string; readonly lookedUntil: number | null }[];
}

/** Settles the periods that are over. Methods reject with the ledger's Problem. */
export class Tops {
  constructor(private readonly parts: TopsParts) {}

  async settle(settings: TopSettings): Promise<void> {
    if (settings.tops.length === 0) return;
    const now = await this.believedNow();
    for (const top of settings.tops) {
      // One after the other, the oldest first, however long Teller was down.
      while (await this.settleNext(top, settings, now));
    }
  }

  /** While the clock is doubted, periods end by the time that is believed. */
  private async believedNow(): Promise<number> {
    const { doubt } = await this.parts.ledger.clock();
    return this.parts.clock.now() - (doubt?.aheadMs ?? 0);
  }

  /** @returns whether a period was settled. */
  private async settleNext(top: Top, settings: TopSettings, now: number): Promise<boolean> {
    const { ledger } = this.parts;
    const { zone } = settings.rules;
    const current = periodOf(top.period, localDay(now, zone));
    const period = await ledger.dueTop({ name: top.name, period: top.period }, current - 1);
    if (period === null) return false;
    const endedAt = periodEnd(top.period, period, zone);
    if (now < endedAt + top.settleMs || !this.isComplete(endedAt, settings, now)) return false;
    await this.settleOne(top, period, settings);
    return true;
  }

  /** Whether missed votes of the period were looked for on every site, or would be too old by now. */
  private isComplete(endedAt: number, { sites }: TopSettings, now: number): boolean {
    const recovered = new Map(this.parts.recovered().map(({ site, lookedUntil }) => [site, lookedUntil]));
    return [...sites].every(
      ([site, { api }]) =>
        api === null ||
        (recovered.get(site) ?? Number.NEGATIVE_INFINITY) >= endedAt ||
        now >= endedAt + api.maxAgeMs,
    );
  }

  private async settleOne(top: Top, period: number, { rules }: TopSettings): Promise<void> {
    const { ledger, clock, random, log, onGrants } = this.parts;
    const order = { top, period, rules, draws: drawFor(random) };
    const grants = await settlePeriod(ledger, order, clock.now());
    const name = periodName(top.period, period);
    const fields = { code: 'top', top: top.name, period: name, grants };
    log.info(fields, `the places of ${top.name} in ${name} are final: ${grants} grant(s)`);
    if (grants > 0) onGrants();
  }
}
