import type { Hono } from 'hono';
import { DAY_MS } from '../../src/core/duration.ts';
import { periodOf } from '../../src/core/period.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';
import {
  actions,
  ago,
  areaField,
  badge,
  type Content,
  card,
  code,
  codeBlock,
  columns,
  copyLine,
  dateFilter,
  diff,
  empty,
  facts,
  figures,
  filters,
  form,
  freshForm,
  html,
  inputField,
  linkButton,
  live,
  monthCalendar,
  type Page,
  pagination,
  postButton,
  problemList,
  quoted,
  radioField,
  selectField,
  selectFilter,
  stateSentence,
  steps,
  submitButton,
  table,
  tabs,
  tag,
  textFilter,
  yearCalendar,
} from '../../src/web/kit.ts';
import { showPage } from '../../src/web/show.ts';
import type { PageEnv } from '../../src/web/site.ts';

const NOW = Date.parse('2026-11-23T14:05:00Z');
const HOSTILE = '<b>Ada</b>‮"\'';

/** Pages that show every component with the texts that it has in use. */
export const galleryPages: Readonly<Record<string, (csrf: string) => Page>> = {
  '/gallery/state': (csrf) => ({
    title: 'State',
    tabs: tabs('Pages', [
      { label: 'State', href: '/gallery/state', current: true },
      { label: 'Needs you', href: '/gallery/lists', count: 3 },
      { label: 'Figures', href: '/gallery/charts' },
    ]),
    body: live('state', [
      stateSentence({
        tone: 'good',
        sentence: ['Listening on port 8192. 3 sites. Last vote ', ago(NOW - 120_000, NOW), '.'],
      }),
      stateSentence({
        tone: 'bad',
        sentence: 'Votes arrive, but nothing is paid: survival has not answered for 12 minutes.',
        detail: '14 grants wait. They are paid when it answers.',
      }),
      stateSentence({ tone: 'idle', sentence: 'Listening on port 8192. No vote has arrived yet.' }),
      problemList('Problems', [
        {
          tone: 'bad',
          sentence: 'The game server survival refused the password.',
          advice: [
            'Compare ',
            code('gameServers.survival.password'),
            ' with rcon.password there, and reload.',
          ],
          action: postButton({ action: '/take', csrf, label: 'Reload', small: true }),
        },
        {
          tone: 'warn',
          sentence: ['5 votes came from ', quoted(HOSTILE), ', which no site of the config has.'],
          advice: 'Add it, so that its votes have a cooldown of their own.',
          action: postButton({ action: '/take', csrf, label: 'Add this site', small: true }),
        },
        { tone: 'busy', sentence: 'A party is at 48 of 50 votes.', advice: 'Nothing to do.' },
      ]),
    ]),
  }),
  '/gallery/guide': (csrf) => ({
    title: 'First vote',
    body: [
      card({
        title: 'Guide',
        body: steps('The way to the first reward', [
          { title: 'Teller listens on port 8192', state: 'done' },
          {
            title: 'Paste this at the listing',
            state: 'done',
            body: copyLine({ id: 'token', label: 'Token', text: 'k3jf9s0dkf8s7dfkj2h3k4j5h6g7f8d9' }),
          },
          {
            title: 'Add your game server',
            state: 'current',
            body: [
              diff({
                id: 'diff',
                label: 'teller.yaml',
                lines: [
                  '  gameServers:',
                  '-   practice: {}',
                  '+   survival:',
                  '+     kind: rcon',
                  '+     address: 127.0.0.1:25575 # a comment that is so long that it does not fit into one line of a phone',
                  '  sites: {}',
                ],
              }),
              actions(postButton({ action: '/take', csrf, label: 'Write it', kind: 'primary' })),
            ],
          },
          { title: 'Send a test vote', state: 'to-do' },
        ]),
      }),
      card({
        title: 'Key',
        body: codeBlock({ id: 'key', label: 'Public key', text: 'MIIBIjANBgkqhkiG9w0BAQEFAAOC\n'.repeat(6) }),
      }),
      card({
        title: 'For a chat',
        body: copyLine({
          id: 'answer',
          label: 'For a chat',
          text: 'Alex: your vote on TopG of 14:02 came 3 h 10 min too early. The next one counts from 17:12.',
        }),
      }),
    ],
  }),
  '/gallery/forms': (csrf) => ({
    title: 'Forms',
    body: columns(
      card({
        title: 'A game server',
        body: form({
          ...{ action: '/take', csrf },
          state: { entered: { kind: ['x'] }, faults: { kind: 'Kind: choose one of the options.' } },
          fields: [
            inputField(freshForm, { name: 'name', label: 'Name', hint: 'As in the config.' }),
            selectField(
              { entered: {}, faults: { kind: 'Kind: choose one of the options.' } },
              {
                name: 'kind',
                label: 'Kind',
                hint: 'How Teller reaches it.',
                choices: [
                  ['', 'Choose…'],
                  ['rcon', 'RCON'],
                  ['http', 'HTTP'],
                ],
              },
            ),
            inputField(freshForm, { name: 'since', label: 'Since', kind: 'date', value: '2026-11-23' }),
            areaField(freshForm, { name: 'commands', label: 'Commands', rows: 3 }),
            radioField(freshForm, {
              ...{ name: 'when', label: 'When', chosen: ['now'] },
              choices: [
                { value: 'now', label: 'At once' },
                { value: 'join', label: 'When they join', hint: 'Kept until then.' },
              ],
            }),
          ],
          submit: submitButton('Save'),
        }),
      }),
      card({
        title: 'Facts',
        body: [
          figures([
            { label: 'Votes today', value: '1,203' },
            { label: 'Paid', value: '1,190', tone: 'good' },
            { label: 'Held', value: '3', tone: 'bad' },
          ]),
          facts([
            ['Dialect', 'Paper 1.21.4'],
            ['Online', ['Ada, Bob, ', quoted(HOSTILE)]],
          ]),
        ],
      }),
    ),
  }),
  '/gallery/calendars': () => ({
    title: 'Calendars',
    body: [
      card({ title: 'Ada', body: yearCalendar(yearOf(() => Math.floor(random.next() * 3.3))) }),
      card({ title: 'One site', body: yearCalendar(yearOf((day) => (day % 9 < 7 ? 1 : 0))) }),
      card({ title: 'All', body: yearCalendar(yearOf(() => Math.floor(random.next() ** 2 * 1_000))) }),
      card({ title: 'Nobody', body: yearCalendar(yearOf(() => 0)) }),
      card({
        title: 'A month like the last one',
        body: monthCalendar({
          month: periodOf('month', TODAY),
          caption: 'Rewards',
          today: TODAY,
          cell: (day) =>
            day % 3 === 0 ? [html`<span>${day % 7} diamonds</span>`, day % 2 === 0 && tag('party')] : null,
          previous: '?month=2026-10',
          next: null,
        }),
      }),
    ],
  }),
  '/gallery/lists': () => ({
    title: 'Votes',
    body: [
      filters({
        ...{ action: '/gallery/lists', label: 'Filter votes', submit: 'Filter', clear: '/gallery/lists' },
        compact: true,
        fields: [
          textFilter({ name: 'player', label: 'Player', value: 'Ada' }),
          selectFilter({ name: 'site', label: 'Site', value: '', choices: SITES }),
          selectFilter({ name: 'decision', label: 'Decision', value: '', choices: [['', 'Every decision']] }),
          dateFilter({ name: 'from', label: 'From', value: '2026-11-01' }),
          dateFilter({ name: 'to', label: 'To', value: '' }),
        ],
      }),
      card({ body: live('votes', votesTable(VOTES)) }),
      pagination({ shown: 'Newest 3', newest: null, older: '?before=1' }),
      card({ title: 'Refusals', body: votesTable([]) }),
    ],
  }),
};

