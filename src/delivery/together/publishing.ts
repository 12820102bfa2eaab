import type { Clock } from '../../core/clock.ts';
import {
  isForEachPlayer,
  playerValue,
  publishedIn,
  TOPS_SHOWN,
  withFigures,
} from '../../core/figure-template.ts';
import { localDay } from '../../core/local-time.ts';
import { daysOf, periodOf } from '../../core/period.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { leftUntil } from '../../rewards/party.ts';
import type { Publish, Rules } from '../../rewards/reward.ts';
import { best, RunningStandings, type Standing } from '../../rewards/standings.ts';
import type { SeenPlayers } from '../seen-players.ts';
import { type GameServers, presentOn, tell } from './game-servers.ts';

export interface PublishSettings {
  readonly rules: Rules;
  readonly publish: readonly Publish[];
  readonly bedrockPrefixes: readonly string[];
  readonly servers: GameServers;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

export interface PublishingParts {
  readonly ledger: Pick<Ledger, 'standings' | 'partyProgress' | 'playerTotals'>;
  readonly clock: Clock;
}

type Values = ReadonlyMap<string, string | number>;

/** By recipient. */
type Standings = ReadonlyMap<number, Standing>;

/** The figures of the month are at most so old. */
const FRESH_MS = 60_000;

interface Month {
  readonly month: number;
  readonly zone: string;
  readonly votes: RunningStandings;
  /** In monotonic time. */
  readonly readAt: number;
}

/**
 * Sends figures again and again. They are not stored: what a game server does not take now, it gets with the next round, as it
 * is then. Methods reject with the ledger's Problem.
 */
export class Publishing {
  private month: Month | null = null;
  /** In monotonic time. */
  private readonly sentAt = new Map<string, number>();

  constructor(private readonly parts: PublishingParts) {}

  /** Those that are due, one round each. */
  async send(settings: PublishSettings): Promise<void> {
    const now = this.parts.clock.monotonic();
    const due = settings.publish.filter(
      ({ name, everyMs }) => now - (this.sentAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs,
    );
    for (const { name } of due) this.sentAt.set(name, now);
    const { zone } = settings.rules;
    const month = due.some(({ commands }) => commands.some(showsMonth))
      ? await this.votesOfMonth(zone)
      : null;
    await Promise.all(due.map((entry) => this.sendOne(entry, month ?? new Map(), settings)));
  }

  private async votesOfMonth(zone: string): Promise<Standings> {
    const { ledger, clock } = this.parts;
    const month = periodOf('month', localDay(clock.now(), zone));
    const before = this.month?.month === month && this.month.zone === zone ? this.month : null;
    const readAt = clock.monotonic();
    if (before !== null && readAt - before.readAt < FRESH_MS) return before.votes.standings;
    const counted = { days: daysOf('month', month), filter: {}, zone, exclude: [] };
    const votes = before?.votes ?? new RunningStandings((after) => ledger.standings({ ...counted, after }));
    await votes.advance();
    this.month = { month, zone, votes, readAt };
    return votes.standings;
  }

  private async sendOne(entry: Publish, month: Standings, settings: PublishSettings): Promise<void> {
    const { servers, rules } = settings;
    const values = new Map([...topValues(month), ...(await this.partyValues(entry, rules))]);
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
    month: Standings,
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

  private async partyValues({ commands }: Publish, rules: Rules): Promise<Values> {
    const party = rules.parties[0];
    if (party === undefined || !commands.some((each) => publishedIn(each).some(isOfParty))) return new Map();
    const { clock, ledger } = this.parts;
    const stored = (await ledger.partyProgress()).find((each) => each.party === party.name) ?? null;
    const left = leftUntil(party, stored, localDay(clock.now(), rules.zone));
    return new Map([
      ['partyLeft', left],
      ['partyVotes', party.every - left],
    ]);
  }
}

const isOfParty = (name: string): boolean => name === 'partyVotes' || name === 'partyLeft';

const showsMonth = (command: string): boolean =>
  publishedIn(command).some((name) => name === 'rank' || name === 'votesMonth' || name.startsWith('top'));

const topValues = (month: Standings): readonly (readonly [string, string | number])[] =>
  best(month.values(), TOPS_SHOWN).flatMap(({ player, votes }, at) => [
    [`top${at + 1}`, player ?? '-'] as const,
    [`top${at + 1}Votes`, votes] as const,
  ]);

/** How many players have more votes than each number, for ranks: those with as many votes share one. */
function ranks(standings: Standings): (votes: number) => number {
  const players = new Map<number, number>();
  for (const { votes } of standings.values()) players.set(votes, (players.get(votes) ?? 0) + 1);
  const sorted = [...players].sort(([one], [other]) => other - one);
  return (votes) => 1 + sorted.filter(([more]) => more > votes).reduce((sum, [, many]) => sum + many, 0);
}
