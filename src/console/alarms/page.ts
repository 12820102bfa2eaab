import type { AlarmsReport, PostReport } from '../../operator/alarms/report.ts';
import {
  ago,
  alert,
  card,
  code,
  codeBlock,
  empty,
  facts,
  type Html,
  html,
  live,
  postButton,
  problemList,
  quoted,
  table,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

export interface AlarmsView {
  readonly report: AlarmsReport;
  readonly csrf: string;
  readonly now: number;
}

/** What holds, what was notified, and a button that tests the way to the operator. */
export const alarmsPage = ({ report, csrf, now }: AlarmsView): Omit<Page, 'json'> => ({
  title: 'Alarms',
  lead: 'One message when something begins to need you, and one when it is over.',
  ...(report.isConfigured
    ? { actions: postButton({ action: paths.testAlarms, csrf, label: 'Send a test message' }) }
    : {}),
  body: report.isConfigured
    ? live('alarms', [postCard(report, now), holdingCard(report), sentCard(report, now)])
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

function postCard({ form, waiting, lastPost }: AlarmsReport, now: number): Html | null {
  const failed = lastPost === null ? null : failureAlert(lastPost);
  const state = facts([
    ['Sent as', form === null ? 'not known here' : form],
    ['Last message', lastPost === null ? 'none yet' : ago(lastPost.at, now)],
    ...(waiting === null
      ? []
      : [
          [
            'Waiting',
            html`one message since ${ago(waiting.since, now)}, tried ${waiting.attempts} times`,
          ] as const,
        ]),
  ]);
  return card({ title: 'Messages', body: [failed, state] });
}

const failureAlert = ({ failure }: PostReport): Html | null =>
  failure &&
  alert({
    tone: 'bad',
    title: `The last message did not arrive: ${failure.sentence}`,
    body: html`${quoted(failure.toDo)} ${code(failure.code)}`,
  });

function holdingCard({ alarms }: AlarmsReport): Html {
  const holding = alarms.filter(({ alarm }) => alarm.end === null);
  if (holding.length === 0)
    return empty({ title: 'Nothing needs you', advice: 'You will be told when that changes.' });
  return card({
    title: 'Needs you now',
    body: problemList(
      'Alarms that hold',
      holding.map(({ sentence, toDo }) => ({
        tone: 'bad' as const,
        sentence: quoted(sentence),
        advice: quoted(toDo ?? ''),
      })),
    ),
  });
}

const sentCard = ({ sent }: AlarmsReport, now: number): Html =>
  card({
    title: 'Latest messages',
    body: table({
      caption: 'Messages that arrived',
      rows: sent,
      empty: html`<p class="soft">None yet.</p>`,
      columns: [
        { label: 'Sent', kind: 'brief', onPhone: 'title', cell: ({ at }) => ago(at, now) },
        {
          label: 'About',
          onPhone: 'block',
          cell: ({ notice: { began, ended } }) => [
            ...began.map(({ sentence }) => html`<p>${quoted(sentence)}</p>`),
            ...ended.map(({ sentence }) => html`<p class="soft">Over: ${quoted(sentence)}</p>`),
          ],
        },
      ],
    }),
  });
