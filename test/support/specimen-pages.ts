import {
  ago,
  alert,
  areaField,
  badge,
  card,
  checkField,
  code,
  columns,
  confirmedButton,
  dailyBars,
  disclosure,
  empty,
  exchange,
  type FormState,
  facts,
  fieldsRow,
  figures,
  form,
  freshForm,
  html,
  inputField,
  instant,
  linkButton,
  oneTimeSecret,
  type Page,
  pagination,
  postButton,
  quoted,
  radioField,
  refreshed,
  shares,
  sparkline,
  submitButton,
  type Tone,
  table,
  tabs,
  tag,
} from '../../src/web/kit.ts';

/** Pages like those that will be made of the kit, to look at: full, empty, in error. */

export const NOW = Date.parse('2026-06-24T14:05:09Z');
const CSRF = 'specimen';
const MINUTE = 60_000;

interface Row {
  readonly event: string;
  readonly at: number;
  readonly state: readonly [string, Tone];
  readonly http: number | null;
  readonly attempt: number;
  readonly durationMs: number;
  readonly note: string;
  readonly body: string | null;
}

const row = (index: number, more: Partial<Row>): Row => ({
  event: `0197a1c2-7d3e-7${index}aa-9c1b-5f2f4be6d0${10 + index}`,
  at: NOW - index * 17 * MINUTE,
  state: ['Delivered', 'good'],
  http: 204,
  attempt: 1,
  durationMs: 84 + index * 31,
  note: '',
  body: '',
  ...more,
});

const ROWS: readonly Row[] = [
  row(0, { state: ['In flight', 'busy'], http: null, durationMs: 0 }),
  row(1, {}),
  row(2, {
    state: ['Retrying', 'warn'],
    http: 503,
    attempt: 3,
    note: 'Next attempt in 4 min.',
    body: '<html><body><h1>503</h1><script>alert("no")</script></body></html>',
  }),
  row(3, {
    state: ['Failed', 'bad'],
    http: null,
    attempt: 6,
    note: 'The name votes.example-community-with-a-long-name.org does not resolve.',
    body: null,
    durationMs: 10_000,
  }),
  row(4, { state: ['Paused', 'idle'], attempt: 1 }),
  row(5, { http: 200, body: '{"ok":true}' }),
];

const deliveries = (rows: readonly Row[]) =>
  table<Row>({
    caption: 'Recent deliveries',
    columns: [
      { label: 'Started', cell: ({ at }) => instant(at), kind: 'brief', onPhone: 'title' },
      {
        label: 'Status',
        cell: ({ state: [label, tone] }) => badge(label, tone),
        kind: 'brief',
        onPhone: 'corner',
      },
      { label: 'HTTP', cell: ({ http }) => http, kind: 'number' },
      { label: 'Attempt', cell: ({ attempt }) => attempt, kind: 'number' },
      { label: 'Duration', cell: ({ durationMs }) => durationMs > 0 && `${durationMs} ms`, kind: 'number' },
      {
        label: 'Change',
        kind: 'end',
        onPhone: 'block',
        cell: ({ event }) =>
          postButton({ action: '#', csrf: CSRF, label: 'Redeliver', small: true, with: { event } }),
      },
    ],
    rows,
    detail: ({ event, body, note }) => [
      note !== '' && html`<span>${note}</span>`,
      exchange({
        id: `x-${event}`,
        request: `POST /teller/webhook HTTP/1.1\nX-Service-Event: vote.created\nX-Service-Event-Id: ${event}\n\n{"event":"vote.created","version":1,"eventId":"${event}"}`,
        response: body,
        noResponse: 'No response came.',
      }),
    ],
    empty: empty({
      title: 'No deliveries yet',
      advice: 'The next vote makes the first one. A test event shows now whether your receiver answers.',
      actions: linkButton('Send a test event', '#'),
    }),
  });

const tabLinks = (current: number) =>
  tabs(
    'Pages of this listing',
    ['Overview', 'Webhook', 'Deliveries', 'Tokens', 'Vote listener', 'Votes', 'People'].map(
      (label, index) => ({
        label,
        href: '#',
        current: index === current,
        ...(label === 'Tokens' ? { count: 3 } : {}),
      }),
    ),
  );

