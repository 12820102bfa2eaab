import { choiceText } from '../core/choice.ts';
import { cooldownText } from '../core/cooldown.ts';
import type { PlannedGrant } from '../core/decide.ts';
import { durationText } from '../core/duration.ts';
import { NO_TERMS } from '../core/grant-terms.ts';
import { isoTime } from '../core/instant.ts';
import { percent } from '../core/percent.ts';
import { needs } from '../core/placeholders.ts';
import { placeText } from '../core/pool.ts';
import type { Facts } from '../core/reason.ts';
import type { When } from '../core/reward.ts';
import { DEFAULT_SITE, shownService } from '../core/service-name.ts';
import { closeCommand } from '../core/template.ts';
import { type TemplateWarning, warningsIn } from '../core/template-warning.ts';
import { type PastPayments, pastOf, pastText } from '../operator/figures/past-payments.ts';
import type { Preview } from '../operator/preview/preview.ts';
import type { Terminal } from '../platform/terminal.ts';
import { WORDS } from '../rewards/grants.ts';
import { explainRewards } from '../rewards/words.ts';

const playerOf = ({ arrival: { vote } }: Preview): string =>
  vote.recipient.kind === 'player' ? vote.recipient.player : vote.recipient.key;

const commandsOf = (preview: Preview, { commands }: PlannedGrant): string[] =>
  commands.map((command) =>
    closeCommand(command, { player: playerOf(preview), uuid: null, now: preview.arrival.vote.castAt }),
  );

export function printPreview(terminal: Terminal, preview: Preview, past: PastPayments): void {
  const { vote, cooldown } = preview.arrival;
  const { decision } = preview;
  const window = vote.site === DEFAULT_SITE ? 'shares the window of unlisted sites' : 'has its own window';
  terminal.out(
    `a vote by ${playerOf(preview)} on ${shownService(vote.service, 128)} at ${isoTime(vote.castAt)}`,
  );
  terminal.out(`  this service ${window}, ${cooldownText(cooldown)}`);
  if (decision.kind === 'cooldown' || decision.kind === 'unlisted') {
    terminal.out(
      `  ${decision.kind}: counted but not rewarded, because vote ${decision.takenBy} has the ${decision.kind === 'cooldown' ? '' : 'shared '}window`,
    );
    terminal.out(
      `  the next vote is rewarded from ${isoTime(decision.nextAt)}; --at ${isoTime(decision.nextAt)} shows it`,
    );
  } else if (decision.kind === 'rewarded') {
    terminal.out(`  rewarded; the next vote would be rewarded from ${isoTime(decision.nextAt)}`);
    printRewards(terminal, preview, decision.grants, past);
  }
}

function printRewards(
  terminal: Terminal,
  preview: Preview,
  grants: readonly PlannedGrant[],
  past: PastPayments,
): void {
  const missed = explainRewards(preview.reasons).filter(({ granted }) => !granted);
  const groups = togetherShown(grants);
  const byChance = groups.filter((group) => dependsOnChance(preview, group));
  if (grants.length === 0) terminal.out('  no reward is granted');
  if (groups.length > byChance.length) terminal.out('  granted');
  for (const group of groups) if (!byChance.includes(group)) printGroup(terminal, preview, group, past);
  if (byChance.length > 0) terminal.out('  granted if the chance is won');
  for (const group of byChance) printGroup(terminal, preview, group, past);
  if (missed.length > 0) terminal.out('  not granted');
  for (const { reward, sentence } of missed)
    terminal.out(`    ${reward}: ${sentence}; ${pastText(past, reward)}`);
  for (const line of drawnLines(preview)) terminal.out(`  ${line}`);
}

/** What the seed drew. */
const drawnLines = ({ reasons, drawn }: Preview): readonly string[] => {
  const rolled = explainRewards(reasons).filter(({ granted, facts }) => granted && isDrawnIn(facts));
  if (drawn === null || rolled.length === 0) return [];
  return [
    `drawn with seed ${drawn.seed}`,
    ...rolled.map(({ reward, sentence }) => `  ${reward}: ${sentence}`),
  ];
};

const isDrawnIn = ({ rolled, choices }: Facts): boolean =>
  rolled !== undefined || (Array.isArray(choices) && choices.some((choice) => choice.from === 'oneOf'));

