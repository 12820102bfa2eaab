import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Apart, apart, typedApart } from '../kit/apart.ts';
import { type Looked, looking } from '../kit/ledger-file.ts';
import { furnish, type Place } from '../kit/place.ts';
import { RawClient } from '../kit/practice.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Driven, entriesOf, seenIn } from './compared.ts';
import type { CrowdSeen } from './oracle/crowd.ts';
import { afterwards, type CrowdEvent, type CrowdHistory, type Shown } from './oracle/written.ts';

const GAME_SERVERS = {
  main: {
    ...{ kind: 'practice', autoJoin: false, joinDelay: '0s' },
    ...{ commandPause: '0s', presenceInterval: '1s' },
  },
};

/** How long Teller gets to come to what is expected: longer than it ever pauses between two looks at the time. */
const PATIENCE_MS = 15_000;
/** When time is moved on by a second, so that Teller looks at what is due at once instead of when it would by itself. */
const NUDGE_AFTER_MS = 60;
const POLL_MS = 10;

/** How a tester logs in at a practice server to control it, and how it begins to refuse a request. */
const CONTROL_LOGIN_ID = 20_563;
const REFUSED = 'No: ';

/**
 * `teller run --practice-clock` as a process of its own, with a practice server. Time, players and sites change by what
 * testers have for that: `teller practice`, `teller sites add`, kill -9, and the next start.
 */
export class PracticedTeller implements Driven {
  private look: Looked | null = null;
  private process: Apart | null = null;
  private control: RawClient | null = null;
  private offsetMs = 0;
  private online: readonly Shown[] = [];
  /** What the practice servers of ended processes ran. */
  private earlier: readonly string[] = [];
  private readonly listed = new Set<string>();

  private constructor(private readonly place: Place) {}

  /** For a history that begins in the future: `inFuture`. */
  static async start({ startedAt, config }: CrowdHistory): Promise<PracticedTeller> {
    const log = { level: 'debug', format: 'json' };
    const written = { ...entriesOf(config), log, gameServers: GAME_SERVERS };
    const teller = new PracticedTeller(furnish(temporaryFolder(), written));
    await teller.sleepTo(startedAt);
    await teller.begin();
    teller.look = looking(teller.place);
    return teller;
  }

  async passTo(at: number): Promise<void> {
    if (at > this.now()) await this.move(at - this.now());
  }

  async apply(event: CrowdEvent): Promise<void> {
    switch (event.kind) {
      case 'vote':
        return this.vote(event);
      case 'shown':
        return this.show(event.players);
      case 'listed':
        return this.list(event.service);
      case 'void':
        return this.void(event.vote);
      case 'merged':
        await this.run('players', 'merge', event.name, '--into', event.into, '--yes');
        return;
      case 'down':
        return this.down(event.until);
    }
  }

  async settle(expected: CrowdSeen): Promise<CrowdSeen> {
    const wanted = JSON.stringify(expected);
    const isReached = async () => JSON.stringify(await this.seen()) === wanted;
    await this.until(isReached);
    return this.seen();
  }

  sent(): readonly string[] {
    return [...this.earlier, ...this.ran(/^say /)];
  }

  async stop(): Promise<void> {
    await this.process?.kill();
  }

  private async vote({ at, service, player }: Extract<CrowdEvent, { kind: 'vote' }>): Promise<void> {
    const answer = await this.process?.vote({ player, site: service, at });
    if (answer !== 'ok') throw new Error(`the vote of ${player} is answered with ${answer}`);
  }

  /** Teller reads who is online twice, as it does in time: the second reading begins after the first one is stored. */
  private async show(players: readonly Shown[]): Promise<void> {
    const isIn = (all: readonly Shown[]) => (one: Shown) =>
      all.some(({ name, uuid }) => name === one.name && uuid === one.uuid);
    const gone = this.online.filter((one) => !isIn(players)(one));
    const come = players.filter((one) => !isIn(this.online)(one));
    this.online = players;
    await this.ask(
      ...gone.map(({ name }) => `practice leave "${name}"`),
      ...come.map(({ name, uuid }) => `practice join "${name}" "${uuid}"`),
    );
    for (let times = 0; times < 3; times++) await this.readAgain();
  }

