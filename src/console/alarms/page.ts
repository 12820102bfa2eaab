import { countText } from '../../core/list-text.ts';
import type { AlarmsReport, PostReport } from '../../operator/alarms/report.ts';
import {
  ago,
  alert,
  card,
  codeBlock,
  empty,
  facts,
  type Html,
  html,
  live,
  postButton,
  problemList,
  table,
  tag,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type Typed, told, toldToDo } from '../told.ts';

export interface AlarmsView {
  readonly report: AlarmsReport;
  readonly csrf: string;
  readonly now: number;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

/** What holds, what was notified, and a button that tests the way to the operator. */
export const alarmsPage = (view: AlarmsView): Omit<Page, 'json'> => ({
  title: 'Alarms',
  lead: 'One message when something begins to need you, and one when it is over.',
  ...(view.report.isConfigured
    ? { actions: postButton({ action: paths.testAlarms, csrf: view.csrf, label: 'Send a test message' }) }
    : {}),
  body: view.report.isConfigured
    ? live('alarms', [postCard(view), holdingCard(view), sentCard(view)])
    : setUpCard(),
});

const setUpCard = (): Html =>
  card({
    title: 'Nobody is notified yet',
    body: [
      html`<p>Add the URL of a chat channel’s webhook to the config, in a file that only Teller can read, and reload:</p>`,
      codeBlock({
        id: 'config',
        label: 'In the config',
        text: '"alarms": { "url": "file:data/secrets/alarms.url" }',
      }),
      html`<p class="soft">Teller then tells you when a reward is held, a site is silent, a game server is away, the clock is doubtful,
        the disk is low, or the config file is newer than what runs.</p>`,
    ],
  });

/** How a message looks to its receiver. */
const FORMS: Readonly<Record<NonNullable<AlarmsReport['form']>, string>> = {
  content: 'a chat message, as Discord reads it',
  text: 'a chat message, as Slack reads it',
  both: 'a chat message',
  json: 'a signed JSON event',
};

function postCard({ report, now, command }: AlarmsView): Html | null {
  const { form, waiting, lastPost } = report;
  const failed = lastPost === null ? null : failureAlert(lastPost, command);
  const state = facts([
    ['Sent as', form === null ? 'not known here' : FORMS[form]],
    ['Last message', lastPost === null ? 'none yet' : ago(lastPost.at, now)],
    ...(waiting === null
      ? []
      : [
          [
            'Waiting',
            html`one message since ${ago(waiting.since, now)}, ${countText(waiting.attempts, 'attempt')} so far`,
          ] as const,
        ]),
  ]);
  return card({ title: 'Messages', body: [failed, state] });
}

const failureAlert = ({ failure }: PostReport, command: Typed): Html | null =>
  failure &&
  alert({
    tone: 'bad',
    title: `The last message did not arrive: ${failure.sentence}`,
    body: html`${toldToDo(failure.toDo, command)} ${tag(failure.code)}`,
  });

function holdingCard({ report, command }: AlarmsView): Html {
  const holding = report.alarms.filter(({ alarm }) => alarm.end === null);
  if (holding.length === 0) return empty({ title: 'No alarm', advice: 'You are notified when one begins.' });
  return card({
    title: 'Alarms now',
    body: problemList(
      'Alarms that hold',
      holding.map(({ sentence, toDo }) => ({
        tone: 'bad' as const,
        sentence: told(sentence, command),
        advice: told(toDo ?? '', command),
      })),
    ),
  });
}

const sentCard = ({ report, now, command }: AlarmsView): Html =>
  card({
    title: 'Latest messages',
    body: table({
      caption: 'Messages that arrived',
      rows: report.sent,
      empty: html`<p class="soft">None yet.</p>`,
      columns: [
        { label: 'Sent', kind: 'brief', onPhone: 'title', cell: ({ at }) => ago(at, now) },
        {
          label: 'About',
          onPhone: 'block',
          cell: ({ notice: { began, ended } }) => [
            ...began.map(({ sentence }) => html`<p>${told(sentence, command)}</p>`),
            ...ended.map(({ sentence }) => html`<p class="soft">Over: ${told(sentence, command)}</p>`),
          ],
        },
      ],
    }),
  });
