import { FORWARD } from '../core/forward.ts';
import { isoTime } from '../core/instant.ts';
import { asciiJson, printable } from '../core/printable.ts';
import { shownService } from '../core/service-name.ts';
import type { GrantRow, VoteRow } from '../ledger/ledger.ts';
import { uptimeJson } from '../operator/downtimes.ts';
import { contextOf, type Explanation } from '../operator/explain.ts';
import { grantLines } from '../operator/trace/grant-lines.ts';
import type { Line } from '../operator/trace/line.ts';
import { voteLines } from '../operator/trace/vote-lines.ts';
import type { VoteTrace } from '../operator/trace/vote-trace.ts';
import { grantTraceJson, missingJson, type Shown, traceJson } from '../operator/trace-json.ts';
import type { Terminal } from '../platform/terminal.ts';
import type { Reward } from '../rewards/reward.ts';
import { unpayable } from '../rewards/words.ts';

const ABOUT_WIDTH = 10;

export function printTraces(
  terminal: Terminal,
  traces: readonly VoteTrace[],
  shown: Shown,
  limit: number,
): void {
  if (traces.length === limit) {
    terminal.err(`showing the latest ${limit}; to see older ones: --all`);
  }
  traces.forEach((trace, at) => {
    if (at > 0) terminal.out('');
    printTrace(terminal, trace, shown);
  });
}

function printTrace(terminal: Terminal, trace: VoteTrace, shown: Shown): void {
  const { config, bytes } = shown;
  const { vote, grants } = trace;
  const who = vote.player ?? printable(vote.recipient);
  terminal.out(`vote ${vote.id} by ${who} on ${shownService(vote.service, 128)}: ${vote.decision}`);
  for (const line of voteLines(trace, config)) printLine(terminal, line);
  if (bytes) printLine(terminal, { about: 'received', text: asciiJson(vote.wire) });
  if (vote.decision === 'rewarded' && grants.every(({ reward }) => reward === FORWARD)) {
    printLine(terminal, { about: 'grants', text: nothingText(vote, config.rewards) });
  }
  for (const grant of grants) {
    const [head, ...rest] = grantLines(grant, shown.now, contextOf(grant, shown.config, shown));
    if (head !== undefined) printLine(terminal, head);
    for (const line of rest) printPart(terminal, line);
  }
}

/** If an older Teller stored no reasons, those of the current rewards. */
function nothingText(vote: VoteRow, rewards: readonly Reward[]): string {
  const kind = vote.player === null ? 'user' : 'player';
  const unfit = vote.reasons.size > 0 ? [] : unpayable(rewards, vote, kind);
  return ['none: no reward applied to this vote', ...unfit].join('; ');
}

const printLine = (terminal: Terminal, { about, text }: Line): void =>
  terminal.out(`  ${about.padEnd(ABOUT_WIDTH)}  ${text}`);

/** Indented below its grant. */
const printPart = (terminal: Terminal, { about, text }: Line): void =>
  terminal.out(`${' '.repeat(ABOUT_WIDTH + 4)}${about} ${text}`);

/** Grants that no vote earned. */
export function printGiven(terminal: Terminal, { given, name }: Explanation, shown: Shown): void {
  if (given.length === 0) return;
  terminal.out('');
  terminal.out(`Given to ${printable(name)} by the operator, without a vote:`);
  for (const grant of given) {
    const lines = grantLines(grant, shown.now, contextOf(grant, shown.config, shown));
    for (const { about, text } of [...lines, givenLine(grant)]) terminal.out(`  ${about} ${text}`);
  }
}

/** Grants of parties and tops, as those of votes are printed. */
export function printTogether(terminal: Terminal, { together, name }: Explanation, shown: Shown): void {
  if (together.length === 0) return;
  terminal.out('');
  terminal.out(`Earned by ${printable(name)} together with others:`);
  for (const grant of together) {
    const [head, ...rest] = grantLines(grant, shown.now, contextOf(grant, shown.config, shown));
    if (head !== undefined) printLine(terminal, head);
    for (const line of rest) printPart(terminal, line);
  }
}

const givenLine = ({ given }: GrantRow): Line => ({
  about: 'given:',
  text: given === null ? '' : `by ${printable(given.by)} at ${isoTime(given.at)}`,
});

/** Grants of other players' votes that were paid to this player. */
export function printPaidInstead(terminal: Terminal, { paidInstead, name }: Explanation, shown: Shown): void {
  if (paidInstead.length === 0) return;
  terminal.out('');
  terminal.out(`Paid to ${printable(name)} instead of the player who voted:`);
  for (const grant of paidInstead) {
    for (const { about, text } of grantLines(grant, shown.now, contextOf(grant, shown.config, shown))) {
      const of = about === `grant ${grant.id}` ? ofVote(grant) : '';
      terminal.out(`  ${about}${of} ${text}`);
    }
  }
}

const ofVote = ({ voteId }: GrantRow): string => (voteId === null ? '' : ` of vote ${voteId}`);

/** Each vote with its trace, newest last. If there is none, one row without an ID says what is known. */
export const explanationRows = (explanation: Explanation, shown: Shown): readonly object[] => {
  const { traces } = explanation;
  const known = knownJson(explanation, shown);
  if (traces.length === 0) return [{ id: null, ...known }];
  const newest = traces.length - 1;
  return traces.map((trace, at) => ({ ...traceJson(trace, shown), ...(at === newest ? known : {}) }));
};

/** What is known about the name apart from its votes. */
const knownJson = (explanation: Explanation, shown: Shown) => ({
  name: explanation.name,
  ...missingJson(explanation),
  ...uptimeJson(explanation),
  given: explanation.given.map((grant) => grantTraceJson(grant, shown)),
  together: explanation.together.map((grant) => grantTraceJson(grant, shown)),
  paidInstead: explanation.paidInstead.map((grant) => grantTraceJson(grant, shown)),
});
