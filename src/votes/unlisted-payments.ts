/**
 * Pays the votes that came before their service had an entry in `sites`, in the process that delivers: when it starts to deliver, and
 * after each reload. What is left when the process ends is paid at the next start.
 */
import { type Config, zoneOf } from '../config/config.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { DEFAULT_SITE, serviceNameOf } from '../core/service-name.ts';
import type { Ledger, ListedSite } from '../ledger/ledger.ts';
import { drawFor } from '../rewards/draws.ts';
import { rulesOf } from './sites.ts';

/** Deciding so many votes in one transaction takes some milliseconds. */
const VOTES_AT_ONCE = 50;
/** While the clock is doubted, or the ledger cannot be written. */
const RETRY_MS = 60_000;

export class UnlistedPayments {
  private isStarted = false;
  private isClosed = false;
  private paying: Promise<void> = Promise.resolve();
  private cancelRetry: Cancel = () => {};

  /** @param onGranted called after votes were given grants. */
  constructor(
    private config: Config,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly log: Log,
    private readonly onGranted: () => void,
  ) {}

  /** Call this when the process delivers. */
  start(): void {
    this.isStarted = true;
    this.paySoon();
  }

  apply(config: Config): void {
    this.config = config;
    if (this.isStarted) this.paySoon();
  }

  /** Waits for the portion that is being stored. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancelRetry();
    await this.paying;
  }

  private paySoon(): void {
    this.cancelRetry();
    this.paying = this.paying.then(async () => {
      if (this.isClosed || (await this.pay())) return;
      this.cancelRetry = this.clock.after(RETRY_MS, () => this.paySoon());
    });
  }

  /** @returns whether no vote is left that can be paid. */
  private async pay(): Promise<boolean> {
    const { ledger, clock, log } = this;
    const sum = { votes: 0, grants: 0 };
    try {
      const services = listedSites(this.config).map(({ service }) => service);
      const isNoted = await ledger.keepListed(services, clock.now());
      return !isNoted || (await this.payPortions(sum));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const sentence = `votes that came before their service had an entry in sites are not paid yet: ${error.message}`;
      log.error({ code: error.code }, sentence);
      return false;
    } finally {
      if (sum.votes > 0) {
        const what = `${sum.votes} vote(s) that came before their service had an entry in sites were decided again`;
        log.info({ code: 'unlisted-decided', ...sum }, `${what}, with ${sum.grants} grant(s)`);
      }
    }
  }

  /** Each portion by the config that is then in effect. */
  private async payPortions(sum: { votes: number; grants: number }): Promise<boolean> {
    const { ledger, clock, random } = this;
    while (!this.isClosed) {
      const order = {
        sites: listedSites(this.config),
        rules: rulesOf(this.config, zoneOf(this.config, clock)),
        draws: Array.from({ length: VOTES_AT_ONCE }, () => drawFor(random)),
      };
      const portion = await ledger.payUnlisted(order, clock.now());
      if (portion.kind === 'clock-doubted') return false;
      sum.votes += portion.votes;
      sum.grants += portion.grants;
      if (portion.grants > 0) this.onGranted();
      if (portion.isLast) return true;
    }
    return true;
  }
}

const listedSites = ({ sites }: Config): readonly ListedSite[] =>
  [...sites]
    .filter(([key]) => key !== DEFAULT_SITE)
    .map(([site, { cooldown, countsAll }]) => ({ service: serviceNameOf(site), site, cooldown, countsAll }));
