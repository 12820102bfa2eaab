import type { Clock } from '../../core/clock.ts';
import { localDay } from '../../core/local-time.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { openCommand } from '../../core/template.ts';
import type { Ledger, PresentPlayer, ReachedParty } from '../../ledger/ledger.ts';
import { drawFor } from '../../rewards/draws.ts';
import { leftUntil } from '../../rewards/party.ts';
import type { Party, Rules } from '../../rewards/reward.ts';
import type { SeenPlayers } from '../seen-players.ts';
import { type GameServers, presentOn, tell } from './game-servers.ts';

export interface PartySettings {
  readonly rules: Rules;
  readonly bedrockPrefixes: readonly string[];
  readonly servers: GameServers;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

export interface PartiesParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called when there are new grants. */
  readonly onGrants: () => void;
}

/** How long enough players are waited for. After that, the voters are paid. */
const ONLINE_WAIT_MS = 10 * 60_000;
/** How often who is online is read meanwhile. */
const READ_INTERVAL_MS = 10_000;

/** How far it is stored who is paid for a party. */
interface Fixing {
  readonly after: number;
  /** How many were created until now. */
  readonly grants: number;
}

/** A party that waits for enough players, in monotonic time. */
interface Waiting {
  readonly since: number;
  readonly readAt: number;
}

/** Left votes as they were when they were last looked at. */
interface Left {
  readonly number: number;
  readonly left: number;
}

/** Pays the parties that were reached, and tells players how many votes are left. Methods reject with the ledger's Problem. */
export class Parties {
  private readonly waiting = new Map<number, Waiting>();
  private readonly fixing = new Map<number, Fixing>();
  private readonly seen = new Map<string, Left>();

  constructor(private readonly parts: PartiesParts) {}

  /** Stores who is paid for each party that was reached; of many voters a portion, and the next one at the next call. */
  async pay(settings: PartySettings): Promise<void> {
    const { parties } = settings.rules;
    if (parties.length === 0) return;
    for (const reached of await this.parts.ledger.reachedParties()) {
      const party = parties.find(({ name }) => name === reached.party);
      if (party !== undefined) await this.payOne(reached, party, settings);
    }
  }

  /** Reads who is online at the next try, however short the last reading is ago. */
  readNow(): void {
    for (const [id, { since }] of this.waiting)
      this.waiting.set(id, { since, readAt: Number.NEGATIVE_INFINITY });
  }

  private async payOne(reached: ReachedParty, party: Party, settings: PartySettings): Promise<void> {
    const isForOnline = party.for === 'online' && !reached.isBegun && !this.isWaitOver(reached);
    if (isForOnline && !this.isReadingDue(reached.id)) return;
    const present = isForOnline ? await enoughPresent(party, settings) : null;
    if (isForOnline && present === null) return;
    const { ledger, clock, random, log, onGrants } = this.parts;
    const { id, number } = reached;
    const before = this.fixing.get(id) ?? { after: 0, grants: 0 };
    const order = { id, party, present, rules: settings.rules, draws: drawFor(random) };
    const { next, ...created } = await ledger.fixParty(order, before.after, clock.now());
    if (created.grants > 0) onGrants();
    const grants = before.grants + created.grants;
    if (next !== null) {
      this.fixing.set(id, { after: next, grants });
      return;
    }
    this.waiting.delete(id);
    this.fixing.delete(id);
    const fields = { code: 'party', party: party.name, number, grants };
    log.info(fields, `party ${number} of ${party.name} was reached: ${grants} grant(s)`);
  }

  /** By either time, because wall time may be set back, and monotonic time begins with the process. */
  private isWaitOver({ id, reachedAt }: ReachedParty): boolean {
    const { clock } = this.parts;
    const since = this.waiting.get(id)?.since ?? clock.monotonic();
    return clock.now() - reachedAt >= ONLINE_WAIT_MS || clock.monotonic() - since >= ONLINE_WAIT_MS;
  }

  private isReadingDue(id: number): boolean {
    const now = this.parts.clock.monotonic();
    const { since, readAt } = this.waiting.get(id) ?? { since: now, readAt: Number.NEGATIVE_INFINITY };
    if (now - readAt < READ_INTERVAL_MS) return false;
    this.waiting.set(id, { since, readAt: now });
    return true;
  }

  /** Says how many votes are left where that has just become one of the wanted numbers. */
  async announce({ rules, servers }: PartySettings): Promise<void> {
    if (rules.parties.every(({ announceLeft }) => announceLeft.length === 0)) return;
    const today = localDay(this.parts.clock.now(), rules.zone);
    const progress = await this.parts.ledger.partyProgress();
    for (const party of rules.parties) {
      const found = progress.find((each) => each.party === party.name) ?? null;
      const now = { number: found?.number ?? 1, left: leftUntil(party, found, today) };
      const before = this.seen.get(party.name);
      this.seen.set(party.name, now);
      if (before !== undefined && isWorthSaying(party, before, now)) await sayLeft(party, now.left, servers);
    }
  }
}

/** null: too few players are seen online. */
async function enoughPresent(
  { servers, minOnline }: Party,
  settings: PartySettings,
): Promise<readonly PresentPlayer[] | null> {
  const present = await presentOn(servers, settings.servers, settings.bedrockPrefixes, settings.seen);
  return present.length >= minOnline ? present : null;
}

function isWorthSaying({ announceLeft, every }: Party, before: Left, now: Left): boolean {
  const from = before.number === now.number ? before.left : every;
  return announceLeft.some((wanted) => wanted < from && wanted >= now.left);
}

async function sayLeft({ announce, servers, every }: Party, left: number, on: GameServers): Promise<void> {
  const figures = { partyLeft: left, partyVotes: every - left };
  const values = { site: '', service: '', figures };
  await tell(
    servers,
    announce.map((template) => openCommand(template, values)),
    on,
  );
}
