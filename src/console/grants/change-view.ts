import { placeText } from '../../core/pool.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import type { GrantChangeRefusal } from '../../operator/grants/change.ts';
import type { Offered } from '../../operator/grants/offered.ts';
import type { CommandFate, PreparedChange, PreparedGrant } from '../../operator/grants/prepared.ts';
import { faultText, refusalText } from '../../operator/grants/sentences.ts';
import { grantButtons } from '../../operator/trace/grant-ways.ts';
import { owedText, payeeOf } from '../../operator/trace/payee.ts';
import { hiddenFields } from '../../web/components/button.ts';
import {
  actions,
  alert,
  amount,
  type Column,
  card,
  empty,
  filters,
  type Html,
  html,
  linkButton,
  quoted,
  type Refused,
  selectFilter,
  submitButton,
  table,
  tag,
  textFilter,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type AskedChange, CHANGE_MAX } from './asked-change.ts';
import { commandList, rewardText } from './grant-view.ts';
import { choicesFor, GRANTS } from './group-card.ts';
import { markOf, preparedMarkOf } from './marks.ts';

/** Why a change was not made. */
export interface ChangeRefused extends Refused {
  readonly title: string;
  readonly advice: string;
}

interface ChangePage {
  readonly asked: AskedChange;
  /** Those that were chosen and exist, as they are now. */
  readonly grants: readonly GrantRow[];
  /** null: it is not said yet what to do, or it cannot be done. */
  readonly prepared: PreparedChange | null;
  readonly refused: ChangeRefused | null;
  readonly csrf: string;
  readonly kinds: ReadonlyMap<string, string>;
}

export function refusedBy(refusal: GrantChangeRefusal): ChangeRefused {
  if (refusal.kind === 'player-not-allowed')
    return { title: 'Nobody is paid', advice: refusalText(refusal), faults: {} };
  const [first, ...others] = refusal.faults.map(faultText);
  const more = others.length === 0 ? '' : ` ${others.length} more have no new commands either.`;
  return {
    title: 'The config has no new commands for these grants',
    advice: `${first ?? ''}.${more} Nothing was changed.`,
    faults: {},
  };
}

export const changePage = (page: ChangePage): Page => {
  const { asked, grants, prepared, refused } = page;
  return {
    title: `Decide on ${amount(grants.length, GRANTS)}`,
    trail: [{ label: 'Needs you', href: paths.grants }],
    refused,
    body:
      grants.length === 0
        ? empty({
            title: 'No grant was chosen',
            advice: 'Choose grants on the page before.',
            actions: linkButton('Back', asked.next),
          })
        : [
            asked.hasMore &&
              alert({
                tone: 'warn',
                title: `These are the ${CHANGE_MAX} that got stuck first`,
                body: 'More match. Decide on the others afterwards, in the same way.',
              }),
            choiceCard(page),
            prepared === null ? chosenCard(grants) : preparedCard(prepared, page),
          ],
  };
};

/** What to do is part of the URL, as filters are. */
const choiceCard = ({ asked, grants, kinds }: ChangePage): Html =>
  card({
    title: 'What to do',
    body: filters({
      action: paths.grantChange,
      label: 'What to do',
      submit: 'Show what it does',
      clear: null,
      compact: true,
      fields: [
        selectFilter({
          ...{ name: 'action', label: 'Action', value: asked.offered ?? '' },
          choices:
            asked.offered === null
              ? [['', 'Choose…'], ...choicesFor(grants, kinds)]
              : withAsked(asked.offered, choicesFor(grants, kinds)),
        }),
        (asked.offered === null || asked.offered === 'redirect') &&
          textFilter({ name: 'player', label: 'Player who is paid instead', value: asked.player }),
        asked.marks
          .slice(0, CHANGE_MAX)
          .map((mark) => html`<input type="hidden" name="grant" value="${markOf(mark)}">`),
        html`<input type="hidden" name="next" value="${asked.next}">`,
      ],
    }),
  });

/** What was chosen, before it is said what to do. */
const chosenCard = (grants: readonly GrantRow[]): Html =>
  card({
    title: 'Chosen',
    body: table({
      caption: 'Chosen grants',
      columns: columns.map(({ cell, ...column }) => ({
        ...column,
        cell: (grant: GrantRow) => cell({ grant }),
      })),
      rows: grants,
      detail: commandList,
      empty: empty({ title: 'None', advice: 'Go back and choose some.' }),
    }),
  });

type Choices = readonly (readonly [string, string])[];

