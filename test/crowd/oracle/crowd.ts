/**
 * An independent recomputation of what a crowd of players gets, for comparison with a running Teller. It imports nothing
 * from it, and asks the whole list of votes again for every party, top and join. Then the grants of a crowd, and what each of them
 * comes to while players come, go and change their names.
 */

import { DAY, localTime, MINUTE, periodOf } from '../../rewards/oracle/calendar.ts';
import { begun, decide, judge, record, type State } from '../../rewards/oracle/oracle.ts';
import { isCounted, type RecordedVote, storeWindow, windowOf } from '../../rewards/oracle/votes.ts';
import { type Change, currentName, isSame, markPassed, moveHistory, Players } from './players.ts';
import {
  type Counted,
  frozenAt,
  isChosen,
  type Placed,
  partiesOf,
  placesOf,
  type ReachedParty,
  topOccasion,
  votersOf,
} from './together.ts';
import type { CrowdConfig, CrowdEvent, CrowdHistory, RawParty, RawTop, Shown, When } from './written.ts';

/** What can be seen from outside. */
export interface CrowdSeen {
  /** `service player decision`, in the order of arrival. */
  readonly votes: readonly string[];
  /** `reward | occasion | state | name`, sorted; no name before it is paid. */
  readonly grants: readonly string[];
  /** Everything that the game server was sent, sorted. */
  readonly commands: readonly string[];
}

export interface Step {
  readonly event: CrowdEvent;
  /** When its time has come, and before it happens. */
  readonly before: CrowdSeen;
  readonly after: CrowdSeen;
}

export function recomputeCrowd(history: CrowdHistory): Step[] {
  const crowd = new Crowd(history);
  return history.events.map((event) => {
    crowd.pass(event.at);
    const before = crowd.seen();
    crowd.apply(event);
    return { event, before, after: crowd.seen() };
  });
}

/** "One reading of presence with enough players within 10 minutes, otherwise the voters." */
const READING_WITHIN = 10 * MINUTE;
/** "Pays such votes of the last 7 days." */
const PAID_WITHIN = 7 * DAY;

class Crowd {
  private readonly state: State;
  private readonly players = new Players();
  private readonly grants = new Grants(this.players);
  private readonly counted: Counted[] = [];
  private readonly names: string[] = [];
  /** How many parties of each name have been fixed. */
  private readonly fixed = new Map<string, number>();
  /** The last period of each top whose places are fixed. */
  private readonly frozen = new Map<string, number>();
  /** Who came first is first; of those who came at once, whom the game server lists first. */
  private online: readonly Shown[] = [];
  private listed: readonly Shown[] = [];
  private config: CrowdConfig;

  constructor({ config, startedAt }: CrowdHistory) {
    this.config = config;
    // No reward of a crowd has a chance.
    this.state = begun({ config, startedAt }, () => 0);
    for (const top of config.tops) this.frozen.set(top.name, this.periodAt(top, startedAt) - 1);
  }

  seen(): CrowdSeen {
    const votes = this.state.votes.map(
      ({ number, service, decision }) => `${service} ${this.names[number]} ${decision}`,
    );
    return { votes, ...this.grants.seen() };
  }

  /** What time alone brings about until then. */
  pass(now: number): void {
    for (const party of this.config.party) this.fixParties(party, now);
    for (const top of this.config.tops) this.freeze(top, now);
    this.grants.pay(this.online);
  }

  apply(event: CrowdEvent): void {
    switch (event.kind) {
      case 'vote':
        this.vote(event);
        break;
      case 'shown':
        this.show(event.players);
        break;
      case 'listed':
        this.list(event.service, event.at);
        break;
      case 'void':
        this.void(event.vote);
        break;
      case 'merged':
        for (const change of this.players.merge(event.name, event.into)) this.change(change);
        break;
      case 'down':
        this.online = this.listed;
    }
    this.pass(event.kind === 'down' ? event.until : event.at);
  }

  private vote({ at, service, player }: Extract<CrowdEvent, { kind: 'vote' }>): void {
    const holder = this.players.holderOf(player);
    const event = { kind: 'vote', service, player: holder.id, castAt: at, receivedAt: at } as const;
    this.names.push(player);
    this.judged(record(this.state, event), at);
  }

  /** "A voided vote is in no total … It marks no day." */
  private void(number: number): void {
    const vote = this.state.votes[number] as RecordedVote;
    vote.voided = true;
    for (const counted of this.counted)
      if (counted.vote === vote) counted.voidedAfter ??= this.counted.length;
  }

  private judged(vote: RecordedVote, at: number): void {
    if (isCounted(vote)) this.counted.push({ vote, at });
    for (const { name, granted } of judge(this.state, vote).rewards) {
      const reward = this.config.rewards.find((one) => one.name === name);
      for (const { occasion } of granted) this.grants.add(name, occasion, vote.player, reward?.when);
    }
  }

  /** "Only information from a game server joins names or moves grants." */
  private show(players: readonly Shown[]): void {
    const isAmong = (others: readonly Shown[], { name }: Shown): boolean =>
      others.some((other) => isSame(other.name, name));
    const staying = this.online.filter((one) => isAmong(players, one));
    this.online = [...staying, ...players.filter((one) => !isAmong(staying, one))];
    this.listed = players;
    // Twice, as a game server is asked again and again: the first time, the order of the list has a say.
    for (const { name, uuid } of [...players, ...players])
      for (const change of this.players.see(name, uuid)) this.change(change);
  }

  private change(change: Change): void {
    if (change.kind === 'replaced') {
      this.grants.hold(change.player);
      return;
    }
    moveHistory(this.state, change.from, change.into);
    this.grants.move(change.from, change.into);
    markPassed(this.state, change.into);
  }

