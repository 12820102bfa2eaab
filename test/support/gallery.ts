import type { Hono } from 'hono';
import { DAY_MS } from '../../src/core/duration.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { answerCsv } from '../../src/web/csv.ts';
import {
  actions,
  ago,
  areaField,
  badge,
  barChart,
  type Content,
  card,
  code,
  codeBlock,
  columns,
  copyLine,
  dailyBars,
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
  longDayText,
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
  textFilter,
  thirds,
} from '../../src/web/kit.ts';
import { showPage } from '../../src/web/show.ts';
import type { PageEnv } from '../../src/web/site.ts';

const NOW = Date.parse('2026-11-23T14:05:00Z');
const CSV = '/gallery/votes.csv';
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
      thirds(
        ...['today', 'this week', 'this month'].map((period) =>
          card({ title: `Most votes ${period}`, body: html`<p class="soft">No votes yet.</p>` }),
        ),
      ),
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
  '/gallery/charts': () => ({
    title: 'Figures',
    body: [
      card({
        title: 'Votes',
        body: barChart({
          ...{ id: 'by-hour', title: 'Votes by hour', unit: VOTES_UNIT, per: 'Hour', csv: CSV },
          none: 'No votes in the last 7 days.',
          series: ['PlanetMinecraft', 'TopG', 'minecraft-server-list.com', HOSTILE].map((label) => ({
            label,
          })),
          columns: hours((hour) =>
            [12, 7, 4, 2].map((most) => Math.floor(random.next() * most * (1 + (hour % 24) / 8))),
          ),
        }),
      }),
      columns(
        card({
          title: 'Payment',
          body: barChart({
            ...{ id: 'paid', title: 'Paid and not', unit: VOTES_UNIT, per: 'Day', none: 'None.' },
            series: [
              { label: 'Paid', tone: 'good' },
              { label: 'Too early', tone: 'idle' },
              { label: 'Held', tone: 'bad' },
            ],
            columns: days(30, () => [200, 30, 3].map((most) => Math.floor(random.next() * most))),
          }),
        }),
        card({
          title: 'One day',
          body: dailyBars({
            ...{ id: 'daily', title: 'Last 30 days', unit: VOTES_UNIT, lastDay: NOW },
            values: days(30, () => [Math.floor(random.next() * 4)]).flatMap(({ values }) => values),
          }),
        }),
        card({
          title: 'Many sites',
          body: barChart({
            ...{ id: 'sites', title: 'Votes of 9 sites', unit: VOTES_UNIT, per: 'Day', none: 'None.' },
            series: Array.from({ length: 9 }, (_, site) => ({ label: `site-${site + 1}.example` })),
            columns: days(7, () =>
              Array.from({ length: 9 }, (_, site) => Math.floor(random.next() * 900 * (site + 1))),
            ),
          }),
        }),
        card({
          title: 'Refusals',
          body: barChart({
            ...{ id: 'none', title: 'Refusals', unit: VOTES_UNIT, per: 'Day', series: [{ label: 'x' }] },
            ...{ none: 'No refusals in the last 30 days.', columns: days(30, () => [0]) },
          }),
        }),
      ),
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

const TODAY = Math.floor(NOW / DAY_MS);
const random = seededRandom(1);

const VOTES_UNIT = { one: 'vote', many: 'votes' };

/** A column for each hour of a week. */
const hours = <Value>(valuesOf: (hour: number) => readonly Value[]) =>
  Array.from({ length: 168 }, (_, index) => {
    const day = longDayText(TODAY - 6 + Math.floor(index / 24));
    const hour = `${String(index % 24).padStart(2, '0')}:00`;
    const label = index % 24 === 0 ? { label: day.slice(0, -5) } : {};
    return { name: `${day}, ${hour}`, ...label, values: valuesOf(index) };
  });

const days = <Value>(count: number, valuesOf: (day: number) => readonly Value[]) =>
  Array.from({ length: count }, (_, index) => {
    const name = longDayText(TODAY - count + 1 + index);
    return { name, label: name.slice(4, -5), values: valuesOf(index) };
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
  app.get(CSV, (c) =>
    answerCsv(c, 'votes.csv', [
      ['Day', 'Votes'],
      ['2026-11-23', 3],
    ]),
  );
}
