/** Players who come and go: those of a town, who move between game servers, and those of realm, who are renamed. */
import type { Seeded } from '../support/seeded.ts';
import type { MinecraftServer } from './game-servers.ts';
import { ACCOUNTS, NEWS, type Site, TOWN } from './sites.ts';
import type { Ballots, SentVote } from './voters.ts';

const PEOPLE = 5;
const VOTES = 0.6;
const MOVES = 0.2;
const STRANGER_VOTES = 0.1;

/** Players who vote again and again, and move between two game servers; and strangers, who are on none. */
export class Town {
  readonly people = Array.from({ length: PEOPLE }, (_, at) => `Town${at + 1}`);
  private readonly votedAt = new Map<string, number>();
  private strangers = 0;

  constructor(
    private readonly random: Seeded,
    private readonly ballots: Ballots,
    private readonly servers: { readonly main: MinecraftServer; readonly sky: MinecraftServer },
  ) {}

  some(): SentVote[] {
    this.move();
    return [
      ...(this.random.chance(VOTES) ? this.voteOf(this.random.pick(this.people), TOWN) : []),
      ...(this.random.chance(VOTES) ? this.voteOf(this.random.pick(this.people), NEWS) : []),
      ...(this.random.chance(STRANGER_VOTES) ? this.voteOfStranger() : []),
    ];
  }

  /** From now on, everyone is on both game servers, as they are listed for a moment when they move. */
  gather(): void {
    this.servers.main.joinAll(this.people);
    this.servers.sky.joinAll(this.people);
  }

  private move(): void {
    if (!this.random.chance(MOVES)) return;
    const [player, to] = [this.random.pick(this.people), this.random.pick(['main', 'sky', null] as const)];
    for (const server of Object.values(this.servers)) server.leave(player);
    if (to !== null) this.servers[to].join(player);
  }

  /** None if they voted there just now: every vote is outside the windows of the others. */
  private voteOf(player: string, site: Site): SentVote[] {
    const key = `${player} ${site.name}`;
    const now = Date.now();
    if (now - (this.votedAt.get(key) ?? 0) <= site.windowMs) return [];
    this.votedAt.set(key, now);
    return [this.ballots.castNow(site, player, ['listener-v2'])];
  }

  private voteOfStranger(): SentVote[] {
    this.strangers += 1;
    return [this.ballots.castNow(NEWS, strangerName(this.strangers))];
  }
}

const strangerName = (number: number): string => `Stranger${number}`;

export const isStranger = (player: string): boolean => player.toLowerCase().startsWith('stranger');

/** Someone with a UUID. Their name may change. */
export interface Account {
  readonly uuid: string;
  name: string;
  isOnline: boolean;
}

const PLAYERS = 5;
const ACCOUNT_VOTES = 0.5;
const COMES_OR_GOES = 0.4;
const IS_RENAMED = 0.3;
const NAME_IS_TAKEN = 0.3;
/** A name is free for so long, which is longer than Teller believes a list of players. */
const FREE_FOR_MS = 5_000;

/**
 * Players who vote, and are renamed while they are offline, but only after they were paid under the name that they have:
 * then Teller has seen it with their UUID. Strangers take the names that become free, and never vote.
 */
export class Accounts {
  /** Who cast a vote, by its ID. */
  readonly casters = new Map<string, Account>();
  readonly strangers: Account[] = [];
  private readonly players: Account[];
  private readonly votedAt = new Map<Account, number>();
  private readonly freeNames: { readonly name: string; readonly since: number }[] = [];
  private names = 0;
  private uuids = 0;

  /** @param realm the game server that shows their UUIDs. */
  constructor(
    private readonly random: Seeded,
    private readonly ballots: Ballots,
    private readonly realm: MinecraftServer,
  ) {
    this.players = Array.from({ length: PLAYERS }, () => this.open(this.newName()));
  }

  some(): SentVote[] {
    if (this.random.chance(COMES_OR_GOES)) this.comeOrGo(this.random.pick(this.everyone));
    if (this.random.chance(IS_RENAMED)) this.renameOne();
    if (this.random.chance(NAME_IS_TAKEN)) this.takeName();
    return this.random.chance(ACCOUNT_VOTES) ? this.voteOf(this.random.pick(this.players)) : [];
  }

  /** From now on, everyone is online. */
  gather(): void {
    for (const { name, uuid } of this.everyone) this.realm.join(name, uuid);
  }

  /** What they were given, under whatever name. */
  giftsOf({ uuid }: Account): number {
    return this.realm.applesOf(uuid);
  }

  /** How often a player was renamed. */
  get renamed(): number {
    return this.names - PLAYERS;
  }

  private get everyone(): readonly Account[] {
    return [...this.players, ...this.strangers];
  }

  private comeOrGo(account: Account): void {
    account.isOnline = !account.isOnline;
    if (account.isOnline) this.realm.join(account.name, account.uuid);
    else this.realm.leave(account.name);
  }

  private renameOne(): void {
    const player = this.players.find(({ name, isOnline }) => !isOnline && this.wasPaidAs(name));
    if (player === undefined) return;
    this.freeNames.push({ name: player.name, since: Date.now() });
    player.name = this.newName();
  }

  private wasPaidAs(name: string): boolean {
    return this.realm.recorded.some(({ command, hasRun }) => hasRun && command === `give ${name} apple 1`);
  }

  private takeName(): void {
    const [free] = this.freeNames;
    if (free === undefined || Date.now() - free.since < FREE_FOR_MS) return;
    this.freeNames.shift();
    const stranger = this.open(free.name);
    this.strangers.push(stranger);
    this.comeOrGo(stranger);
  }

  private voteOf(player: Account): SentVote[] {
    const now = Date.now();
    if (now - (this.votedAt.get(player) ?? 0) <= ACCOUNTS.windowMs) return [];
    this.votedAt.set(player, now);
    const vote = this.ballots.castNow(ACCOUNTS, player.name, ['listener-v2']);
    this.casters.set(vote.id, player);
    return [vote];
  }

  private open(name: string): Account {
    this.uuids += 1;
    const uuid = `00000001-0000-4000-8000-${String(this.uuids).padStart(12, '0')}`;
    return { uuid, name, isOnline: false };
  }

  private newName(): string {
    this.names += 1;
    return `Name${this.names}`;
  }
}
