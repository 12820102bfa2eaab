import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../../core/observer.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Buckets of the time from a vote to its ok, in seconds: below the 50 ms in which a sender hardly notices, and far above. */
const OK_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Of the time from a grant to its payment: at once, or whenever its player is online. */
const REWARD_SECONDS = [0.01, 0.05, 0.25, 1, 5, 30, 60, 300, 1_800, 3_600, 21_600, 86_400, 604_800];

const CHANNEL_VERSIONS: Readonly<Partial<Record<string, string>>> = {
  'listener-v1': '1',
  'listener-v2': '2',
};

/**
 * Counts what happens in this process, for Prometheus. Names begin with `teller_`; what every Node.js process has (CPU, memory,
 * event-loop lag) has the names of prom-client. docs/operators/metrics.md lists them.
 */
export class Metrics implements Observer {
  private readonly registry = new Registry();
  private readonly counters = this.newCounters();
  private readonly okSeconds = this.histogram(
    'vote_to_ok',
    'From a vote of the listener to its ok.',
    OK_SECONDS,
  );
  private readonly rewardSeconds = this.histogram(
    'vote_to_reward',
    'From a grant to the end of its last command, including the wait for its player.',
    REWARD_SECONDS,
  );
  private readonly gauges = this.newGauges();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  recorded({ site, channel }: Parameters<Observer['recorded']>[0], decision: string): void {
    this.counters.votes.inc({ site, channel, version: CHANNEL_VERSIONS[channel] ?? '', decision });
  }

  answered(ms: number): void {
    this.okSeconds.observe(ms / 1000);
  }

  refused(code: string): void {
    this.counters.refusals.inc({ code });
  }

  ended(server: string, outcome: string): void {
    this.counters.commands.inc({ server, outcome });
  }

  paid(ms: number): void {
    this.rewardSeconds.observe(Math.max(0, ms) / 1000);
  }

  /** Everything in Prometheus' text format. Rejects with the ledger's Problem. */
  async text(ledger: Pick<Ledger, 'grantStates' | 'size'>, isReady: boolean): Promise<string> {
    const { grants, ledgerBytes, ready } = this.gauges;
    grants.reset();
    for (const [state, count] of Object.entries(await ledger.grantStates())) grants.set({ state }, count);
    ledgerBytes.set(await ledger.size());
    ready.set(isReady ? 1 : 0);
    return this.registry.metrics();
  }

  private newCounters() {
    const registers = [this.registry];
    const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ name: `teller_${name}_total`, help, labelNames, registers });
    return {
      votes: counter('votes', 'Votes that this process stored; decision "known": it had the vote already.', [
        ...(['site', 'channel', 'version', 'decision'] as const),
      ]),
      refusals: counter('refusals', 'Votes and connections that were refused.', ['code'] as const),
      commands: counter('commands', 'Commands by how they ended.', ['server', 'outcome'] as const),
    };
  }

  private newGauges() {
    const registers = [this.registry];
    return {
      grants: new Gauge({
        name: 'teller_grants',
        help: 'Grants in the ledger that are not delivered, by state.',
        labelNames: ['state'],
        registers,
      }),
      ledgerBytes: new Gauge({ name: 'teller_ledger_bytes', help: 'Size of the ledger.', registers }),
      ready: new Gauge({ name: 'teller_ready', help: '1: votes are accepted and stored.', registers }),
    };
  }

  private histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name: `teller_${name}_seconds`, help, buckets, registers: [this.registry] });
  }
}
