import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { type App, startApp } from '../../src/main/app.ts';
import { mergePlayers, readPlayer } from '../../src/operator/change-player.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { PracticeClock } from '../../src/platform/practice-clock.ts';
import { sendVote } from '../../src/sender/send-vote.ts';
import { configFolder, lookInto, TOKEN, writeConfig } from '../support/config-folder.ts';
import { testEnvironment } from '../support/environment.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { silentLog } from '../support/log.ts';
import { type Driven, entriesOf, seenIn } from './compared.ts';
import type { CrowdSeen } from './oracle/crowd.ts';
import type { CrowdConfig, CrowdEvent, CrowdHistory } from './oracle/written.ts';
import { type ShowingServer, showingServer } from './showing-server.ts';

/** Steps of monotonic time in which Teller does what there is to do: 4 minutes in all, and no less than 2 real seconds. */
const STEPS = [
  ...Array.from({ length: 3 }, () => ({ ms: 0, realMs: 1 })),
  ...Array.from({ length: 40 }, () => ({ ms: 1_000, realMs: 1 })),
  ...Array.from({ length: 200 }, () => ({ ms: 1_000, realMs: 10 })),
];

/** Longer than Teller waits between two looks at the time. */
const NOTICED_WITHIN = 90_000;

/**
 * A whole Teller whose wall time is a practice clock that the test moves, with votes that arrive at its listener and a
 * game server over RCON. Monotonic time passes only in small steps, so that what Teller does comes at its time.
 */
export class DrivenTeller implements Driven {
  private app: App | null = null;
  private look: Ledger | null = null;

  private constructor(
    private config: CrowdConfig,
    private readonly machine: FakeClock,
    private readonly clock: PracticeClock,
    private readonly server: ShowingServer,
    private readonly place: { readonly config: string; readonly ledger: string },
  ) {}

  static async start({ startedAt, config }: CrowdHistory): Promise<DrivenTeller> {
    const place = configFolder();
    const machine = new FakeClock(startedAt);
    const clock = new PracticeClock(machine, join(place.folder, 'practice-clock.json'));
    const teller = new DrivenTeller(config, machine, clock, await showingServer(), place);
    await teller.begin();
    teller.look = lookInto(place.ledger);
    return teller;
  }

  /** Moves the practice clock, and then lets the last seconds pass, so that Teller notices what is due. */
  async passTo(at: number): Promise<void> {
    await this.clock.advance(Math.max(0, at - NOTICED_WITHIN - this.clock.now()));
    while (this.clock.now() < at) await this.step({ ms: Math.min(10_000, at - this.clock.now()), realMs: 1 });
  }

  async apply(event: CrowdEvent): Promise<void> {
    switch (event.kind) {
      case 'vote':
        return this.vote(event);
      case 'shown':
        this.server.show(event.players);
        // The second reading begins after everything that the first one has brought about is stored.
        return this.until(() => this.server.asked() >= 2, 'reads who is online');
      case 'listed':
        this.config = { ...this.config, sites: { ...this.config.sites, [event.service]: {} } };
        this.write();
        await this.stepping((this.app as App).reload(await loadConfig(this.place.config)));
        return;
      case 'void':
        return this.void(event.vote);
      case 'merged':
        return this.changing((ledger, config) => {
          const names = { name: readPlayer(event.name, config), into: readPlayer(event.into, config) };
          return mergePlayers(ledger, config, names, { by: 'operator', now: this.clock.now() });
        });
      case 'down':
        await this.stop();
        await this.passTo(event.until);
        return this.begin();
    }
  }

  async settle(expected: CrowdSeen): Promise<CrowdSeen> {
    const wanted = JSON.stringify(expected);
    for (const step of STEPS) {
      const seen = await this.seen();
      if (JSON.stringify(seen) === wanted) return seen;
      await this.step(step);
    }
    return this.seen();
  }

  sent(): readonly string[] {
    return this.server.commands;
  }

  async stop(): Promise<void> {
    if (this.app) await this.stepping(this.app.close());
    this.app = null;
  }

  private async begin(): Promise<void> {
    this.write();
    const config = await loadConfig(this.place.config);
    this.app = await this.stepping(startApp(config, testEnvironment(this.clock, silentLog)));
  }

  private write(): void {
    writeConfig(this.place.config, {
      ...entriesOf(this.config),
      gameServers: { main: this.server.gameServer },
    });
  }

  private async vote({ at, service, player }: Extract<CrowdEvent, { kind: 'vote' }>): Promise<void> {
    const { listener } = this.app as App;
    const wire = { serviceName: service, username: player, address: '', timestamp: String(at) };
    const to = { ...listener, auth: { version: 'v2', token: TOKEN } } as const;
    const { code } = await this.stepping(sendVote(wire, to, { clock: systemClock }));
    if (code !== 'accepted') throw new Error(`the vote of ${player} is answered with ${code}`);
  }

  private async void(number: number): Promise<void> {
    const votes = await (this.look as Ledger).votes({ limit: 1_000 });
    const ids = votes
      .toReversed()
      .slice(number, number + 1)
      .map(({ id }) => id);
    const order = { by: 'operator', reason: 'forged' };
    await this.changing((ledger) => ledger.voidVotes(ids, order, this.clock.now()));
  }

  /** As a command does it: with the ledger open beside the running Teller. */
  private async changing(change: (ledger: Ledger, config: Config) => Promise<unknown>): Promise<void> {
    const config = await loadConfig(this.place.config);
    const ledger = await openLedger(this.place.ledger, 'write', { clock: this.clock });
    await this.stepping(change(ledger, config));
    await ledger.close();
  }

  private seen(): Promise<CrowdSeen> {
    return seenIn(this.look as Ledger, this.server.commands);
  }

  private async step({ ms, realMs }: (typeof STEPS)[number]): Promise<void> {
    this.machine.advance(ms);
    await sleep(realMs);
  }

  private async until(isReached: () => boolean, what: string): Promise<void> {
    for (const step of STEPS) {
      if (isReached()) return;
      await this.step(step);
    }
    throw new Error(`Teller never ${what}`);
  }

  /** Without moving wall time noticeably. */
  private async stepping<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    while (!isSettled) await this.step({ ms: 1, realMs: 1 });
    return promise;
  }
}
