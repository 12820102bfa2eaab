/**
 * Random histories of a small network, as a list of steps that can be read: who votes where and by which channel, who joins,
 * what the operator does, what fails, and when Teller is not running. The same seed always makes the same history.
 */
import { DAY, firstInstant, HOUR, localTime, MINUTE } from '../../rewards/oracle/calendar.ts';
import { Seeded } from '../../support/seeded.ts';
import { Configs, LISTING, POSTING, SERVERS, SERVICES, type ServerName } from './config.ts';
import type { History, Step, Via, Vote } from './steps.ts';

/** Evenings before the end of a month, both changes of the clock, and a Sunday. */
const BEGINNINGS = ['2026-11-27', '2026-12-29', '2026-10-23', '2027-03-26', '2027-02-26', '2027-05-15'];
const NAMES = ['Alex', 'Sasha', 'Kim', 'Robin', '.Alex'];
/** Somebody who never comes, so that Teller always wants to know who is online. */
const NOBODY = 'Nobody';
/** A start takes longer than all else. */
const DOWNS_MAX = 2;
/** How wrong the machine's clock is for a while: less than is doubted, and more. */
const WRONG = [-2 * DAY, -3 * HOUR, -11 * MINUTE, 9 * MINUTE, 11 * MINUTE, 3 * HOUR, 2 * DAY];
const PAUSES = [1, 6, 11, 60, 120, 300, 720, 780, 1_440, 1_440, 4_320].map((minutes) => minutes * MINUTE);

/**
 * @param without kinds of steps that are left out; `joins`: everything that makes two names one player or splits them, by commands and
 * by what game servers show.
 */
export function randomHistory(seed: number, without: readonly string[] = []): History {
  const random = new Seeded(seed);
  const startedAt = Date.parse(`${random.pick(BEGINNINGS)}T00:00:00Z`) + random.below(24) * HOUR;
  const configs = new Configs(random, seed, startedAt);
  const config = configs.written();
  const hasJoins = !without.includes('joins');
  const all = new Writer(random, configs, startedAt, hasJoins).steps(80 + random.below(40));
  const steps = all.filter((step) => !without.includes(step.kind) && (hasJoins || !joinsNames(step)));
  const names = new Set(steps.flatMap((step) => (step.kind === 'vote' ? [step.vote.player] : [])));
  names.delete(NOBODY);
  return { seed, startedAt, config, names: NAMES.concat('Toni').filter((name) => names.has(name)), steps };
}

const joinsNames = (step: Step): boolean =>
  step.kind === 'command' && step.words[0] === 'players' && step.words[1] !== 'forget';

interface Voting {
  readonly player: string;
  readonly service: string;
  readonly via?: readonly Via[];
  /** Not some time before it is reported. */
  readonly isNow?: boolean;
}

class Writer {
  private now: number;
  private readonly written: Step[] = [];
  private readonly votes: Vote[] = [];
  private readonly uuids = new Map<string, string>();
  private readonly here = new Map<ServerName, readonly string[]>();
  private people: readonly string[];
  private readonly joined: string[] = [];
  private paused: readonly string[] | null = null;
  private downs = 0;
  private isWrong = false;
  /** The next time that it is down, the backup is restored. */
  private isSaved = false;

  constructor(
    private readonly random: Seeded,
    private readonly configs: Configs,
    startedAt: number,
    private readonly hasJoins: boolean,
  ) {
    this.now = startedAt;
    this.people = NAMES.slice(0, 2 + random.below(NAMES.length - 1));
    const kind = random.pick(['11111111-1111-4111-8111-', '11111111-1111-3111-8111-']);
    for (const [index, name] of [...NAMES, 'Toni'].entries()) {
      const beginning = name.startsWith('.') ? '00000000-0000-0000-0009-' : kind;
      this.uuids.set(name, beginning + String(index).padStart(12, '0'));
    }
  }

  steps(count: number): readonly Step[] {
    this.vote({ player: NOBODY, service: 'A', via: ['v2'] });
    while (this.written.length < count) this.something();
    if (this.isWrong) this.clock();
    for (const server of SERVERS) {
      this.online(server, this.people);
      this.pass(2 * HOUR);
    }
    this.pass(DAY);
    return this.written;
  }

  private something(): void {
    const { random } = this;
    const roll = random.below(100);
    if (this.isWrong && random.chance(0.2)) this.clock();
    if (this.isSaved && random.chance(0.1)) this.down();
    if (roll < 40) this.someVotes();
    else if (roll < 53) this.pass(random.pick(PAUSES));
    else if (roll < 66) this.someOnline();
    else if (roll < 83) this.command();
    else if (roll < 89) this.write({ kind: 'reload', config: this.configs.next() });
    else if (roll < 93 && this.downs < DOWNS_MAX) this.down();
    else if (roll < 96) this.fault();
    else if (roll < 98) this.clock();
    else this.write({ kind: 'listing', isUp: random.chance(0.6) });
  }

  private write(step: Step): void {
    this.written.push(step);
  }

  private pass(ms: number): void {
    this.passTo(this.now + ms);
  }

