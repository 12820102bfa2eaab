import { capitalized } from '../../core/capitalized.ts';
import { FORWARD } from '../../core/forward.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import { contextOf } from '../../operator/explain.ts';
import { grantLines, grantStateText, outcomeText } from '../../operator/trace/grant-lines.ts';
import { buttonWays } from '../../operator/trace/grant-ways.ts';
import type { Line } from '../../operator/trace/line.ts';
import { owedText } from '../../operator/trace/payee.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { type Content, facts, type Html, html, quoted, withTimes } from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, toldToDo } from '../told.ts';

/** The commands of a grant, each with what is known about its outcome. */
export const commandList = (grant: GrantRow): Html =>
  html`<ol class="commands">${grant.commands.map(
    (row) =>
      html`<li class="${row.outcome ?? 'untried'}"><code>${quoted(owedText(row.command))}</code><span>${withTimes(outcomeText(row, grant))}</span></li>`,
  )}</ol>`;

/** What else is known, such as whom it was redirected to and who did what. */
export function otherFacts(grant: GrantRow, shown: Shown): readonly (readonly [string, Content])[] {
  return linesOf(grant, shown)
    .filter(({ about }) => !/^(?:grant \d+|\d+\.|to do:)$/.test(about))
    .map(({ about, text }) => [heading(about), withTimes(text)] as const);
}

const heading = (about: string): string => capitalized(about.replace(/:$/, ''));

const linesOf = (grant: GrantRow, shown: Shown): readonly Line[] =>
  grantLines(grant, shown.now, { ...contextOf(grant, shown.config, shown), ways: buttonWays });

/** Its state and why, in one line, where it is said already which reward it is, and on which game server. */
export const becameText = (grant: GrantRow, { now }: Pick<Shown, 'now'>): Html =>
  withTimes(capitalized(grantStateText(grant, now)));

/** What to do about it; null if there is nothing. */
export function todoText(grant: GrantRow, shown: Shown, command: Typed): Html | null {
  const todo = linesOf(grant, shown).find(({ about }) => about === 'to do:');
  return todo === undefined ? null : html`${toldToDo(todo.text, command)}.`;
}

/** To the page with the buttons that `buttonWays` names. */
const decideLink = ({ id, state }: GrantRow): Html | null =>
  state === 'held' || state === 'refused' ? html` <a href="${paths.grant(id)}">Decide</a>` : null;

/** Everything that is known about it, on a page without buttons for it. */
export function grantSummary(grant: GrantRow, shown: Shown, command: Typed): Html {
  const todo = todoText(grant, shown, command);
  const known = [
    ...otherFacts(grant, shown),
    ...(todo === null ? [] : [['To do', [todo, decideLink(grant)]] as const]),
  ];
  return html`${commandList(grant)}${known.length > 0 && facts(known)}`;
}

export const rewardText = ({ reward, occasion }: Pick<GrantRow, 'reward' | 'occasion'>): string =>
  reward === FORWARD ? 'the vote itself' : `${reward}${occasion === '' ? '' : ` for ${occasion}`}`;