  private async readAgain(): Promise<void> {
    const readings = () => this.ran(/^(?:minecraft:)?list uuids$/).length;
    const before = readings();
    await this.move(1_000);
    if (!(await this.until(async () => readings() > before)))
      throw new Error('Teller never reads who is online');
  }

  private async list(service: string): Promise<void> {
    if (this.listed.has(service)) return;
    this.listed.add(service);
    await this.run('sites', 'add', service, '--yes');
  }

  private async void(number: number): Promise<void> {
    const vote = (await this.look?.votes())?.[number];
    await this.run('votes', 'void', String(vote?.id), '--reason', 'forged', '--yes');
  }

  private async down(until: number): Promise<void> {
    await this.process?.kill();
    this.earlier = this.sent();
    await this.sleepTo(until);
    await this.begin();
    const players = this.online;
    this.online = [];
    // Where nothing waits, Teller does not ask who is online, and there is nobody.
    if (players.length > 0) await this.show(players);
  }

  private async begin(): Promise<void> {
    this.process = await apart(this.place, [], ['--practice-clock']);
    const file = join(this.place.folder, 'data/practice-main.json');
    const address: { host: string; port: number; password: string } = JSON.parse(readFileSync(file, 'utf8'));
    this.control = await RawClient.open(address);
    this.control.send({ id: CONTROL_LOGIN_ID, type: 3, body: address.password });
    await this.control.next();
  }

  private now(): number {
    return Date.now() + this.offsetMs;
  }

  private async move(byMs: number): Promise<void> {
    const seconds = Math.floor(byMs / 1_000);
    const steps = [`${seconds}s`, `${Math.ceil(byMs - seconds * 1_000)}ms`].filter(
      (step) => !/^0/.test(step),
    );
    const answers = await this.ask(...steps.map((step) => `practice clock "${step}"`));
    this.offsetMs = JSON.parse(answers.at(-1) ?? '{}').offsetMs;
  }

  /** Moves the clock while no Teller runs. */
  private async sleepTo(at: number): Promise<void> {
    const seconds = Math.max(0, Math.ceil((at - this.now()) / 1_000));
    if (seconds === 0) return;
    const out = await this.run('practice', 'clock', `${seconds}s`, '--json');
    this.offsetMs = JSON.parse(out)[0]?.offsetMs ?? 0;
  }

  /** In one piece, so that the practice server changes between two questions of Teller. */
  private async ask(...requests: readonly string[]): Promise<string[]> {
    const control = this.control as RawClient;
    control.send(...requests.map((body, id) => ({ id, type: 2, body })));
    const answers: string[] = [];
    for (const request of requests) {
      const reply = await control.next();
      if (reply === 'closed' || reply.body.startsWith(REFUSED))
        throw new Error(`${request}: ${reply === 'closed' ? reply : reply.body}`);
      answers.push(reply.body);
    }
    return answers;
  }

  private async run(...words: string[]): Promise<string> {
    const { code, out, err } = await typedApart(this.place, words);
    if (code !== 0) throw new Error(`teller ${words.join(' ')} ended with ${code}: ${err}`);
    return out;
  }

  private seen(): Promise<CrowdSeen> {
    return seenIn(this.look as Looked, this.sent());
  }

  /** The commands of this process that its practice server ran. */
  private ran(wanted: RegExp): string[] {
    const lines = this.process?.log().split('\n').slice(0, -1) ?? [];
    return lines.flatMap((line) => {
      if (!line.includes('"practice-command"')) return [];
      const { command } = JSON.parse(line) as { command: string };
      return wanted.test(command) ? [command] : [];
    });
  }

  /** @returns whether it is so in time. */
  private async until(isReached: () => Promise<boolean>): Promise<boolean> {
    const begun = performance.now();
    for (let nudgeAt = begun + NUDGE_AFTER_MS; !(await isReached()); await sleep(POLL_MS)) {
      const now = performance.now();
      if (now - begun > PATIENCE_MS) return false;
      if (now < nudgeAt) continue;
      await this.move(1_000);
      // Rarer and rarer, because votes come a minute apart.
      nudgeAt = now + 2 * (now - begun);
    }
    return true;
  }
}

export const inFuture = (history: CrowdHistory): CrowdHistory => afterwards(history, Date.now());
