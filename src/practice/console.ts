import { CommandLine } from './command-line.ts';
import { execute } from './execute.ts';
import type { FaultName, FaultSwitches } from './faults.ts';
import type { Game, GameCommand } from './game.ts';
import { listForms, nameWithUuid, writeList } from './list.ts';
import { clear, deop, effect, experience, gamemode, give, kick, op } from './player-commands.ts';
import { scoreboard } from './scoreboard.ts';
import { playsound, say, summon, tell, tellraw, title } from './talk-commands.ts';
import { tag, team } from './team-commands.ts';
import { teleport } from './travel-commands.ts';
import { OVERWORLD, type Player, type World } from './world.ts';

const MINECRAFT = 'minecraft:';
const TEAM_PREFIX = '~';

/** The commands that no fault changes. Faults do change `list`. */
const commands = new Map<string, GameCommand>(
  Object.entries({
    ...{
      clear,
      deop,
      effect,
      execute,
      experience,
      gamemode,
      give,
      kick,
      op,
      playsound,
      say,
      scoreboard,
    },
    ...{ summon, tag, team, teleport, tell, tellraw, title },
    ...{ msg: tell, w: tell, xp: experience, tp: teleport },
  }),
);

/** Runs a command line in the world and answers as vanilla does over RCON. */
export class GameConsole {
  constructor(
    private readonly world: World,
    private readonly faults: FaultSwitches,
  ) {}

  run(text: string, self: Player | null = null, dimension = OVERWORLD): string {
    const line = new CommandLine(text.replace(/^\//, ''));
    const written = line.word();
    if (written.startsWith(MINECRAFT) && this.lacksMinecraftNames()) return line.incomplete();
    const name = written.replace(MINECRAFT, '');
    if (name === 'list') return this.list(written !== name, line);
    if (name === 'execute' && this.faults.take('no-execute')) return line.incomplete();
    const command = commands.get(name);
    if (command === undefined) return line.incomplete();
    const run: Game['run'] = (inner, who, where) => this.run(inner, who, where);
    const knows: Game['knows'] = (inner) => this.knows(inner);
    return command(line, { world: this.world, self, dimension, run, knows });
  }

  private knows(text: string): boolean {
    const name = new CommandLine(text).word().replace(MINECRAFT, '');
    return name === 'list' || commands.has(name);
  }

  /** Older servers and some other server software do not know `minecraft:` names; their lists also look different. */
  private lacksMinecraftNames(): boolean {
    const old: readonly FaultName[] = ['two-line-list', 'players-list'];
    return old.some((fault) => this.faults.isOn(fault)) || this.faults.take('no-minecraft-names');
  }

  private list(byFullName: boolean, line: CommandLine): string {
    const isWithUuids = line.word() === 'uuids';
    if (isWithUuids && this.faults.take('no-list-uuids')) return line.incorrect();
    const form = listForms.find((fault) => {
      if (fault === 'reshaped-list' && byFullName) return false;
      return this.faults.take(fault);
    });
    const prefix = this.faults.isOn('team-prefix') ? TEAM_PREFIX : '';
    const entries = this.world
      .online()
      .map((player) => (isWithUuids ? nameWithUuid(player) : prefix + player.name));
    return writeList(entries, form ?? null);
  }
}
