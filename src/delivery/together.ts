/**
 * What players earn together: parties that are reached by the votes of all, and the places of a period that is over. All of it, and what
 * players are told again and again (`telling.ts`), happens in the one process that delivers (rule 6).
 */
import type { Clock } from '../core/clock.ts';
import { localDay } from '../core/local-time.ts';
import type { Log } from '../core/log.ts';
import { daysOf, periodName, periodOf } from '../core/period.ts';
import { periodEnd } from '../core/period-end.ts';
import type { Random } from '../core/random.ts';
import { Repeating } from '../core/repeating.ts';
import { openCommand } from '../core/template.ts';
import type { Ledger, ReachedParty, TopOrder } from '../ledger/ledger.ts';
import { drawFor, type Party, type Top } from '../rewards/reward.ts';
import { leftUntil, placesOf, RunningStandings } from '../rewards/together.ts';
import { Publishing, presentOn, Reminding, type TellingSettings, tell } from './telling.ts';

/** What the config says about what players earn together. */
interface TogetherSettings extends TellingSettings {
  readonly tops: readonly Top[];
  /** The entries of `sites`: how late their votes may come. */
  readonly sites: ReadonlyMap<string, { readonly api: { readonly maxAgeMs: number } | null }>;
}

interface TogetherParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called when there are new grants. */
  readonly onGrants: () => void;
  /** Up to when missed votes were looked for on each site that has an API. */
  readonly recovered: () => readonly { readonly site: string; readonly lookedUntil: number | null }[];
}

/** How often the ledger is asked for parties that were reached, which another process may have recorded. */
const LOOK_MS = 1_000;
/** How often it is looked whether a period is over. */
const PERIOD_LOOK_MS = 10_000;
/** How often it is looked who has joined. */
const JOIN_LOOK_MS = 10_000;

/** It pays and tells only after `start`. */
export class Together {
  private readonly tasks: readonly {
    /** Whether the config has anything for it. */
    readonly isWanted: (settings: TogetherSettings) => boolean;
    readonly repeating: Repeating;
  }[];
  private readonly parties: Parties;
  private isStarted = false;

  constructor(
    parts: TogetherParts,
    private settings: TogetherSettings,
  ) {
    const parties = new Parties(parts);
    this.parties = parties;
    const publishing = new Publishing(parts.ledger, parts.clock);
    const reminding = new Reminding(parts.ledger, parts.clock);
    const task = (
      pauseMs: number,
      isWanted: (settings: TogetherSettings) => boolean,
      work: (settings: TogetherSettings) => Promise<void>,
    ) => ({
      isWanted,
      repeating: new Repeating(parts, pauseMs, async () => {
        if (isWanted(this.settings)) await work(this.settings);
      }),
    });
    this.tasks = [
      task(
        LOOK_MS,
        ({ rules }) => rules.parties.length > 0,
        (settings) => parties.pay(settings),
      ),
      task(
        LOOK_MS,
        ({ rules }) => rules.parties.some(({ announceLeft }) => announceLeft.length > 0),
        (settings) => parties.announce(settings),
      ),
      task(
        PERIOD_LOOK_MS,
        ({ tops }) => tops.length > 0,
        (settings) => settleTops(parts, settings),
      ),
      task(
        LOOK_MS,
        ({ publish }) => publish.length > 0,
        (settings) => publishing.send(settings),
      ),
      task(
        JOIN_LOOK_MS,
        ({ remind }) => remind.length > 0,
        (settings) => reminding.look(settings),
      ),
    ];
  }

  /** The settings of another config, from now on. */
  apply(settings: TogetherSettings): void {
    this.settings = settings;
    if (this.isStarted) this.start();
  }

  /** Call this when this process has become the one that delivers. A task for which the config has nothing does not run. */
  start(): void {
    this.isStarted = true;
    for (const { isWanted, repeating } of this.tasks) if (isWanted(this.settings)) repeating.start();
  }

  /** Call this when wall time was moved: what is due now is not left to the next look. */
  lookNow(): void {
    this.parties.readNow();
    for (const { repeating } of this.tasks) repeating.now();
  }

  async close(): Promise<void> {
    await Promise.all(this.tasks.map(({ repeating }) => repeating.close()));
  }
}

/** How long enough players are waited for. After that, the voters are paid. */
const ONLINE_WAIT_MS = 10 * 60_000;
/** How often who is online is read meanwhile. */
const READ_INTERVAL_MS = 10_000;

/** Pays the parties that were reached, and tells players how many votes are left. Methods reject with the ledger's Problem. */
class Parties {
  /** The parties that wait for enough players, in monotonic time. */
  private readonly waiting = new Map<number, { readonly since: number; readonly readAt: number }>();
  /** How far it is stored who is paid for a party, and how many grants were created until now. */
  private readonly fixing = new Map<number, { readonly after: number; readonly grants: number }>();
  /** Left votes as they were when they were last looked at. */
  private readonly left = new Map<string, { readonly number: number; readonly left: number }>();