  /** "Pays such votes of the last 7 days, oldest first, as if recorded at that moment." */
  private list(service: string, now: number): void {
    this.config = { ...this.config, sites: { ...this.config.sites, [service]: {} } };
    this.state.config = this.config;
    const waiting = this.state.votes
      .filter((vote) => vote.decision === 'unlisted' && vote.service === service && !vote.voided)
      .filter(({ castAt }) => castAt >= now - PAID_WITHIN)
      .sort((one, other) => one.castAt - other.castAt);
    for (const vote of waiting) {
      vote.entry = service;
      vote.decision = decide(this.state, vote);
      if (vote.decision === 'rewarded')
        storeWindow(this.state.votes, vote, windowOf(this.config, service, vote.castAt));
      this.judged(vote, now);
    }
  }

  private fixParties(party: RawParty, now: number): void {
    const reached = partiesOf(party, this.counted, this.config).slice(this.fixed.get(party.name) ?? 0);
    for (const one of reached) {
      const paid = this.paidFor(party, one, now);
      if (paid === null) return;
      this.fixed.set(party.name, one.number);
      for (const player of paid) this.grants.add(party.name, `party ${one.number}`, player, party.when);
    }
  }

  /** Null while the reading of presence is awaited. */
  private paidFor(party: RawParty, reached: ReachedParty, now: number): readonly (string | null)[] | null {
    if (party.for === 'once') return [null];
    if (party.for !== 'online') return votersOf(reached, party);
    if (now >= reached.dueAt + READING_WITHIN) return votersOf(reached, party);
    if (this.online.length < (party.minOnline ?? 1)) return null;
    return this.online.map(({ name }) => this.players.holderOf(name).id);
  }

  private periodAt({ period }: RawTop, at: number): number {
    return periodOf(period, localTime(this.config.timeZone, at).day);
  }

  private freeze(top: RawTop, now: number): void {
    const { timeZone } = this.config;
    for (;;) {
      const period = (this.frozen.get(top.name) as number) + 1;
      if (frozenAt(top, period, timeZone) > now) return;
      this.frozen.set(top.name, period);
      for (const { player, place } of this.placesOf(top, period))
        this.grants.add(top.name, topOccasion(top, period, place), player, top.when);
    }
  }

  private placesOf(top: RawTop, period: number): Placed[] {
    const chosen = this.counted.filter(({ vote }) => !vote.voided && isChosen(top.if, vote, this.config));
    return placesOf(top, period, chosen, this.isExcludedFrom(top));
  }

  private isExcludedFrom({ exclude = [] }: RawTop): (player: string) => boolean {
    const excluded = exclude.map((name) => name.toLowerCase());
    return (id) => this.players.byId(id).names.some((name) => excluded.includes(name.toLowerCase()));
  }
}

/** What is owed for one occasion. */
interface Owed {
  readonly reward: string;
  readonly occasion: string;
  /** Null where it is for nobody in particular. */
  player: string | null;
  readonly when: When;
  /** Whether it was open when someone else was seen under the player's name. */
  isHeld: boolean;
  /** Whether it could not be paid when it was made or released. */
  waits: boolean;
  /** The name that it was paid to; undefined: it is not paid. */
  paidTo?: string;
}

class Grants {
  private readonly all: Owed[] = [];
  private readonly commands: string[] = [];

  constructor(private readonly players: Players) {}

  add(reward: string, occasion: string, player: string | null, when: When = 'online'): void {
    this.all.push({ reward, occasion, player, when, isHeld: false, waits: false });
  }

  /** "A new UUID under an old name …: what waits for the old player is held." */
  hold(player: string): void {
    for (const grant of this.all)
      if (grant.player === player && grant.paidTo === undefined) grant.isHeld = true;
  }

  move(from: string, into: string): void {
    for (const grant of this.all) if (grant.player === from) grant.player = into;
  }

  /** Pays whatever can be paid while these players are on the game server. */
  pay(online: readonly Shown[]): void {
    const open = this.all.filter(({ paidTo }) => paidTo === undefined);
    for (const grant of open) {
      const name = this.payableTo(grant, online);
      grant.waits = name === null && !this.isHeld(grant);
      if (name === null) continue;
      grant.paidTo = name;
      this.commands.push(['say', grant.reward, name].filter((word) => word !== '').join(' '));
    }
  }

  private payableTo(grant: Owed, online: readonly Shown[]): string | null {
    const { player, when } = grant;
    if (player === null) return '';
    if (this.isHeld(grant)) return null;
    const own = currentName(this.players.byId(player));
    if (when === 'always') return own;
    // "Online under two of their names at once": what was waiting goes to "the name that joined first".
    const here = online.filter(({ name }) => this.players.holderOf(name).id === player);
    const asOwn = grant.waits ? undefined : here.find(({ name }) => isSame(name, own ?? ''));
    return (asOwn ?? here[0])?.name ?? null;
  }

  /** "And released when the old player's UUID is seen again under any name." */
  private isHeld({ player, isHeld }: Owed): boolean {
    if (player === null) return false;
    const owner = this.players.byId(player);
    return (isHeld && owner.isReplaced) || currentName(owner) === null;
  }

  seen(): Pick<CrowdSeen, 'grants' | 'commands'> {
    const spelt = (grant: Owed): string => {
      const { reward, occasion, paidTo } = grant;
      const open = this.isHeld(grant) ? 'held' : 'waiting';
      return [reward, occasion, paidTo === undefined ? open : 'delivered', paidTo ?? ''].join(' | ');
    };
    return { grants: this.all.map(spelt).sort(), commands: this.commands.toSorted() };
  }
}