const headed = (current: number) => ({
  title: 'Harbour Survival',
  beside: tag('Minecraft server'),
  trail: [{ label: 'My listings', href: '/' }],
  tabs: tabLinks(current),
});

const DAYS = [
  12, 9, 14, 22, 31, 18, 7, 11, 13, 19, 24, 35, 29, 8, 0, 15, 17, 21, 26, 41, 33, 12, 14, 16, 23, 27, 38, 30,
  11, 6,
];
const HOURS = [2, 1, 0, 0, 0, 1, 1, 3, 4, 2, 5, 6, 4, 3, 7, 9, 8, 11, 6, 5, 3, 2, 4, 6];

const overview = (isEmpty: boolean): Page => ({
  ...headed(0),
  lead: 'Votes, and what became of them, in the last days.',
  actions: [
    linkButton('Public page', '#'),
    postButton({ action: '#', csrf: CSRF, label: 'Send test event', kind: 'primary' }),
  ],
  body: [
    refreshed(
      'health',
      15,
      card({
        title: 'Webhook health',
        note: 'The last 24 hours.',
        actions: isEmpty ? badge('No deliveries yet') : badge('Failing: 3 in a row', 'warn'),
        body: [
          figures([
            { label: 'Delivered', value: isEmpty ? 0 : '1,204' },
            { label: 'Retrying', value: isEmpty ? 0 : 7, ...(isEmpty ? {} : { tone: 'warn' as const }) },
            { label: 'Failed attempts', value: isEmpty ? 0 : 31 },
            { label: 'Undelivered', value: isEmpty ? 0 : 2, ...(isEmpty ? {} : { tone: 'bad' as const }) },
          ]),
          shares('Events by outcome', [
            { label: 'Delivered', value: isEmpty ? 0 : 1204, tone: 'good' },
            { label: 'Retrying', value: isEmpty ? 0 : 77, tone: 'warn' },
            { label: 'Undelivered', value: isEmpty ? 0 : 52, tone: 'bad' },
          ]),
        ],
      }),
    ),
    columns(
      card({
        title: 'Votes',
        body: dailyBars({
          title: 'Votes per day',
          unit: { one: 'vote', many: 'votes' },
          values: isEmpty ? DAYS.map(() => 0) : DAYS,
          lastDay: NOW,
        }),
      }),
      card({
        title: 'Deliveries',
        body: [
          sparkline({
            title: 'Deliveries per hour',
            unit: { one: 'delivery', many: 'deliveries' },
            values: isEmpty ? HOURS.map(() => 0) : HOURS,
          }),
          facts([
            ['Target', code('https://votes.example.org/teller/webhook')],
            ['Last delivery', isEmpty ? 'never' : ago(NOW - 17 * MINUTE, NOW)],
            ['Signing', isEmpty ? badge('No secret', 'warn') : badge('Signed', 'good')],
          ]),
        ],
      }),
    ),
  ],
});

const deliveryLog = (isEmpty: boolean): Page => ({
  ...headed(2),
  notice: isEmpty
    ? null
    : alert({
        tone: 'warn',
        title: '15 failed attempts in a row: at 20 the webhook is switched off.',
        body: html`The last reason was “${quoted('HTTP 503')}”. <a href="#">Look at the webhook</a>`,
      }),
  body: card({
    title: 'Deliveries',
    note: 'Newest first, kept for 90 days.',
    actions: [linkButton('Refresh', '#')],
    body: [
      deliveries(isEmpty ? [] : ROWS),
      !isEmpty && pagination({ shown: 'Newest 6 of 1,204', newest: null, older: '#' }),
    ],
  }),
});

const ENTERED: FormState = {
  entered: {
    host: ['10.0.0.7'],
    port: ['eighty'],
    url: ['http://192.168.1.1/hook'],
    method: ['token'],
    scopes: [],
  },
  faults: {
    url: 'http://192.168.1.1/hook points at a private network; give an address that the internet can reach.',
    host: '10.0.0.7 is in a private network.',
    port: 'Port must be a whole number from 1 to 65535.',
    scopes: 'Scopes: choose at least 1.',
    key: 'Public key is missing.',
  },
};