  constructor(private readonly parts: TogetherParts) {}

  /** Stores who is paid for each party that was reached; of many voters a portion, and the next one at the next call. */
  async pay(settings: TogetherSettings): Promise<void> {
    const { parties } = settings.rules;
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

  private async payOne(reached: ReachedParty, party: Party, settings: TogetherSettings): Promise<void> {
    const isForOnline = party.for === 'online' && !reached.isBegun && !this.isWaitOver(reached);
    if (isForOnline && !this.isReadingDue(reached.id)) return;
    const present = isForOnline ? await presentOn(party.servers, settings) : null;
    if (present !== null && present.length < party.minOnline) return;
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
  async announce({ rules, servers }: TogetherSettings): Promise<void> {
    const today = localDay(this.parts.clock.now(), rules.zone);
    const progress = await this.parts.ledger.partyProgress();
    for (const party of rules.parties) {
      const { name, every, announceLeft } = party;
      const found = progress.find((each) => each.party === name) ?? null;
      const now = { number: found?.number ?? 1, left: leftUntil(party, found, today) };
      const before = this.left.get(name);
      this.left.set(name, now);
      if (before === undefined) continue;
      const from = before.number === now.number ? before.left : every;
      if (!announceLeft.some((wanted) => wanted < from && wanted >= now.left)) continue;
      const figures = { partyLeft: now.left, partyVotes: every - now.left };
      const commands = party.announce.map((each) => openCommand(each, { site: '', service: '', figures }));
      await tell(party.servers, commands, servers);
    }
  }
}

/** Settles the periods that are over. Rejects with the ledger's Problem. */
async function settleTops(parts: TogetherParts, settings: TogetherSettings): Promise<void> {
  const { ledger, clock, random, log, onGrants } = parts;
  const { rules } = settings;
  // While the clock is doubted, periods end by the time that is believed.
  const { doubt } = await ledger.clock();
  const now = clock.now() - (doubt?.aheadMs ?? 0);
  for (const top of settings.tops) {
    const current = periodOf(top.period, localDay(now, rules.zone));
    // One after the other, the oldest first, however long Teller was down.
    for (;;) {
      const period = await ledger.dueTop({ name: top.name, period: top.period }, current - 1);
      if (period === null) break;
      const endedAt = periodEnd(top.period, period, rules.zone);
      if (now < endedAt + top.settleMs || !isComplete(endedAt, parts, settings, now)) break;
      const order = { top, period, rules, draws: drawFor(random) };
      const grants = await settlePeriod(ledger, order, clock.now());
      const name = periodName(top.period, period);
      const fields = { code: 'top', top: top.name, period: name, grants };
      log.info(fields, `the places of ${top.name} in ${name} are final: ${grants} grant(s)`);
      if (grants > 0) onGrants();
    }
  }
}

/** Whether missed votes of the period were looked for on every site, or would be too old by now. */
function isComplete(
  endedAt: number,
  { recovered }: TogetherParts,
  { sites }: TogetherSettings,
  now: number,
): boolean {
  const lookedUntil = new Map(recovered().map((each) => [each.site, each.lookedUntil]));
  return [...sites].every(
    ([site, { api }]) =>
      api === null ||
      (lookedUntil.get(site) ?? Number.NEGATIVE_INFINITY) >= endedAt ||
      now >= endedAt + api.maxAgeMs,
  );
}

/** So many places are stored, also without a prize. */
const PLACES_KEPT = 10;

/**
 * Stores the places of a period that is over, down to the last one with a prize, and creates their grants.
 *
 * @returns how many. Rejects with the ledger's Problem.
 */
export async function settlePeriod(
  ledger: Pick<Ledger, 'settleTop' | 'standings'>,
  { top, period, rules, draws }: Omit<TopOrder, 'endedAt' | 'places'>,
  now: number,
): Promise<number> {
  const days = daysOf(top.period, period);
  const last = Math.max(PLACES_KEPT, ...top.prizes.map(({ to }) => to));
  const endedAt = periodEnd(top.period, period, rules.zone);
  const counted = { days, filter: top.if, zone: rules.zone, exclude: top.exclude };
  for (;;) {
    const votes = new RunningStandings((after) => ledger.standings({ ...counted, after }));
    await votes.advance();
    const places = placesOf(top, [...votes.standings.values()]).filter(({ place }) => place <= last);
    const grants = await ledger.settleTop({ top, period, endedAt, places, rules, draws }, now);
    if (grants !== null) return grants;
  }
}
