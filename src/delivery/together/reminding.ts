import type { Clock } from '../../core/clock.ts';
import { type PlayerName, parsePlayerName, playerKey } from '../../core/player-name.ts';
import { closeCommand, nameAsWord, openCommand } from '../../core/template.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Remind, Rules } from '../../rewards/reward.ts';
import type { GameServer } from '../game-server.ts';
import { plain } from '../reply-text.ts';
import { type SeenPlayers, shownIn } from '../seen-players.ts';
import { type GameServers, tell } from './game-servers.ts';

export interface RemindSettings {
  readonly rules: Rules;
  readonly remind: readonly Remind[];
  readonly bedrockPrefixes: readonly string[];
  readonly servers: GameServers;
  readonly seen: Pick<SeenPlayers, 'store'>;
}

export interface RemindingParts {
  readonly ledger: Pick<Ledger, 'windowEnds'>;
  readonly clock: Clock;
}

/** A player with this tag is not reminded, where the game server knows `execute`. */
const QUIET = 'teller.quiet';

/** Someone who is on a game server. */
interface Here {
  readonly player: PlayerName;
  /** When they were first seen or last told, in monotonic time. */
  readonly since: number;
  readonly isNew: boolean;
}

/**
 * Tells players who are online that they may vote. Nothing is stored or repeated: a reminder that could not be sent is dropped.
 * Methods reject with the ledger's Problem.
 */
export class Reminding {
  /** Who was on a game server at the last reading, by entry and game server, and by the player's name in lower case. */
  private readonly seen = new Map<string, ReadonlyMap<string, Here>>();

  constructor(private readonly parts: RemindingParts) {}

  async look(settings: RemindSettings): Promise<void> {
    const on = [...new Set(settings.remind.flatMap(({ servers }) => servers))];
    await Promise.all(on.map((name) => this.lookOn(name, settings)));
  }

  private async lookOn(name: string, settings: RemindSettings): Promise<void> {
    const server = settings.servers.get(name);
    const presence = await server?.presence([]);
    // A list that cannot be read says nothing about who left.
    if (server === undefined || presence?.kind !== 'known') return;
    await settings.seen.store(name, shownIn(presence));
    const players = presence.names.flatMap((shown) => {
      const parsed = parsePlayerName(shown, settings.bedrockPrefixes);
      return parsed.kind === 'name' ? [parsed.name] : [];
    });
    for (const entry of settings.remind) {
      if (entry.servers.includes(name)) await this.remindOn(server, name, entry, players, settings);
    }
  }

  private async remindOn(
    server: GameServer,
    name: string,
    entry: Remind,
    players: readonly PlayerName[],
    { rules, servers }: RemindSettings,
  ): Promise<void> {
    const due = this.due(JSON.stringify([entry.name, name]), entry, players);
    const open = await this.openSites(due, rules);
    const now = this.parts.clock.now();
    for (const player of due) {
      const sitesLeft = open.get(playerKey(player)) ?? 0;
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
  private due(
    key: string,
    { onJoin, everyMs }: Remind,
    players: readonly PlayerName[],
  ): readonly PlayerName[] {
    const now = this.parts.clock.monotonic();
    const before = this.seen.get(key);
    const due: PlayerName[] = [];
    const here = players.map((player): [string, Here] => {
      const known = before?.get(playerKey(player));
      const isNew = before !== undefined && known === undefined;
      const since = known?.since ?? now;
      const isDue = (onJoin && isNew) || (everyMs !== null && now - since >= everyMs);
      if (isDue) due.push(player);
      return [playerKey(player), { player, since: isDue ? now : since, isNew }];
    });
    this.seen.set(key, new Map(here));
    return due;
  }

  /** On how many sites each may vote now. */
  private async openSites(
    players: readonly PlayerName[],
    { listed }: Rules,
  ): Promise<ReadonlyMap<string, number>> {
    if (players.length === 0) return new Map();
    const { ledger, clock } = this.parts;
    const keys = players.map(playerKey);
    const ends = await ledger.windowEnds(keys, listed.player, clock.now());
    return new Map(keys.map((key, at) => [key, ends[at]?.filter((end) => end === null).length ?? 0]));
  }
}

/** Plugins can change `execute`, but not `minecraft:execute`, which servers without plugins do not know. */
const FORMS = ['minecraft:execute', 'execute'];

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
