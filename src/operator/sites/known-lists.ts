import { DAY_MS } from '../../core/duration.ts';
import { serviceNameOf } from '../../core/service-name.ts';

/** What is publicly known about a list. It helps to write an entry of `sites`, and never causes a payment by itself. */
export interface KnownList {
  /** The name in its votes. */
  readonly service: string;
  readonly domain: string;
  /** What the addresses of its vote pages look like; … is what differs from server to server. null: not known. */
  readonly page: string | null;
  /** How often a player can vote there; null: not known. */
  readonly windowMs: number | null;
  readonly sources: readonly string[];
}

const PRESETS =
  'github.com/BenCodez/VotingPlugin-Presets, presets/votesites (November 2026; not verified there)';
const PAGES = 'addresses of vote pages in public repositories of several servers (November 2026)';

const list = (service: string, domain: string, page: string | null = null): KnownList => ({
  ...{ service, domain, page, windowMs: DAY_MS },
  sources: page === null ? [PRESETS] : [PRESETS, PAGES],
});

/** Facts only, each with its source. Leave out what is not certain: an entry without it works too. */
const KNOWN_LISTS: readonly KnownList[] = [
  list('Best Minecraft Servers', 'best-minecraft-servers.co', 'https://best-minecraft-servers.co/…/vote'),
  list('BestServers.com', 'bestservers.com'),
  list('blockatlas', 'blockatlas.net'),
  list('crafty.gg', 'crafty.gg'),
  list('curseforge', 'curseforge.com'),
  list('Liste-Serveurs', 'liste-serveurs.fr'),
  list('MC-Lists', 'mc-lists.org'),
  list('MC-Servers.com', 'mc-servers.com'),
  list('MCSL', 'minecraft-server-list.com', 'https://minecraft-server-list.com/server/…/vote/'),
  list('Minecraft Menu', 'minecraft.menu', 'https://minecraft.menu/…/vote'),
  list('Minecraft Server List', 'minecraftbestservers.com'),
  list('Minecraft-MP.com', 'minecraft-mp.com', 'https://minecraft-mp.com/server/…/vote/'),
  list('Minecraft-Server.net', 'minecraft-server.net', 'https://minecraft-server.net/vote/…/'),
  list('Minecraft.Buzz', 'minecraft.buzz'),
  list('minecraft-serverlist-com', 'minecraft-serverlist.com'),
  list('minecraftservers.blog', 'minecraftservers.blog'),
  list('MinecraftServers.org', 'minecraftservers.org', 'https://minecraftservers.org/vote/…'),
  list('minestatus.net', 'minestatus.net'),
  list('PlanetMinecraft.com', 'planetminecraft.com', 'https://www.planetminecraft.com/server/…/vote/'),
  list('play-minecraft-servers.com', 'play-minecraft-servers.com'),
  list('Servers-Minecraft', 'servers-minecraft.net', 'https://servers-minecraft.net/…/vote'),
  { ...list('TOPMCSERVERS', 'top-mcservers.com'), windowMs: null },
  list('TopMinecraftServers', 'topminecraftservers.org', 'https://topminecraftservers.org/vote/…'),
];

/** By the exact name: another spelling is another service. */
export const knownList = (service: string): KnownList | null =>
  KNOWN_LISTS.find((known) => known.service === serviceNameOf(service)) ?? null;