const withAsked = (offered: Offered, choices: Choices): Choices =>
  choices.some(([each]) => each === offered) ? choices : [[offered, grantButtons[offered]], ...choices];

function preparedCard(prepared: PreparedChange, { asked, csrf }: ChangePage): Html {
  const { grants, movedOn } = prepared;
  const offered = asked.offered ?? 'pay';
  const runs = grants.flatMap(({ commands }) => commands.filter(({ fate }) => fate === 'runs')).length;
  return card({
    title: grants.length === 0 ? 'Nothing can be done' : summary(offered, grants.length, runs, asked.player),
    body: [
      movedOn.length > 0 && movedOnAlert(movedOn),
      table({
        caption: 'What would be done',
        columns,
        rows: grants,
        detail: ({ commands }) =>
          html`<ol class="fates">${commands.map(
            ({ fate, command }) =>
              html`<li>${tag(FATES[fate])} <code>${quoted(owedText(command))}</code></li>`,
          )}</ol>`,
        empty: empty({
          title: 'None of them can be changed any more',
          advice: 'Go back and look at them again.',
        }),
      }),
      grants.length === 0
        ? actions(linkButton('Back', asked.next))
        : confirmForm(offered, grants, { asked, csrf }),
    ],
  });
}

const FATES: Readonly<Record<CommandFate, string>> = {
  ran: 'ran before',
  runs: 'runs',
  'counts-as-run': 'counts as run',
  replaced: 'no longer',
  dropped: 'dropped',
  'does-not-run': 'does not run',
};

const columns: readonly Column<Pick<PreparedGrant, 'grant'>>[] = [
  {
    label: 'Player',
    onPhone: 'title',
    cell: ({ grant }) => html`<a href="${paths.grant(grant.id)}">${quoted(payeeOf(grant))}</a>`,
  },
  { label: 'Grant', kind: 'brief', cell: ({ grant }) => grant.id },
  { label: 'Reward', cell: ({ grant }) => quoted(rewardText(grant)) },
  { label: 'Game server', cell: ({ grant }) => quoted(placeText(grant.server, grant.practice)) },
];

const MOVED_ON_SHOWN = 5;

const movedOnAlert = (ids: readonly number[]): Html =>
  alert({
    tone: 'warn',
    title: `${amount(ids.length, GRANTS)} left out`,
    body: [
      html`<p>What changed after the page was opened, or cannot be changed in this way, stays as it is.</p>`,
      actions(ids.slice(0, MOVED_ON_SHOWN).map((id) => linkButton(`Grant ${id}`, paths.grant(id)))),
    ],
  });

const confirmForm = (
  offered: Offered,
  grants: readonly PreparedGrant[],
  { asked, csrf }: Pick<ChangePage, 'asked' | 'csrf'>,
): Html => html`<form method="post" action="${paths.grantChange}">
    ${hiddenFields({ csrf, with: { action: offered, player: asked.player, next: asked.next } })}
    ${grants.map((grant) => html`<input type="hidden" name="grant" value="${preparedMarkOf(grant)}">`)}
    ${actions(
      submitButton(
        confirmLabel(offered, grants.length, asked.player),
        offered === 'cancel' ? 'final' : 'primary',
      ),
      linkButton('Back', asked.next),
    )}
  </form>`;

const COMMANDS = { one: 'command', many: 'commands' };

/** What a change would do, in one line. */
function summary(offered: Offered, grants: number, runs: number, player: string): string {
  const some = amount(grants, GRANTS);
  switch (offered) {
    case 'pay':
    case 'anew':
      return `Pay ${some}: ${amount(runs, COMMANDS)} will run`;
    case 'redirect':
      return `Pay ${player} instead, for ${some}: ${amount(runs, COMMANDS)} will run`;
    case 'ran':
      return `Count the command that stopped ${grants === 1 ? 'it' : 'each'} as run: ${amount(runs, COMMANDS)} will run`;
    case 'mark-paid':
      return `Mark ${some} as paid: no command will run`;
    case 'cancel':
      return `Cancel ${some}: no command will run`;
  }
}

/** What the button says that makes it. */
function confirmLabel(offered: Offered, count: number, player: string): string {
  const some = amount(count, GRANTS);
  switch (offered) {
    case 'pay':
      return `Pay ${some}`;
    case 'anew':
      return `Pay ${some} with the new commands`;
    case 'redirect':
      return `Pay ${player} instead`;
    case 'ran':
      return `Go on with ${some}`;
    case 'mark-paid':
      return `Mark ${some} as paid`;
    case 'cancel':
      return `Cancel ${some}`;
  }
}
