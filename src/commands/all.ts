import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { Terminal } from '../platform/terminal.ts';
import type { RunParts } from './run.ts';

type Load = (terminal: Terminal, parts: RunParts) => Promise<CommandUnknownOpts>;

/** One file per command. Only the typed one is loaded, so that `run` starts without the other commands' libraries. */
const commands: Readonly<Record<string, Load>> = {
  run: async (terminal, parts) => (await import('./run.ts')).runCommand(terminal, parts),
  reload: async (terminal, { clock }) => (await import('./reload.ts')).reloadCommand(terminal, clock),
  check: async (terminal, parts) => (await import('./check.ts')).checkCommand(terminal, parts),
  explain: async (terminal, { clock }) => (await import('./explain.ts')).explainCommand(terminal, clock),
  preview: async (terminal, parts) => (await import('./preview.ts')).previewCommand(terminal, parts.clock),
  rewards: async (terminal, { clock }) => (await import('./rewards.ts')).rewardsCommand(terminal, clock),
  sites: async (terminal, { clock, ask }) => (await import('./sites.ts')).sitesCommand(terminal, clock, ask),
  'game-servers': async (terminal, parts) =>
    (await import('./game-servers.ts')).gameServersCommand(terminal, parts, parts.ask, parts.askSecret),
  reward: async (terminal, parts) => (await import('./reward.ts')).rewardCommand(terminal, parts),
  players: async (terminal, { clock, ask }) =>
    (await import('./players.ts')).playersCommand(terminal, clock, ask),
  votes: async (terminal, parts) => (await import('./votes.ts')).votesCommand(terminal, parts, parts.ask),
  pause: async (terminal, { clock }) => (await import('./pause.ts')).pauseCommand(terminal, clock),
  resume: async (terminal, { clock }) => (await import('./pause.ts')).resumeCommand(terminal, clock),
  grants: async (terminal, { clock, ask }) =>
    (await import('./grants.ts')).grantsCommand(terminal, clock, ask),
  tops: async (terminal, { clock }) => (await import('./tops.ts')).topsCommand(terminal, clock),
  party: async (terminal, { clock }) => (await import('./party.ts')).partyCommand(terminal, clock),
  shadow: async (terminal, { clock }) => (await import('./shadow.ts')).shadowCommand(terminal, clock),
  alarms: async (terminal, parts) => (await import('./alarms.ts')).alarmsCommand(terminal, parts),
  events: async (terminal, parts) => (await import('./events.ts')).eventsCommand(terminal, parts),
  clock: async (terminal, { clock, ask }) => (await import('./clock.ts')).clockCommand(terminal, clock, ask),
  console: async (terminal, parts) => (await import('./console.ts')).consoleCommand(terminal, parts),
  keys: async (terminal, parts) => (await import('./keys.ts')).keysCommand(terminal, parts),
  config: async (terminal) => (await import('./config.ts')).configCommand(terminal),
  backup: async (terminal, { clock }) => (await import('./backup.ts')).backupCommand(terminal, clock),
  restore: async (terminal, { clock, ask }) =>
    (await import('./restore.ts')).restoreCommand(terminal, clock, ask),
  import: async (terminal, parts) => (await import('./import.ts')).importCommand(terminal, parts),
  send: async (terminal, { clock }) => (await import('./send.ts')).sendCommand(terminal, clock),
  webhook: async (terminal, parts) => (await import('./webhook.ts')).webhookCommand(terminal, parts),
  practice: async (terminal, parts) => (await import('./practice.ts')).practiceCommand(terminal, parts),
  loop: async (terminal, parts) => (await import('./loop.ts')).loopCommand(terminal, parts),
  listing: async (terminal, parts) => (await import('./listing.ts')).listingCommand(terminal, parts),
  dashboard: async (terminal, { clock }) =>
    (await import('./dashboard.ts')).dashboardCommand(terminal, clock),
};

/** The command with this name; all commands if none has it, for the help and for docs/reference/commands.md. */
export function loadCommands(
  terminal: Terminal,
  parts: RunParts,
  name?: string,
): Promise<CommandUnknownOpts[]> {
  const typed = Object.keys(commands).includes(name ?? '') ? [commands[name ?? '']] : Object.values(commands);
  return Promise.all(typed.flatMap((load) => (load === undefined ? [] : [load(terminal, parts)])));
}
