import { FORWARD } from '../../core/forward.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import type { Shown } from '../../operator/trace-json.ts';
import { contextOf } from '../../operator/explain.ts';
import { grantLines, outcomeText } from '../../trace/grant-lines.ts';
import { owedText } from '../../trace/payee.ts';
import { type Content, type Html, html, quoted } from '../../web/kit.ts';

/** The commands of a grant, each with what is known about its outcome. */
export const commandList = (grant: GrantRow): Html =>
  html`<ol class="commands">${grant.commands.map(
    (row) =>
      html`<li class="${row.outcome ?? 'untried'}"><code>${quoted(owedText(row.command))}</code><span>${quoted(outcomeText(row, grant))}</span></li>`,
  )}</ol>`;

/** What else is known, such as whom it was redirected to and who did what. */
export function otherFacts(grant: GrantRow, shown: Shown): readonly (readonly [string, Content])[] {
  const lines = grantLines(grant, shown.now, contextOf(grant, shown.config, shown));
  return lines
    .filter(({ about }) => !/^(?:grant \d+|\d+\.|to do:)$/.test(about))
    .map(({ about, text }) => [about, quoted(text)] as const);
}

export const rewardText = ({ reward, occasion }: Pick<GrantRow, 'reward' | 'occasion'>): string =>
  reward === FORWARD ? 'the vote itself' : `${reward}${occasion === '' ? '' : ` for ${occasion}`}`;