  private passTo(at: number): void {
    if (at <= this.now) return;
    this.now = at;
    this.write({ kind: 'time', at });
  }

  /** One person on several sites, or several people on one. Often at the edge of a window or of a day. */
  private someVotes(): void {
    const { random } = this;
    const [player, service] = [random.pick(this.people), random.pick(SERVICES)];
    const isOne = random.chance(0.5);
    const isAtEdge = random.chance(0.5);
    if (isAtEdge) this.passToEdge(player, service);
    const first = random.below(SERVICES.length);
    for (let index = random.pick([0, 0, 1, 2]); index >= 0; index--) {
      const also = isOne ? (SERVICES[(first + index) % SERVICES.length] as string) : service;
      const isFirst = index === 0;
      this.vote({
        player: isOne || isFirst ? player : random.pick(this.people),
        service: isFirst ? service : also,
        isNow: isAtEdge,
      });
    }
  }

  /** To the instant at which a window, a day or a time away ends, a millisecond before it or after it. */
  private passToEdge(player: string, service: string): void {
    const { random, configs, now } = this;
    const lastOf = (isWanted: (vote: Vote) => boolean): number =>
      this.votes.findLast((vote) => vote.player === player && isWanted(vote))?.castAt ?? now;
    const cooldown = configs.sites[service]?.cooldown ?? configs.sites.default?.cooldown ?? '24h';
    const windowEnd =
      lastOf((vote) => vote.service === service) + Number(/^(\d+)h$/.exec(cooldown)?.[1] ?? 24) * HOUR;
    const awayEnd = lastOf(() => true) + random.pick([24, 36, 72, 168]) * HOUR;
    const { day } = localTime(configs.timeZone, now);
    const start = random.pick([0, 0, 0, 4 * HOUR, 18 * HOUR]);
    const midnight = firstInstant(configs.timeZone, day + random.pick([0, 1, 1, 1, 2, 7]), start);
    this.passTo(random.pick([windowEnd, windowEnd, awayEnd, midnight]) + random.pick([-1, 0, 0, 1, MINUTE]));
  }

  /** It is set wrong, or right again. What was held meanwhile may be released, also before. */
  private clock(): void {
    const { random } = this;
    if (random.chance(0.3)) this.say(['clock', 'release', '--yes']);
    this.isWrong = !this.isWrong;
    this.write({ kind: 'clock', wrongByMs: this.isWrong ? random.pick(WRONG) : 0 });
  }

  private vote({ player, service, via, isNow = false }: Voting): void {
    const { random } = this;
    const again = this.votes.at(-1);
    // Also the same vote once more, as a listing that repeats itself sends it.
    if (again !== undefined && random.chance(0.05)) this.write({ kind: 'vote', vote: again });
    const channels = via ?? this.channelsOf(service);
    const isLate = channels.every((each) => each === 'webhook' || each === 'api') && random.chance(0.5);
    const early = isNow ? 0 : random.pick([0, 0, 0, 1, 1_000, 60_000, 10 * MINUTE, 10 * MINUTE + 1]);
    const ago = isLate ? this.late(player) : early;
    const vote: Vote = {
      ...{ player: random.chance(0.05) ? player.toLowerCase() : player, service, via: channels },
      ...{ castAt: this.now - ago, stamp: random.pick(['ms', 'ms', 's', 'none'] as const) },
      number: this.votes.length + 1,
    };
    this.votes.push(vote);
    this.write({ kind: 'vote', vote });
  }

  private channelsOf(service: string): readonly Via[] {
    const { random } = this;
    const seldom = random.chance(0.1) ? 'wrong token' : 'v2';
    const listener = random.pick(['v2', 'v2', 'v2', 'v1', seldom] as const);
    if (service === POSTING)
      return random.pick([['webhook'], ['webhook'], [listener, 'webhook'], [listener]] as const);
    if (service !== LISTING) return [listener];
    return random.pick<readonly Via[]>([
      ...([['webhook'], ['api'], ['api'], [listener], ['webhook', 'api']] as const),
      ...([
        [listener, 'webhook', 'api'],
        ['api', listener],
        ['webhook', listener],
      ] as const),
    ]);
  }

  /** How long ago a late vote was cast: days, or at the edge of the window of another vote. */
  private late(player: string): number {
    const { random } = this;
    const other = this.votes.findLast((vote) => vote.player === player);
    const nearOther = this.now - (other?.castAt ?? this.now) + random.pick([-24, -12, 12, 24]) * HOUR;
    const hours = [1, 6, 24, 48, 96].map((each) => each * HOUR);
    const ago = random.pick([...hours, 6 * HOUR + 1, 2 * DAY + 1, nearOther, nearOther]);
    return Math.max(0, ago + random.pick([-1, 0, 0, 1]));
  }

  private someOnline(): void {
    const { random } = this;
    const share = random.pick([0, 0.4, 0.7, 1]);
    this.online(
      random.pick(SERVERS),
      this.people.filter(() => random.chance(share)),
    );
    if (random.chance(0.1)) this.rename();
  }

