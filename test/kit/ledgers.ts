/**
 * A ledger without the rest of Teller, for what nobody sees at once: which grants are due, what two processes do to one file,
 * what a doubted clock leaves. Configs are written as operators write them, and times are milliseconds.
 */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { reasonAfter } from '../../src/core/grant-reason.ts';
import { localDay } from '../../src/core/local-time.ts';
import { NO_OCCASION, type Occasion } from '../../src/core/occasion.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import type { GrantState } from '../../src/core/settlement.ts';
import type {
  ClockNews,
  CommandClaim,
  GrantFilter,
  Ledger,
  PaymentOrder,
  PresentPlayer,
  RecountOrder,
  Settlement,
  VoteFilter,
} from '../../src/ledger/ledger.ts';
import { parseOccasion } from '../../src/rewards/condition.ts';
import type { Arrival, Draws, Rules } from '../../src/rewards/reward.ts';
import { reasonText } from '../../src/rewards/words.ts';
import { addedVote } from '../../src/votes/judge-vote.ts';
import { matchSite, rulesOf } from '../../src/votes/sites.ts';
import { placeEmptyLedger, temporaryFolder } from '../support/folder.ts';
import { arrivalOf, type Cast, june, loaded, NOON } from './arrivals.ts';
import { ledgerAt } from './ledger-file.ts';

export { type Cast, DAY, dayOf, gameServers, HOUR, june, MINUTE, NOON, reward, SECOND } from './arrivals.ts';

type TopOrder = Parameters<Ledger['settleTop']>[0];
type Ended = Partial<Omit<Settlement, 'grantId' | 'outcome'>> & { readonly next?: Partial<CommandClaim> };
type Sent = Ended & { readonly position?: number };

const ENDS = {
  delivered: [{ kind: 'delivered', reply: 'Gave' }, 'delivered'],
  refused: [{ kind: 'refused', reply: 'Unknown item' }, 'refused'],
  held: [{ kind: 'unknown', reason: 'closed' }, 'held'],
  offline: [{ kind: 'player-offline', reply: 'No player was found' }, 'waiting'],
  'not-sent': [{ kind: 'not-sent', reason: 'unreachable' }, 'pending'],
} as const satisfies Record<string, readonly [Outcome, GrantState]>;
export type End = keyof typeof ENDS;

export interface LedgerOfTest extends Awaited<ReturnType<typeof opened>> {
  /** Another process on the same file, with the same config. */
  another(): Promise<LedgerOfTest>;
}

export const RIGHT: RecountOrder = { recipients: [], network: false, parties: [] };
const DRAWS: Draws = { kind: 'drawn', seed: 0.5 };
const NO_LIMIT = { limit: 99_999 };

/** A ledger with this config, which is in use since the first of June 2026, closed with the test. */
export async function ledgers(
  written: object = {},
  file = join(temporaryFolder(), 'teller.db'),
): Promise<LedgerOfTest> {
  return { ...(await opened(written, file)), another: () => ledgers(written, file) };
}

