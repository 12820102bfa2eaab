import type { Finding, FindingCode, Fix } from '../../core/finding.ts';
import { countText } from '../../core/list-text.ts';
import {
  type Content,
  card,
  confirmedButton,
  disclosure,
  type Html,
  html,
  linkButton,
  type ProblemItem,
  postButton,
  problemList,
  table,
  tag,
} from '../../web/kit.ts';
import { paths } from '../paths.ts';
import { type Typed, told, toldToDo } from '../told.ts';
import { addSitePath } from './site-page.ts';

/** How a finding is shown. */
export interface Shown {
  readonly csrf: string;
  readonly command: Typed;
}

/** What the notice of every page says already. */
const MODES: ReadonlySet<FindingCode> = new Set(['practice', 'shadow', 'hand-over']);

const MARKS: readonly Finding['mark'][] = ['problem', 'warning', 'ok'];

/** The findings, by how much they need the operator. */
export interface Sorted {
  /** Votes or rewards are being lost, or wait for the operator, or one click puts it right. */
  readonly urgent: readonly Finding[];
  /** Worth a look. */
  readonly others: readonly Finding[];
  readonly fine: readonly Finding[];
}

export function sorted(findings: readonly Finding[]): Sorted {
  const shown = findings.filter(({ mark, code }) => mark !== 'warning' || !MODES.has(code));
  // The most urgent first, so that it is the one that is shown of those with the same fix.
  const ranked = MARKS.flatMap((mark) => shown.filter((finding) => finding.mark === mark));
  const once = ranked.filter((finding, index) => !isFixedBefore(finding, ranked.slice(0, index)));
  const warnings = once.filter(({ mark }) => mark === 'warning');
  const isUrgent = ({ fix, code }: Finding): boolean => fix !== null || code === 'grants-stuck';
  return {
    urgent: [...once.filter(({ mark }) => mark === 'problem'), ...warnings.filter(isUrgent)],
    others: warnings.filter((finding) => !isUrgent(finding)),
    fine: once.filter(({ mark }) => mark === 'ok'),
  };
}

/** One click puts both right. */
const isFixedBefore = ({ fix }: Finding, before: readonly Finding[]): boolean =>
  fix !== null && before.some((other) => JSON.stringify(other.fix) === JSON.stringify(fix));

/** What needs the operator, with what to do, and a button where one click does it; null if there is nothing. */
export const problemsView = (urgent: readonly Finding[], shown: Shown): Html | null =>
  urgent.length === 0
    ? null
    : problemList(
        'Problems',
        urgent.map((finding) => itemOf(finding, shown)),
      );

/** What is only worth a look, and what was found to be fine. */
export const checkedView = ({ others, fine }: Sorted, { command }: Shown): Html =>
  card({
    title: 'Worth a look',
    body: [
      table<Finding>({
        caption: 'Worth a look',
        columns: [
          { label: 'What', cell: ({ sentence }) => told(sentence, command), onPhone: 'title' },
          {
            label: 'What to do',
            cell: ({ toDo }) => (toDo === null ? null : toldToDo(toDo, command)),
            onPhone: 'block',
          },
          { label: 'Code', kind: 'brief', cell: ({ code }) => tag(code), onPhone: 'block' },
        ],
        rows: others,
        empty: html`<p class="soft">Nothing.</p>`,
      }),
      fine.length > 0 &&
        disclosure(
          `${countText(fine.length, 'other check')} found nothing wrong`,
          html`<ul class="prose">${fine.map(({ sentence }) => html`<li>${told(sentence, command)}</li>`)}</ul>`,
        ),
    ],
  });

/** Where the same is done with buttons. */
const DECIDE = html`– or decide under <a href="${paths.grants}">Needs you</a>. `;

const itemOf = ({ mark, code, sentence, toDo, fix }: Finding, shown: Shown): ProblemItem => ({
  tone: mark === 'problem' ? 'bad' : 'warn',
  sentence: html`${told(sentence, shown.command)}`,
  advice: html`${toDo !== null && html`${toldToDo(toDo, shown.command)} `}${code === 'grants-stuck' && DECIDE}${tag(code)}`,
  action: fix === null ? null : fixButton(fix, shown),
});

function fixButton(fix: Fix, { csrf }: Shown): Content {
  switch (fix.kind) {
    case 'add-site':
      return linkButton('Add this site', addSitePath(fix.service));
    case 'reload':
      return postButton({
        label: 'Reload the config',
        action: paths.reload,
        csrf,
        with: { next: paths.now },
      });
    case 'pay-held':
      return confirmedButton({
        label: 'Pay these grants',
        question: html`If a command of theirs did run, its player gets it twice. Look at them first under
          <a href="${paths.grants}">Needs you</a>.`,
        confirm: 'Pay them',
        action: paths.payHeld,
        csrf,
        with: { server: fix.server },
      });
    case 'resume':
      return postButton({
        label: 'Pay again',
        action: paths.resume,
        csrf,
        with: scopeFields(fix.scope),
      });
    case 'release-clock':
      return confirmedButton({
        label: 'Release the clock',
        question:
          'Compare this machine’s clock with one that you trust, and set it if it is wrong. From then on it is trusted, and what was held because of it is paid.',
        confirm: 'The clock is right: release it',
        action: paths.releaseClock,
        csrf,
      });
  }
}

const scopeFields = ({ server, reward }: { server: string | null; reward: string | null }) => ({
  ...(server === null ? {} : { server }),
  ...(reward === null ? {} : { reward }),
});