  /** Players are on one game server at a time, under one name: otherwise it would be by chance which one pays them. */
  private online(server: ServerName, names: readonly string[]): void {
    const other = server === 'main' ? 'sky' : 'main';
    const there = this.here.get(other) ?? [];
    const uuids = names.map((name) => this.uuids.get(name));
    const staying = there.filter((name) => !names.includes(name) && !uuids.includes(this.uuids.get(name)));
    if (staying.length < there.length) this.show(other, staying);
    this.show(server, names);
  }

  private show(server: ServerName, names: readonly string[]): void {
    this.here.set(server, names);
    const players = names.map((name) => ({ name, uuid: this.uuids.get(name) ?? '' }));
    this.write({ kind: 'online', server, players });
  }

  /** The first player is called Toni from now on, and is seen as such; or someone else has taken their name. */
  private rename(): void {
    const [first, ...others] = this.people;
    if (first === undefined || first === 'Toni' || first.startsWith('.')) return;
    if (this.random.chance(0.5)) {
      if (this.hasJoins) this.uuids.set('Toni', this.uuids.get(first) ?? '');
      this.people = ['Toni', ...others];
      this.joined.push('Toni');
    } else
      this.uuids.set(first, `11111111-1111-4111-8111-${String(90 + this.written.length).padStart(12, '0')}`);
    this.online('main', this.people);
  }

  private command(): void {
    const { random } = this;
    const roll = random.below(100);
    if (roll < 40) this.say(this.aboutVotes());
    else if (roll < 60) this.say(this.aboutPlayers());
    else if (roll < 80) this.say(this.aboutGrants());
    else if (roll < 92 || this.isSaved || this.downs === DOWNS_MAX) this.say(this.aboutPauses());
    else {
      this.isSaved = true;
      this.write({ kind: 'backup' });
    }
  }

  private say(words: readonly string[]): void {
    this.write({ kind: 'command', words: [...words, '--json'] });
  }

  private aboutVotes(): readonly string[] {
    const { random, now } = this;
    // Most often one of the latest, because the rounds of parties, windows and streaks in progress have those.
    const vote = random.chance(0.6) ? `@newest ${random.below(4)}` : `@vote ${random.below(100)}`;
    const at = new Date(now - random.pick([0, HOUR, DAY, DAY, 2 * DAY, 9 * DAY])).toISOString();
    const [player, site] = [random.pick(this.people), random.pick(SERVICES)];
    return random.pick([
      ['votes', 'void', vote, '--reason', 'forged', '--yes'],
      ['votes', 'void', vote, '--reason', 'forged', '--yes'],
      ['votes', 'add', '--player', player, '--site', site, '--at', at],
      ['votes', 'add', '--player', player, '--site', site, '--at', at],
      ['votes', 'reward', vote, '--yes'],
    ]);
  }

  /** Names are joined and split again, where no UUID speaks against it; seldom is a player forgotten, who has little left to compare. */
  private aboutPlayers(): readonly string[] {
    const { random } = this;
    const [player, other] = [random.pick(this.people), random.pick(this.people)];
    if (random.chance(0.05)) return ['players', 'forget', player, '--yes'];
    const joined = this.joined.shift();
    if (joined !== undefined && random.chance(0.7)) return ['players', 'split', joined, '--yes'];
    this.joined.push(player);
    return ['players', 'merge', player, '--into', other, '--yes'];
  }

  private aboutGrants(): readonly string[] {
    const { random } = this;
    const grant = `@${random.pick(['held', 'held', 'refused', 'waiting', 'pending'])} ${random.below(100)}`;
    const [reward, player] = [random.pick(['each', ...this.configs.rewardNames]), random.pick(this.people)];
    return random.pick([
      ['reward', reward, '--player', player],
      ['reward', reward, '--player', player, '--server', random.pick(SERVERS)],
      ...['pay', 'ran', 'cancel', 'mark-paid'].map((what) => ['grants', what, grant, '--yes']),
    ]);
  }

  private aboutPauses(): readonly string[] {
    const { random, paused } = this;
    if (paused !== null) {
      this.paused = null;
      return ['resume', ...paused];
    }
    const reward = random.pick(['each', ...this.configs.rewardNames]);
    this.paused = random.pick([['--server', random.pick(SERVERS)], ['--reward', reward], []]);
    return ['pause', ...this.paused];
  }

  private down(): void {
    const { random } = this;
    this.downs += 1;
    this.now += random.pick([0, MINUTE, HOUR, DAY, 3 * DAY]);
    const how = this.isSaved ? 'restore' : random.pick(['kill', 'kill', 'stop'] as const);
    const changed = how === 'restore' || random.chance(0.2) ? { config: this.configs.next() } : {};
    this.isSaved = false;
    this.write({ kind: 'down', how, until: this.now, ...changed });
  }

  private fault(): void {
    const { random } = this;
    const kind = random.pick(['lose', 'lose', 'refuse', 'away', 'away', 'hang up'] as const);
    const reward = random.pick(['each', 'some', 'row', ...this.configs.rewardNames]).replace(/-.*/, '');
    const failing = { kind, player: random.pick(this.people), reward, times: 1 + random.below(2) };
    this.write({ kind: 'fault', server: random.pick(SERVERS), failing });
  }
}
