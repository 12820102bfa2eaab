import { loadConfig } from '../config/load.ts';
import type { Clock } from '../core/clock.ts';
import { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import { shownService } from '../core/service-name.ts';
import { planTokenRotation, rotatePair, rotateToken, type TokenRefused } from '../operator/keys/rotate.ts';
import type { Terminal } from '../platform/terminal.ts';
import { agreeToOtherChanges } from './agree-to-others.ts';
import { action, type ExitCode, printJson } from './command.ts';
import { Command } from './commander.ts';
import { type Ask, agreed, askAtTerminal } from './confirm.ts';
import { exitOfEdit, printProcess, processJson, reloadAndWait } from './reload.ts';

export interface KeysTools {
  readonly clock: Clock;
  readonly random: Random;
  /** Absent: at the terminal. */
  readonly ask?: Ask | undefined;
}

interface RotateOptions {
  /** This and `json` are options of `keys`, which commander accepts anywhere on the command line. */
  readonly config: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

export const rotateRsaCommand = (terminal: Terminal, tools: KeysTools) =>
  new Command('rsa')
    .description('create a new RSA key pair; the old one is kept beside it')
    .option('--yes', 'without asking')
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(terminal, async (_, command) =>
        makePair(terminal, tools, command.optsWithGlobals() as RotateOptions),
      ),
    );

async function makePair(
  terminal: Terminal,
  { clock, ask = askAtTerminal }: KeysTools,
  options: RotateOptions,
): Promise<ExitCode> {
  const config = await loadConfig(options.config, { missingSecrets: 'defer' });
  const question =
    'Votes from every listing that sends v1 are refused until the listing has the new public key.';
  await agreed(terminal, ask, options.yes === true, `${question} Create a new pair?`);
  const rotated = await rotatePair(config, clock);
  if (options.json) printJson(terminal, [rotated]);
  else {
    for (const backup of rotated.backups) terminal.err(`old key kept as ${backup}`);
    terminal.err('Restart Teller, and paste this public key at every listing that sends v1:');
    terminal.out(rotated.publicKey);
  }
  return 0;
}

export const rotateTokenCommand = (terminal: Terminal, tools: KeysTools) =>
  new Command('token')
    .description('create a new token for a site; a site that shared the default token gets its own')
    .argument('<site>', 'the name of its entry in `sites`')
    .option('--yes', 'without asking')
    .configureHelp({ showGlobalOptions: true })
    .action(
      action(terminal, async (site, _, command) =>
        makeToken(terminal, tools, site, command.optsWithGlobals() as RotateOptions),
      ),
    );

async function makeToken(
  terminal: Terminal,
  { clock, random, ask = askAtTerminal }: KeysTools,
  site: string,
  options: RotateOptions,
): Promise<ExitCode> {
  const config = await loadConfig(options.config, { missingSecrets: 'defer' });
  const plan = await planTokenRotation(config, site);
  if (plan.kind !== 'planned') throw new Problem(plan.kind, refusedText(plan));
  const sharing = plan.sharing.map((name) => shownService(name)).join(', ');
  const question = `Votes from ${sharing} are refused until the listing has the new token. Create one?`;
  await agreed(terminal, ask, options.yes === true, question);
  await agreeToOtherChanges(config, 'A new token', options.yes === true, { terminal, ask });
  const file = await rotateToken(plan, random);
  const processes = await reloadAndWait(config.ledger, terminal, clock);
  if (options.json)
    printJson(terminal, [{ site, file, sites: plan.sharing, processes: processes.map(processJson) }]);
  else {
    terminal.out(`new token for ${sharing} in ${file}`);
    for (const process of processes) printProcess(process, terminal);
    terminal.err('Paste the token at the listing; `teller keys` shows it.');
  }
  return exitOfEdit(processes);
}

function refusedText(refused: TokenRefused): string {
  const { site } = refused;
  if (refused.kind === 'token-elsewhere') {
    return `the token of ${site} comes from the environment variable ${refused.variable}; change it there`;
  }
  const hint =
    refused.nearly === null
      ? `add ${JSON.stringify(site)}: {} to \`sites\` first, spelled as \`teller sites\` shows it`
      : `did you mean '${refused.nearly}'?`;
  return `'${site}' is not in \`sites\`; ${hint}`;
}
