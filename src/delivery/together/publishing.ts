import type { Clock } from '../../core/clock.ts';
import {
  isForEachPlayer,
  playerValue,
  publishedIn,
  TOPS_SHOWN,
  withFigures,
} from '../../core/figure-template.ts';
import { localDay } from '../../core/local-time.ts';
import { playerKey } from '../../core/player-name.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { leftUntil } from '../../rewards/party.ts';
import type { Publish, Rules } from '../../rewards/reward.ts';
import { best, type Standing } from '../../rewards/standings.ts';
import type { SeenPlayers } from '../seen-players.ts';
import { type GameServers, presentOn, tell } from './game-servers.ts';
import { MonthFigures, ranks } from './month-figures.ts';

export interface PublishSettings {
  readonly rules: Rules;
  readonly publish: readonly Publish[];
  readonly bedrockPrefixes: readonly string[];
  readonly servers: GameServers;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

export interface PublishingParts {
  readonly ledger: Pick<LedgerReader, 'standings' | 'partyProgress' | 'playerTotals'>;
  readonly clock: Clock;
}

type Values = ReadonlyMap<string, string | number>;

/**
 * Sends figures again and again. They are not stored: what a game server does not take now, it gets with the next round, as it
 * is then. Methods reject with the ledger's Problem.
 */
export class Publishing {
  private readonly months = new Map<Publish, MonthFigures>();
  /** In monotonic time. */
  private readonly sentAt = new Map<string, number>();

  constructor(private readonly parts: PublishingParts) {}

  /** Those that are due, one round each. */
  async send(settings: PublishSettings): Promise<void> {
    const now = this.parts.clock.monotonic();
    for (const entry of this.months.keys()) {
      if (!settings.publish.includes(entry)) this.months.delete(entry);
    }
    const due = settings.publish.filter(
      ({ name, everyMs }) => now - (this.sentAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs,
    );
    for (const { name } of due) this.sentAt.set(name, now);
    await Promise.all(due.map((entry) => this.sendOne(entry, settings)));
  }

  private async sendOne(entry: Publish, settings: PublishSettings): Promise<void> {
    const { servers, rules } = settings;
    const asked = new Set(entry.commands.flatMap(publishedIn));
    const isMonths = [...asked].some(
      (name) => name === 'rank' || name === 'votesMonth' || name.startsWith('top'),
    );
    const month = isMonths
      ? await this.monthOf(entry).standings(entry, rules.zone)
      : new Map<number, Standing>();
    const values = new Map([...topValues(month), ...(await this.partyValues(entry, rules, asked))]);
    const shared = entry.commands.filter((command) => !isForEachPlayer(command));
    await tell(
      entry.servers,
      shared.map((command) => withFigures(command, values)),
      servers,
    );
    await this.sendForPlayers(entry, values, month, settings);
  }

  private async sendForPlayers(
    entry: Publish,
    values: Values,
    month: ReadonlyMap<number, Standing>,
    { servers, bedrockPrefixes, seen }: PublishSettings,
  ): Promise<void> {
    const templates = entry.commands.filter(isForEachPlayer);
    if (templates.length === 0) return;
    const present = await presentOn(entry.servers, servers, bedrockPrefixes, seen);
    const totals = await this.parts.ledger.playerTotals(present.map(({ player }) => playerKey(player)));
    const rankOf = ranks(month);
    for (const { player, server } of present) {
      const total = totals.find(({ key }) => key === playerKey(player));
      const inMonth = total === undefined ? 0 : (month.get(total.recipientId)?.votes ?? 0);
      const word = playerValue(player);
      if (word === null) continue;
      const own = new Map<string, string | number>([
        ...values,
        ...([
          ['player', word],
          ['rank', rankOf(inMonth)],
          ['votes', total?.votes ?? 0],
          ['votesMonth', inMonth],
        ] as const),
      ]);
      await tell(
        [server],
        templates.map((template) => withFigures(template, own)),
        servers,
      );
    }
  }

  private monthOf(entry: Publish): MonthFigures {
    const known = this.months.get(entry) ?? new MonthFigures(this.parts.ledger, this.parts.clock);
    this.months.set(entry, known);
    return known;
  }

  private async partyValues(entry: Publish, rules: Rules, asked: ReadonlySet<string>): Promise<Values> {
    const party = rules.parties.find(({ name }) => entry.party === null || name === entry.party);
    if (party === undefined || !(asked.has('partyVotes') || asked.has('partyLeft'))) return new Map();
    const { clock, ledger } = this.parts;
    const stored = (await ledger.partyProgress()).find((each) => each.party === party.name) ?? null;
    const left = leftUntil(party, stored, localDay(clock.now(), rules.zone));
    return new Map([
      ['partyLeft', left],
      ['partyVotes', party.every - left],
    ]);
  }
}

const topValues = (month: ReadonlyMap<number, Standing>): readonly (readonly [string, string | number])[] =>
  best(month.values(), TOPS_SHOWN).flatMap(({ player, votes }, at) => [
    [`top${at + 1}`, player ?? '-'] as const,
    [`top${at + 1}Votes`, votes] as const,
  ]);