const TODAY = periodOf('day', Math.floor(NOW / DAY_MS));
const random = seededRandom(1);

const yearOf = (countOf: (day: number) => number) => ({
  title: 'Votes in a year',
  unit: { one: 'vote', many: 'votes' },
  values: Array.from({ length: 365 }, (_, index) => countOf(index)),
  lastDay: TODAY,
});

const SITES = [
  ['', 'Every site'],
  ['pmc', 'PlanetMinecraft'],
  ['topg', 'TopG'],
] as const;

interface SampleVote {
  readonly player: string;
  readonly site: string;
  readonly state: Content;
  readonly agoMs: number;
}

const VOTES: readonly SampleVote[] = [
  { player: 'Ada', site: 'PlanetMinecraft', state: badge('Paid', 'good'), agoMs: 20_000 },
  { player: HOSTILE, site: 'TopG', state: badge('Too early', 'warn'), agoMs: 400_000 },
  { player: 'WWWWWWWWWWWWWWWW', site: 'minecraft-server-list.com', state: badge('Held', 'bad'), agoMs: 9e6 },
];

const votesTable = (rows: readonly SampleVote[]) =>
  table({
    caption: 'Votes, newest first',
    columns: [
      {
        label: 'Player',
        cell: ({ player }) => html`<a href="/gallery/lists">${player}</a>`,
        onPhone: 'title',
      },
      { label: 'Result', cell: ({ state }) => state, onPhone: 'corner' },
      { label: 'Site', cell: ({ site }) => site },
      { label: 'Arrived', cell: ({ agoMs }) => ago(NOW - agoMs, NOW), kind: 'brief' },
    ],
    rows,
    key: ({ player }) => player,
    empty: empty({
      title: 'No votes yet',
      advice: 'They appear here as soon as they arrive.',
      actions: linkButton('Send a test vote', '/gallery/guide'),
    }),
  });

/** Serves the gallery as a part of the sample pages. */
export function addGallery(app: Hono<PageEnv<string>>): void {
  for (const [path, page] of Object.entries(galleryPages))
    app.get(path, (c) => showPage(c, page(c.var.visit.csrf)));
}
