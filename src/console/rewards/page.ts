import type { ConfigFile } from '../../operator/config-file/compare.ts';
import type { WordsChange } from '../../operator/config-file/words-changes.ts';
import { type PastPayments, pastText } from '../../operator/figures/past-payments.ts';
import type { ConfigWords } from '../../operator/words/config.ts';
import type { ChoiceWords, EntryWords } from '../../operator/words/entry.ts';
import type { SiteWords } from '../../operator/words/site.ts';
import {
  alert,
  type Content,
  card,
  code,
  diff,
  empty,
  facts,
  type Html,
  html,
  live,
  postButton,
  quoted,
  tag,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type Typed, toldToDo } from '../told.ts';

export interface RewardsView {
  readonly words: ConfigWords;
  readonly file: ConfigFile;
  readonly past: PastPayments;
  readonly csrf: string;
  /** The name of the config file. */
  readonly fileName: string;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

/** What the config promises, in everyday language, and what the file would change. */
export const rewardsPage = ({ words, file, past, ...around }: RewardsView): Page => ({
  title: 'Rewards',
  lead: ['What the running config promises, in everyday words. ', quoted(words.notes.join(' '))],
  body: [
    live('file', fileCard(file, around)),
    live('promises', [
      words.entries.length === 0
        ? empty({
            title: 'No rewards',
            advice: html`Add some to ${code('rewards')} in ${code(around.fileName)}.`,
          })
        : words.entries.map((entry) => entryCard(entry, past)),
      sitesCard(words.sites),
    ]),
  ],
});

/** What is more than a reward for a vote says so. */
const KINDS: Readonly<Record<Exclude<EntryWords['kind'], 'reward'>, string>> = {
  party: 'vote party',
  top: 'top voters',
  publish: 'published',
  remind: 'reminder',
};

const entryCard = ({ kind, name, when, choices, odds, paid }: EntryWords, past: PastPayments): Html =>
  card({
    title: name,
    actions: kind !== 'reward' && tag(KINDS[kind]),
    body: facts([
      ['When', sentences(when)],
      ...choices
        .filter(isWorthSaying)
        .map((choice): readonly [string, Content] => [choiceLead(choice), commands(choice)]),
      ...(odds === null ? [] : [['Odds', quoted(odds)] as const]),
      ...(paid.length === 0 ? [] : [['How', sentences(paid)] as const]),
      ...(kind === 'publish' || kind === 'remind' ? [] : [['Until now', pastText(past, name)] as const]),
    ]),
  });

const sentences = (list: readonly string[]): Content => list.map((each) => html`<p>${quoted(each)}</p>`);

/** That nothing runs is in the odds already. */
const isWorthSaying = ({ steps, share }: ChoiceWords): boolean => steps.length > 0 || share === null;

const choiceLead = ({ lead }: ChoiceWords): string => (lead === null ? 'Runs' : `Runs, ${lead}`);

const commands = ({ steps }: ChoiceWords): Content =>
  steps.length === 0
    ? 'nothing'
    : steps.map(({ command, means }) => html`<p>${means === null ? code(command) : quoted(means)}</p>`);

const sitesCard = (sites: readonly SiteWords[]): Html =>
  card({
    title: 'Sites',
    body: facts(
      sites.map(({ name, sentences: said }) => [
        name === 'default' ? 'Every other site' : name,
        sentences(said),
      ]),
    ),
  });

/** Rule 15: whether what is shown is what the file says. */
function fileCard(
  file: ConfigFile,
  { fileName, csrf, command }: Pick<RewardsView, 'fileName' | 'csrf' | 'command'>,
): Html | null {
  const reload = postButton({ action: paths.reload, csrf, label: 'Reload' });
  switch (file.kind) {
    case 'same':
      return null;
    case 'newer':
      return card({
        title: `${fileName} is newer than what runs`,
        note: html`${toldToDo(file.toApply, command)}.`,
        actions: reload,
        body: [
          diff({ id: 'changes', label: 'Values that change', lines: file.changes.flatMap(changedLines) }),
          file.words.map(meaning),
        ],
      });
    case 'refused':
      return alert({
        tone: 'bad',
        title: `${fileName} cannot be loaded, so what runs stays as it is`,
        body:
          file.faults.length === 0
            ? quoted(file.sentence)
            : html`<ul>${file.faults.map(
                ({ path, sentence, line }) => html`<li>Line ${line}: ${code(path)} ${quoted(sentence)}</li>`,
              )}</ul>`,
      });
  }
}

type Newer = Extract<ConfigFile, { readonly kind: 'newer' }>;

const changedLines = ({ key, before, after }: Newer['changes'][number]): readonly string[] => [
  ...(before === null ? [] : [`- ${key}: ${before}`]),
  ...(after === null ? [] : [`+ ${key}: ${after}`]),
];

const meaning = ({ name, change, before, after }: WordsChange): Html =>
  html`<p><strong>${quoted(name)}</strong> is ${change}.</p>
    ${before.length > 0 && html`<p class="soft">Before: ${quoted(before.join(' '))}</p>`}
    ${after.length > 0 && html`<p>Then: ${quoted(after.join(' '))}</p>`}`;