/** With what tests say shorter than the ledger does. Lists are oldest first, and without a limit. */
async function opened(written: object, file: string) {
  const news: ClockNews[] = [];
  placeEmptyLedger(file);
  const { database, ledger } = ledgerAt(file, { onClockNews: (one) => void news.push(one) });
  // What a power cut leaves on the disk is not what these tests ask.
  database.pragma('synchronous = OFF');
  onTestFinished(() => ledger.close());
  let [config, rules] = [await loaded(written), {} as Rules];

  /** Uses another config from that time on: keys that are given replace those at its top. */
  const use = async (next: object, at = june(1, 0)): Promise<void> => {
    config = await loaded(next);
    const zone = config.timeZone ?? 'UTC';
    rules = rulesOf(config, zone);
    const rewards = [...config.rewards, ...config.party, ...config.tops];
    await ledger.useTimeZone(zone);
    await ledger.useConfig({ rewards, tops: config.tops, today: localDay(at, zone) });
  };
  await use(written);
  const named = <Named extends { readonly name: string }>(list: readonly Named[], name: string): Named => {
    const found = list.find((one) => one.name === name);
    if (found === undefined) throw new Error(`the config has no ${name}`);
    return found;
  };
  const votes = async (filter: Partial<VoteFilter> = {}) =>
    (await ledger.votes({ ...NO_LIMIT, ...filter })).toReversed();
  const grants = async (filter: Partial<GrantFilter> = {}) =>
    (await ledger.grants({ ...NO_LIMIT, ...filter })).toReversed();
  const settlement = (id: number, end: End | Outcome, { next: _, ...more }: Ended): Settlement => {
    const [outcome, state] = typeof end === 'string' ? ENDS[end] : [end, 'held' as const];
    return {
      ...{ grantId: id, claim: claims.get(id) ?? 0, outcome, state, reason: reasonAfter(outcome) },
      ...{ dueAt: NOON, endedAt: NOON },
      ...more,
    };
  };
  const claimOf = (id: number, more: Partial<CommandClaim> = {}): CommandClaim => ({
    ...{ grantId: id, position: 0, player: 'Steve', uuid: null, now: NOON },
    ...more,
  });
  /** The numbers of the last claims. */
  const claims = new Map<number, number>();
  const note = (id: number, number: number | null): boolean => {
    if (number !== null) claims.set(id, number);
    return number !== null;
  };
  const claim = async (id: number, more?: Partial<CommandClaim>): Promise<boolean> =>
    note(id, await ledger.claim(claimOf(id, more)));
  /** What was claimed last. @returns whether the next one is claimed. */
  const settle = async (id: number, end: End | Outcome, more: Ended = {}): Promise<boolean> => {
    const next = more.next === undefined ? undefined : claimOf(id, more.next);
    return note(next?.grantId ?? id, await ledger.settle(settlement(id, end, more), next));
  };

  return {
    ...ledger,
    ...{ file, news, use, votes, grants, claim, settle },
    config: () => config,
    rules: () => rules,
    /** Votes that come together. @returns the decisions, or `same 1` for a vote that was there as number 1. */
    vote: async (...casts: readonly Cast[]): Promise<readonly string[]> => {
      const recorded = casts.map((cast) =>
        ledger.record(arrivalOf(cast, config, rules), cast.reading ?? null),
      );
      return (await Promise.all(recorded)).map((one) =>
        one.kind === 'new' ? one.decision.kind : `same ${one.id}`,
      );
    },
    /** A vote under rules that no config has. */
    voteUnder: (those: Rules, cast: Cast) =>
      ledger.record(arrivalOf(cast, config, those), cast.reading ?? null),
    /** For each vote: the occasions that this reward was granted for, or the code of why not; undefined: it was not looked at. */
    judged: async (name: string): Promise<readonly unknown[]> =>
      (await votes())
        .map(({ reasons }) => reasons.get(name))
        .map((reason) =>
          reason?.code === 'granted' ? (reason.facts?.occasions ?? 'granted') : reason?.code,
        ),
    /** For each vote and reward, as an operator reads it. */
    why: async () => (await votes()).flatMap(({ reasons }) => [...reasons.values()].map(reasonText)),
    /** `Steve thanks: pending`, with the occasion, another game server than `main`, and the reason. */
    owed: async (filter?: Partial<GrantFilter>): Promise<readonly string[]> =>
      (await grants(filter)).map(({ player, reward: name, occasion, server, state, reason }) => {
        const what = [player, name, occasion, server === 'main' ? '' : `on ${server}`];
        return `${what.filter(Boolean).join(' ')}: ${[state, reason?.code].filter(Boolean).join(' ')}`;
      }),
    /** The IDs of the grants that may be paid. */
    due: async (server = 'main', at = NOON): Promise<readonly number[]> =>
      (await ledger.pending({ server, practice: false }, at, 9_999)).map(({ id }) => id),
    /** Claims and settles. */
    send: async (id: number, end: End | Outcome, { position = 0, ...more }: Sent = {}): Promise<void> => {
      const { endedAt = NOON } = more;
      const [{ player } = { player: null }] = await grants({ id });
      if (!(await claim(id, { position, player, now: endedAt })))
        throw new Error(`grant ${id} is not claimed`);
      await settle(id, end, more);
    },
    /** Sets a grant to `waiting`. */
    wait: (id: number, server = 'main', at = NOON) =>
      ledger.wait({ id, server }, { code: 'player-offline' }, at),
    /** By `ann`, unless it is another operator. */
    pay: (id: number, more: Partial<Omit<PaymentOrder, 'to'>> & { readonly to?: string } = {}, at = NOON) =>
      ledger.pay(id, { texts: null, by: 'ann', kindByServer: new Map(), ...more } as PaymentOrder, at),
    cancel: (id: number, more: { readonly by?: string; readonly shownChange?: number } = {}, at = NOON) =>
      ledger.cancel(id, { by: 'ann', ...more }, at),
    give: (name: string, player = 'Steve', occasion = '', at = NOON) =>
      ledger.giveReward(
        {
          ...{ reward: named(config.rewards, name), player: player as PlayerName },
          ...{ by: 'ann', rules, draws: DRAWS },
          occasion: occasion === '' ? NO_OCCASION : (parseOccasion(occasion) as Occasion),
        },
        at,
      ),
    void: (...ids: readonly number[]) => ledger.voidVotes(ids, { by: 'ann', reason: 'forged' }, NOON),
    /** A game server shows these names with their UUIDs. */
    see: (uuids: Readonly<Record<string, string>>, at = NOON) => {
      const players = Object.entries(uuids).map(([name, uuid]) => ({ name, uuid }));
      return ledger.storeSeen({ players, server: 'main' }, at);
    },
    merge: (name: string, into: string, at = NOON) =>
      ledger.mergePlayers({ name: name as PlayerName, into: into as PlayerName, by: 'ann' }, at),
    split: (name: string) => ledger.splitPlayer({ name: name as PlayerName, by: 'ann' }, NOON),
    /** @returns the name that stands for them from now on, or the code of why not. */
    forget: async (name: string): Promise<string> => {
      const order = { name: name as PlayerName, by: 'ann' };
      let step = await ledger.forgetPlayer(order, null, NOON);
      while (step.kind === 'forgetting') step = await ledger.forgetPlayer(order, step.progress, NOON);
      return step.kind === 'forgotten' ? step.name : step.code;
    },
    /** Who this is first of all. */
    player: async (name: string) => (await ledger.players(name))[0],
    /** The operator says that the clock is right. @returns how many grants each portion has released. */
    release: async (wall: number): Promise<readonly number[]> => {
      let portion = await ledger.releaseClock(wall, null, wall);
      const released = [portion.released];
      while (portion.next !== null) {
        portion = await ledger.releaseClock(wall, portion.next, wall);
        released.push(portion.released);
      }
      return released;
    },
    restored: async (backupAt: number, at: number): Promise<void> => {
      await ledger.noteRestore(backupAt, at);
    },
    /** Pays the parties that were reached. @param present who is online. @returns how many grants each portion created. */
    fix: async (
      present: readonly { readonly player: string; readonly server: string }[] | null = null,
      at = NOON,
    ): Promise<readonly number[]> => {
      const created: number[] = [];
      for (const { id, party } of await ledger.reachedParties()) {
        const order = {
          ...{ id, party: named(config.party, party), rules, draws: DRAWS },
          present: present as readonly PresentPlayer[] | null,
        };
        for (let after: number | null = 0; after !== null; ) {
          const portion: Awaited<ReturnType<Ledger['fixParty']>> = await ledger.fixParty(order, after, at);
          created.push(portion.grants);
          after = portion.next;
        }
      }
      return created;
    },
    /** The services that have an entry in `sites` from that time on, and what is paid for their votes of before. */
    list: async (services: readonly string[], at: number, portion = 50) => {
      await ledger.keepListed(services, at);
      const { cooldown, countsAll } = matchSite(config.sites, services[0] ?? 'List').entry;
      const sites = services.map((service) => ({ service, site: service, cooldown, countsAll }));
      return ledger.payUnlisted({ sites, rules, draws: Array.from({ length: portion }, () => DRAWS) }, at);
    },
    /** Pays the places of a top for a period. @returns how many grants were created; null: it was paid before. */
    settlePlaces: (name: string, order: Pick<TopOrder, 'period' | 'endedAt' | 'places'>) =>
      ledger.settleTop({ top: named(config.tops, name), rules, draws: DRAWS, ...order }, order.endedAt),
    /** The operator rewards a vote that was not, as one of the entry `default`. */
    rewardLate: (vote: number, at: number) => {
      const { key: site, entry } = matchSite(config.sites, 'default');
      return ledger.rewardVote(vote, { site, cooldown: entry.cooldown, rules, draws: DRAWS }, at);
    },
    /** Imports votes of the time before Teller, by `votes by ann`. @returns what became of them. */
    bring: (casts: readonly Cast[], now: number) => {
      const by = 'votes by ann';
      const imported = casts.map((cast) => {
        const judged = arrivalOf(cast, config, rules);
        return addedVote(judged, { at: judged.vote.castAt, eventId: null, by, now }, 'import');
      });
      return ledger.importVotes(imported, { by, rules, now });
    },
    /** The rewards that a vote would be granted, of which nothing is stored. */
    foreseen: async (arrival: Arrival): Promise<readonly string[]> =>
      (await ledger.judge([arrival], 'grants')).flatMap((decided) =>
        decided.grants.map((owed) => owed.reward),
      ),
    arrival: (cast: Cast): Arrival => arrivalOf(cast, config, rules),
    partyNamed: (name: string) => named(config.party, name),
    topNamed: (name: string) => named(config.tops, name),
    /** The counts that are not those of the votes. */
    wrong: async () => {
      const recipients: number[] = [];
      for (let after = 0; ; ) {
        const { upTo, network, parties, recipients: more } = await ledger.wrongCounts(after);
        recipients.push(...more);
        if (upTo === null) return { recipients, network, parties };
        after = upTo;
      }
    },
    /** What only a fault of the disk or of a program does. @returns the rows of the last statement, if it has some. */
    sql: (text: string): readonly unknown[] => {
      if (/^\s*SELECT/.test(text)) return database.prepare(text).all();
      database.exec(text);
      return [];
    },
    /** Until the returned function is called, each write of that kind loses its transaction. */
    failing: (write: string): (() => void) => {
      database.exec(
        `CREATE TEMP TRIGGER failing AFTER ${write} BEGIN SELECT RAISE(ROLLBACK, 'the disk fails'); END`,
      );
      return () => void database.exec('DROP TRIGGER failing');
    },
  };
}