const forms = (state: FormState): Page => ({
  ...headed(4),
  notice: [
    alert({
      tone: 'bad',
      title: 'The webhook was switched off after 20 failed attempts.',
      body: 'Save it again to switch it on.',
    }),
    alert({ tone: 'good', title: 'The test vote was accepted.' }),
    alert({
      tone: 'busy',
      title: 'Targets in private networks are allowed here.',
      body: 'listing.allowTargets names 127.0.0.0/8.',
    }),
  ],
  body: [
    oneTimeSecret({
      id: 'secret',
      title: 'New signing secret',
      value: 'whsec_5f0a9c1b7d3e4f2a8b6c0d9e1f3a5b7c9d0e2f4a6b8c0d1e',
      advice: 'Copy it into your receiver now. It is not shown again.',
    }),
    columns(
      card({
        title: 'Vote listener',
        note: 'Where votes with a player name are sent.',
        body: form({
          action: '#',
          csrf: CSRF,
          state,
          fields: [
            fieldsRow(
              inputField(state, {
                name: 'host',
                label: 'Host',
                hint: 'A name or a public address.',
                value: 'mc.example.org',
              }),
              inputField(state, { name: 'port', label: 'Port', kind: 'number', value: 8192, brief: true }),
            ),
            radioField(state, {
              name: 'method',
              label: 'Protocol',
              choices: [
                { value: 'token', label: 'Token', hint: 'Version 2, confirms each vote.' },
                {
                  value: 'public-key',
                  label: 'Public key',
                  hint: 'Version 1; it cannot confirm that a vote arrived.',
                },
              ],
              chosen: ['token'],
            }),
            areaField(state, {
              name: 'key',
              label: 'Token or public key',
              hint: 'As the listener prints it.',
              rows: 4,
            }),
          ],
          submit: [submitButton('Save'), linkButton('Cancel', '#')],
        }),
      }),
      card({
        title: 'New token',
        body: form({
          action: '#',
          csrf: CSRF,
          state,
          fields: [
            inputField(state, { name: 'url', label: 'Webhook URL', kind: 'url', value: '' }),
            inputField(state, {
              name: 'name',
              label: 'Name',
              optional: true,
              hint: 'What uses it, so that you know later.',
            }),
            checkField(state, {
              name: 'scopes',
              label: 'Scopes',
              choices: [
                { value: 'votes:read', label: 'votes:read', hint: 'Vote checks, votes and stats.' },
                { value: 'webhooks:write', label: 'webhooks:write', hint: 'Register and test the webhook.' },
              ],
              chosen: ['votes:read'],
            }),
          ],
          submit: submitButton('Create the token'),
        }),
      }),
    ),
    card({ title: 'Tokens', body: tokens }),
    disclosure('What a signature is made of', html`<p>HMAC-SHA256 of the exact body under the secret.</p>`),
  ],
});

const tokens = table({
  caption: 'Tokens',
  columns: [
    { label: 'Name', cell: ({ name }: { name: string }) => name, onPhone: 'title' },
    { label: 'Scopes', cell: () => html`${code('votes:read')} ${code('webhooks:write')}` },
    { label: 'Created', cell: () => instant(NOW - 4_000 * MINUTE), kind: 'brief' },
    {
      label: 'Last used',
      cell: ({ name }) => (name === 'Website' ? ago(NOW - 4 * MINUTE, NOW) : 'never'),
      kind: 'brief',
    },
    {
      label: 'Change',
      kind: 'end',
      onPhone: 'block',
      cell: ({ name }) => [
        html`<div class="actions">${[
          postButton({ action: '#', csrf: CSRF, label: 'Rotate', small: true }),
          confirmedButton({
            action: '#',
            csrf: CSRF,
            label: 'Revoke…',
            question: html`Whatever uses ${quoted(name)} stops working at once.`,
            confirm: 'Revoke this token',
            small: true,
          }),
        ]}</div>`,
      ],
    },
  ],
  rows: [
    { name: 'Website' },
    { name: 'A token with quite a long name, as people give them' },
    { name: '‮evil <script>alert(1)</script>' },
  ],
  empty: empty({ title: 'No tokens yet', advice: 'Create one to use the API.' }),
});

export const specimenPages: Readonly<Record<string, Page>> = {
  overview: overview(false),
  'overview-empty': overview(true),
  deliveries: deliveryLog(false),
  'deliveries-empty': deliveryLog(true),
  forms: forms(freshForm),
  'forms-faults': forms(ENTERED),
};