/** The grants of one reward on one game server for one occasion: what may be run there, whatever is drawn. */
type Group = readonly [PlannedGrant, ...PlannedGrant[]];

function togetherShown(grants: readonly PlannedGrant[]): readonly Group[] {
  const groups = new Map<string, [PlannedGrant, ...PlannedGrant[]]>();
  for (const grant of grants) {
    const key = JSON.stringify([grant.reward, grant.occasion, grant.server]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [grant]);
    else group.push(grant);
  }
  return [...groups.values()];
}

/** Whether nothing at all may be granted: with a seed it is known, and with `otherwise` something always is. */
const dependsOnChance = ({ chances, drawn }: Preview, group: Group): boolean =>
  drawn === null && chances.has(group[0].reward) && !group.some(({ choice }) => choice?.from === 'otherwise');

function printGroup(terminal: Terminal, preview: Preview, group: Group, past: PastPayments): void {
  const [first] = group;
  const chance = preview.chances.get(first.reward);
  const what = [
    first.occasion === '' ? first.reward : `${first.reward} for ${first.occasion}`,
    ...(chance === undefined ? [] : [`with a chance of ${percent(chance)}`]),
    ...(group.length === 1 ? choiceOf(first) : []),
  ];
  terminal.out(
    `    ${what.join(', ')}: on ${placeText(first.server, first.practice)}, ${whenText(first, playerOf(preview))}; ${pastText(past, first.reward)}`,
  );
  for (const grant of group) {
    if (group.length > 1) terminal.out(`      ${alternativeOf(grant, chance)}:`);
    const indent = group.length > 1 ? 8 : 6;
    for (const line of grantLines(preview, grant)) terminal.out(`${' '.repeat(indent)}${line}`);
  }
}

const whenTexts: Readonly<Record<When, (player: string) => string>> = {
  always: () => 'at once',
  online: (player) => `when ${player} is online there`,
};

/** `when Steve is online there, but not before 2 h are over, expires after 7 d` */
function whenText({ when, terms }: PlannedGrant, player: string): string {
  const { delayMs, expiresAfterMs } = terms ?? NO_TERMS;
  return [
    whenTexts[when](player),
    ...(delayMs === 0 ? [] : [`but not before ${durationText(delayMs)} are over`]),
    ...(expiresAfterMs === null ? [] : [`expires after ${durationText(expiresAfterMs)}`]),
  ].join(', ');
}

const grantLines = (preview: Preview, grant: PlannedGrant): readonly string[] => [
  ...commandsOf(preview, grant),
  ...(grant.commands.some((command) => needs(command, 'uuid'))
    ? [`{uuid} is filled in from the player list of ${grant.server} when the command is sent`]
    : []),
  ...warningsOf(grant).map(({ sentence, toDo }) => `warning: ${sentence}; ${toDo}`),
];

/** Which of the reward's commands, where that depends on a draw or a total. */
const choiceOf = ({ choice }: PlannedGrant): readonly string[] =>
  choice === null ? [] : [choiceText(choice)];

/** One of several things that may be drawn, and how likely it is. */
function alternativeOf({ choice }: PlannedGrant, chance = 1): string {
  if (choice?.from === 'oneOf') return `${choice.name}, ${percent(choice.share * chance)}`;
  return choice?.from === 'otherwise' ? `otherwise, ${percent(1 - chance)}` : `won, ${percent(chance)}`;
}

/** Each warning once, even if several commands have it. */
const warningsOf = ({ commands }: PlannedGrant): readonly TemplateWarning[] =>
  warningsIn(commands, WORDS.rewards);

export const previewJson = (preview: Preview, past: PastPayments) => {
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
    rewards: explainRewards(preview.reasons).map((each) => ({ ...each, past: pastOf(past, each.reward) })),
    grants: (decision.kind === 'rewarded' ? decision.grants : []).map((grant) => ({
      reward: grant.reward,
      chance: preview.chances.get(grant.reward) ?? null,
      choice: grant.choice,
      server: grant.server,
      practice: grant.practice,
      when: grant.when,
      terms: grant.terms,
      commands: commandsOf(preview, grant),
      warnings: warningsOf(grant).map(({ code, sentence, toDo }) => ({ code, sentence, toDo })),
    })),
  };
};
