/**
 * What players are told again and again: figures (`publish`) and that they may vote (`remind`). Nothing of it is stored or repeated:
 * what a game server does not take now is dropped, and the next round says what is true then. Methods reject with the ledger's Problem.
 */
import type { Clock } from '../core/clock.ts';
import {
  isForEachPlayer,
  playerValue,
  publishedIn,
  TOPS_SHOWN,
  withFigures,
} from '../core/figure-template.ts';
import { localDay } from '../core/local-time.ts';
import { daysOf, periodOf } from '../core/period.ts';
import { type PlayerName, parsePlayerName, playerKey } from '../core/player-name.ts';
import { closeCommand, nameAsWord, openCommand } from '../core/template.ts';
import type { Ledger, PresentPlayer } from '../ledger/ledger.ts';
import type { Publish, Remind, Rules } from '../rewards/reward.ts';
import { best, leftUntil, RunningStandings, type Standing } from '../rewards/together.ts';
import type { GameServer } from './game-server.ts';
import type { SeenPlayers } from './presence.ts';
import { plain } from './replies.ts';

/** What the config says about what players are told, and where. */
export interface TellingSettings {
  readonly rules: Rules;
  readonly publish: readonly Publish[];
  readonly remind: readonly Remind[];
  readonly bedrockPrefixes: readonly string[];
  /** The game servers of the config that are served, by name. */
  readonly servers: ReadonlyMap<string, GameServer>;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

/** Runs commands that are true only now: they are neither kept nor repeated if the game server does not take them. */
export async function tell(
  names: readonly string[],
  commands: readonly string[],
  servers: TellingSettings['servers'],
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const server = servers.get(name);
      if (server === undefined) return;
      for (const command of commands) {
        if ((await server.open()).kind !== 'open') return;
        await server.run(command);
      }
    }),
  );
}

/**
 * Who is on these game servers, each player once. One that cannot be reached or cannot tell adds nobody, and neither does
 * a name that no player can have (rule 8).
 */
export async function presentOn(
  names: readonly string[],
  settings: TellingSettings,
): Promise<readonly PresentPlayer[]> {
  const readings = await Promise.all(
    names.map(async (server) => ({ server, players: await playersOn(server, settings) })),
  );
  const present = new Map<string, PresentPlayer>();
  for (const { server, players } of readings)
    for (const player of players ?? []) {
      const key = playerKey(player);
      if (!present.has(key)) present.set(key, { player, server });
    }
  return [...present.values()];
}

