import type { Random } from '../../src/core/random.ts';
import type { PracticeServer } from '../../src/practice/server.ts';
import { happens, oneOf } from './chance.ts';
import { ACCOUNTS } from './sites.ts';
import type { Ballots, SentVote } from './votes.ts';

/** Someone with a UUID. Their name may change. */
export interface Account {
  readonly uuid: string;
  name: string;
  isOnline: boolean;
}

const PLAYERS = 5;
const VOTES = 0.5;
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
    private readonly random: Random,
    private readonly ballots: Ballots,
    private readonly realm: PracticeServer,
  ) {
    this.players = Array.from({ length: PLAYERS }, () => this.open(this.newName()));
  }

  some(): SentVote[] {
    if (happens(this.random, COMES_OR_GOES)) this.comeOrGo(oneOf(this.random, this.everyone));
    if (happens(this.random, IS_RENAMED)) this.renameOne();
    if (happens(this.random, NAME_IS_TAKEN)) this.takeName();
    return happens(this.random, VOTES) ? this.voteOf(oneOf(this.random, this.players)) : [];
  }

  /** From now on, everyone is online. */
  gather(): void {
    for (const { name, uuid } of this.everyone) this.realm.join(name, uuid);
  }

  /** What they own, which the game server keeps by UUID; of someone who has never come under their name, nothing. */
  giftsOf({ name }: Account): number {
    return this.realm.inventory(name).apple ?? 0;
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
    return this.realm.commands().some(({ reply }) => reply === `Gave 1 [Apple] to ${name}`);
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
