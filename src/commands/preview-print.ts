import { choiceText } from '../core/choice.ts';
import { cooldownText } from '../core/cooldown.ts';
import type { PlannedGrant } from '../core/decide.ts';
import { isoTime } from '../core/instant.ts';
import { percent } from '../core/percent.ts';
import { needs } from '../core/placeholders.ts';
import { shownService } from '../core/service-name.ts';
import { closeCommand } from '../core/template.ts';
import { type TemplateWarning, templateWarnings } from '../core/template-warning.ts';
import { DEFAULT_SITE } from '../intake/sites.ts';
import type { Trial } from '../operator/preview/odds.ts';
import type { Preview } from '../operator/preview/preview.ts';
import { explainRewards } from '../rewards/reasons.ts';
import type { Terminal } from '../runtime/terminal.ts';
import { printTable } from './command.ts';

const playerOf = ({ arrival: { vote } }: Preview): string =>
  vote.recipient.kind === 'player' ? vote.recipient.player : vote.recipient.key;

const commandsOf = (preview: Preview, { commands }: PlannedGrant): string[] =>
  commands.map((command) =>
    closeCommand(command, { player: playerOf(preview), uuid: null, now: preview.arrival.vote.castAt }),
  );

export function printPreview(terminal: Terminal, preview: Preview): void {
  const { vote, cooldown } = preview.arrival;
  const { decision } = preview;
  const window = vote.site === DEFAULT_SITE ? 'shares the window of unlisted sites' : 'has its own window';
  terminal.out(
    `a vote by ${playerOf(preview)} on ${shownService(vote.service, 128)} at ${isoTime(vote.castAt)}`,
  );
  terminal.out(`  this service ${window}, ${cooldownText(cooldown)}`);
  if (decision.kind === 'cooldown') {
    terminal.out(`  cooldown: counted but not rewarded, because vote ${decision.takenBy} has the window`);
    terminal.out(
      `  the next vote is rewarded from ${isoTime(decision.nextAt)}; --at ${isoTime(decision.nextAt)} shows it`,
    );
  } else if (decision.kind === 'rewarded') {
    terminal.out(`  rewarded; the next vote would be rewarded from ${isoTime(decision.nextAt)}`);
    if (decision.grants.length === 0) terminal.out('  no reward in the config applies to it');
    for (const grant of decision.grants) printGrant(terminal, preview, grant);
    for (const line of reasonLines(preview)) terminal.out(`  ${line}`);
  }
}

/** Why rewards are not granted, and what the seed drew. */
const reasonLines = ({ reasons, drawn }: Preview): readonly string[] =>
  explainRewards(reasons).flatMap(({ reward, granted, facts, sentence }) => {
    if ('rolled' in facts) return [`with seed ${drawn?.seed}, ${reward}: ${sentence}`];
    return granted ? [] : [`${reward}: ${sentence}`];
  });

function printGrant(terminal: Terminal, preview: Preview, grant: PlannedGrant): void {
  const chance = preview.chances.get(grant.reward);
  const luck = chance === undefined ? '' : `, with a chance of ${percent(chance)}`;
  const when = grant.when === 'always' ? 'at once' : `when ${playerOf(preview)} is online there`;
  const server = grant.practice ? `${grant.server}, a practice server` : grant.server;
  terminal.out(`  ${grant.reward}${luck}${choiceOf(grant)}: on ${server}, ${when}`);
  for (const command of commandsOf(preview, grant)) terminal.out(`    ${command}`);
  if (grant.commands.some((command) => needs(command, 'uuid'))) {
    terminal.out(`    {uuid} is filled in from the player list of ${grant.server} when the command is sent`);
  }
  for (const { sentence, toDo } of warningsOf(grant)) terminal.out(`    warning: ${sentence}; ${toDo}`);
}

/** Which of the reward's commands, where that depends on a draw or a total. */
const choiceOf = ({ choice }: PlannedGrant): string => {
  if (choice === null) return '';
  return choice.from === 'otherwise' ? ', otherwise' : `, ${choiceText(choice)}`;
};

/** Each warning once, even if several commands have it. */
const warningsOf = ({ commands }: PlannedGrant): readonly TemplateWarning[] => [
  ...new Map(commands.flatMap(templateWarnings).map((each) => [each.written, each])).values(),
];

export const previewJson = (preview: Preview) => {
  const { vote } = preview.arrival;
  const { decision } = preview;
  return {
    service: vote.service,
    site: vote.site,
    recipient: vote.recipient.key,
    player: vote.recipient.kind === 'player' ? vote.recipient.player : null,
    castAt: isoTime(vote.castAt),
    decision: decision.kind,
    nextAt: 'nextAt' in decision ? isoTime(decision.nextAt) : null,
    takenBy: 'takenBy' in decision ? decision.takenBy : null,
    ...preview.drawn,
    rewards: explainRewards(preview.reasons),
    grants: (decision.kind === 'rewarded' ? decision.grants : []).map((grant) => ({
      reward: grant.reward,
      chance: preview.chances.get(grant.reward) ?? null,
      choice: grant.choice,
      server: grant.server,
      practice: grant.practice,
      when: grant.when,
      commands: commandsOf(preview, grant),
      warnings: warningsOf(grant).map(({ code, sentence, toDo }) => ({ code, sentence, toDo })),
    })),
  };
};

export function printTrial(terminal: Terminal, { service, votes, seed, odds }: Trial): void {
  terminal.out(
    `${votes} simulated votes on ${shownService(service, 128)}, ignoring the cooldown, seed ${seed}:`,
  );
  printTable(terminal, [
    ['REWARD', 'CHANCE', 'PAID', 'SHARE'],
    ...odds.map(({ reward, chance, paid, never }) => [
      reward,
      never ?? percent(chance),
      String(paid),
      percent(paid / votes),
    ]),
  ]);
}

export const trialJson = ({ service, votes, seed, odds }: Trial) =>
  odds.map(({ reward, chance, paid }) => ({
    service,
    reward,
    chance,
    votes,
    seed,
    paid,
    share: paid / votes,
  }));