/** null: a list that cannot be read says nothing about who left. */
async function playersOn(
  name: string,
  { servers, seen, bedrockPrefixes }: TellingSettings,
): Promise<readonly PlayerName[] | null> {
  const presence = await servers.get(name)?.presence([]);
  if (presence?.kind !== 'known') return null;
  // Before anyone is looked up by name: a name may be another player's now.
  await seen.store(name, presence);
  return presence.names.flatMap((shown) => {
    const parsed = parsePlayerName(shown, bedrockPrefixes);
    return parsed.kind === 'name' ? [parsed.name] : [];
  });
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

/** Sends figures again and again. */
export class Publishing {
  private month: Month | null = null;
  /** In monotonic time. */
  private readonly sentAt = new Map<string, number>();

  constructor(
    private readonly ledger: Pick<Ledger, 'standings' | 'partyProgress' | 'playerTotals'>,
    private readonly clock: Clock,
  ) {}

  /** Those that are due, one round each. */
  async send(settings: TellingSettings): Promise<void> {
    const now = this.clock.monotonic();
    const due = settings.publish.filter(
      ({ name, everyMs }) => now - (this.sentAt.get(name) ?? Number.NEGATIVE_INFINITY) >= everyMs,
    );
    for (const { name } of due) this.sentAt.set(name, now);
    const showsMonth = due.some((entry) => shownBy(entry).some(isOfMonth));
    const month = showsMonth ? await this.votesOfMonth(settings.rules.zone) : new Map();
    await Promise.all(due.map((entry) => this.sendOne(entry, month, settings)));
  }

  private async votesOfMonth(zone: string): Promise<Standings> {
    const month = periodOf('month', localDay(this.clock.now(), zone));
    const before = this.month?.month === month && this.month.zone === zone ? this.month : null;
    const readAt = this.clock.monotonic();
    if (before !== null && readAt - before.readAt < FRESH_MS) return before.votes.standings;
    const counted = { days: daysOf('month', month), filter: {}, zone, exclude: [] };
    const votes =
      before?.votes ?? new RunningStandings((after) => this.ledger.standings({ ...counted, after }));
    await votes.advance();
    this.month = { month, zone, votes, readAt };
    return votes.standings;
  }

  private async sendOne(entry: Publish, month: Standings, settings: TellingSettings): Promise<void> {
    const tops = best(month.values(), TOPS_SHOWN).flatMap(({ player, votes }, at) => [
      [`top${at + 1}`, player ?? '-'] as const,
      [`top${at + 1}Votes`, votes] as const,
    ]);
    const values: Values = new Map([...tops, ...(await this.partyValues(entry, settings.rules))]);
    const forAll = entry.commands.filter((command) => !isForEachPlayer(command));
    await tell(
      entry.servers,
      forAll.map((command) => withFigures(command, values)),
      settings.servers,
    );
    const forEach = entry.commands.filter(isForEachPlayer);
    if (forEach.length === 0) return;
    const present = await presentOn(entry.servers, settings);
    const totals = await this.ledger.playerTotals(present.map(({ player }) => playerKey(player)));
    const rankOf = ranks(month);
    for (const { player, server } of present) {
      const total = totals.find(({ key }) => key === playerKey(player));
      const votesMonth = total === undefined ? 0 : (month.get(total.recipientId)?.votes ?? 0);
      const word = playerValue(player);
      if (word === null) continue;
      const own = { player: word, rank: rankOf(votesMonth), votes: total?.votes ?? 0, votesMonth };
      const all: Values = new Map([...values, ...Object.entries<string | number>(own)]);
      await tell(
        [server],
        forEach.map((template) => withFigures(template, all)),
        settings.servers,
      );
    }
  }

  private async partyValues(entry: Publish, rules: Rules): Promise<Values> {
    const party = rules.parties[0];
    const showsParty = shownBy(entry).some((name) => name === 'partyVotes' || name === 'partyLeft');
    if (party === undefined || !showsParty) return new Map();
    const stored = (await this.ledger.partyProgress()).find((each) => each.party === party.name) ?? null;
    const left = leftUntil(party, stored, localDay(this.clock.now(), rules.zone));
    return new Map([
      ['partyLeft', left],
      ['partyVotes', party.every - left],
    ]);
  }
}

const shownBy = ({ commands }: Publish): readonly string[] => commands.flatMap(publishedIn);

const isOfMonth = (name: string): boolean =>
  name === 'rank' || name === 'votesMonth' || name.startsWith('top');

/** How many players have more votes than each number, for ranks: those with as many votes share one. */
function ranks(standings: Standings): (votes: number) => number {
  const players = new Map<number, number>();
  for (const { votes } of standings.values()) players.set(votes, (players.get(votes) ?? 0) + 1);
  return (votes) => 1 + [...players].reduce((sum, [more, many]) => sum + (more > votes ? many : 0), 0);
}

/** A player with this tag is not reminded, where the game server knows `execute`. */
const QUIET = 'teller.quiet';
/** Plugins can change `execute`, but not `minecraft:execute`, which servers without plugins do not know. */
const FORMS = ['minecraft:execute', 'execute'];

/** Tells players who are online that they may vote. */
export class Reminding {
  /**
   * When who was on a game server at the last reading was first seen or last told, in monotonic time: by entry and game server, and by
   * the player's name in lower case.
   */
  private readonly here = new Map<string, ReadonlyMap<string, number>>();

  constructor(
    private readonly ledger: Pick<Ledger, 'windowEnds'>,
    private readonly clock: Clock,
  ) {}

  async look(settings: TellingSettings): Promise<void> {
    const on = [...new Set(settings.remind.flatMap(({ servers }) => servers))];
    await Promise.all(
      on.map(async (name) => {
        const server = settings.servers.get(name);
        const players = await playersOn(name, settings);
        if (server === undefined || players === null) return;
        for (const entry of settings.remind)
          if (entry.servers.includes(name)) await this.remindOn(server, name, entry, players, settings);
      }),
    );
  }

  private async remindOn(
    server: GameServer,
    name: string,
    entry: Remind,
    players: readonly PlayerName[],
    { rules, servers }: TellingSettings,
  ): Promise<void> {
    const due = this.due(JSON.stringify([entry.name, name]), entry, players);
    if (due.length === 0) return;
    const keys = due.map(playerKey);
    const ends = await this.ledger.windowEnds(keys, rules.listed.player, this.clock.now());
    const now = this.clock.now();
    for (const [at, player] of due.entries()) {
      // On so many sites they may vote now.
      const sitesLeft = ends[at]?.filter((end) => end === null).length ?? 0;
      if (sitesLeft === 0 || (await isQuiet(server, player))) continue;
      const values = {
        site: '',
        service: '',
        figures: { sitesLeft },
        nextVote: now,
        links: rules.links.player,
      };
      const commands = entry.commands.map((template) =>
        closeCommand(openCommand(template, values), { player, uuid: null, now }),
      );
      await tell([name], commands, servers);
    }
  }

  /** Those who have just joined, and those who were told long ago. At the first reading, nobody has just joined. */
  private due(key: string, { onJoin, everyMs }: Remind, players: readonly PlayerName[]): PlayerName[] {
    const now = this.clock.monotonic();
    const before = this.here.get(key);
    const due: PlayerName[] = [];
    const here = new Map<string, number>();
    for (const player of players) {
      const known = before?.get(playerKey(player));
      const isNew = before !== undefined && known === undefined;
      const since = known ?? now;
      const isDue = (onJoin && isNew) || (everyMs !== null && now - since >= everyMs);
      if (isDue) due.push(player);
      here.set(playerKey(player), isDue ? now : since);
    }
    this.here.set(key, here);
    return due;
  }
}

/** Asks with `execute if`, which changes nothing (Minecraft Java 1.13 and newer). Where nothing can be asked, nobody is quiet. */
async function isQuiet(server: GameServer, player: string): Promise<boolean> {
  const name = nameAsWord(player);
  if (name === null) return false;
  for (const form of FORMS) {
    const answer = await server.ask(`${form} if entity @a[name=${name},tag=${QUIET}]`);
    if (answer.kind === 'unanswered') return false;
    const reply = plain(answer.text);
    if (reply.startsWith('Test passed')) return true;
    if (reply.startsWith('Test failed')) return false;
  }
  return false;
}
