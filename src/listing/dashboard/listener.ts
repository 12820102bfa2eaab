import { Hono, type MiddlewareHandler } from 'hono';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { line, readFields } from '../../web/fields.ts';
import {
  badge,
  card,
  confirmedButton,
  empty,
  type FormState,
  form,
  freshForm,
  type Html,
  inputField,
  instant,
  pagination,
  refreshed,
  refusedForm,
  submitButton,
  type Tone,
  table,
  tag,
} from '../../web/kit.ts';
import { PAGE_ROWS, pageLinks, readCursor } from '../../web/paging.ts';
import { refuse } from '../../web/refusal.ts';
import { type Ending, formFaults, type PageStatus, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { ShownSettings, TestVoteResult } from '../listener-sends/listener-sends.ts';
import type { LoggedSend } from '../listener-sends/send-store.ts';
import { listenerForm } from './listener-form.ts';
import { openNetworksNotice } from './open-networks.ts';
import type { DashboardParts } from './parts.ts';
import { listenerSection } from './sections.ts';
import { overTestBudget } from './test-budget.ts';

const AT = '/dashboard/:listing/listener';
const REFRESH_SECONDS = 5;

/** Delivery over the vote-listener protocol: settings, a test vote, and the outcome of each vote. */
export function listenerPages(parts: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.use(AT, minecraftOnly);
  pages.use(`${AT}/*`, minecraftOnly);
  pages.get(AT, (c) => show(c, parts));
  pages.post(AT, (c) => save(c, parts));
  pages.post(`${AT}/remove`, async (c) => {
    await parts.sends.remove(c.var.listing.id);
    return back(c, {
      tone: 'good',
      text: 'Vote listener removed. Votes are still counted, but no longer sent to it.',
    });
  });
  pages.post(`${AT}/test`, (c) => testVote(c, parts));
  return pages;
}

/** SV-07: other listings have no listener, so for them this page does not exist. */
const minecraftOnly: MiddlewareHandler<ListingEnv> = async (c, next) =>
  c.var.listing.game === 'minecraft' ? next() : refuse(c, c.var.site, 'not-found');

const back = (c: ListingContext, ending: Ending): Response =>
  seeOther(c, addressOf(c.var.listing, listenerSection), ending);

interface Shown {
  readonly settingsState?: FormState;
  readonly testState?: FormState;
  /** Of the fault. */
  readonly code?: string | undefined;
}

async function show(c: ListingContext, parts: DashboardParts, shown: Shown = {}, status: PageStatus = 200) {
  const { listing, visit } = c.var;
  const { settingsState = freshForm, testState = freshForm, code } = shown;
  const settings = parts.sends.settings(listing.id);
  const before = readCursor(c.req.query('before'));
  const address = addressOf(listing, listenerSection);
  const page = await parts.sends.page(listing.id, { limit: PAGE_ROWS, before });
  const links = pageLinks(page, address, before);
  const log = [sendsTable(page.rows), links && pagination(links)];
  const values = {
    settings: settingsJson(settings),
    sends: page.rows.map(sendJson),
    older: links?.older ?? null,
  };
  const faults = { ...settingsState.faults, ...testState.faults };
  return showListingPage(
    c,
    parts.sections,
    listenerSection,
    {
      refused: refusedForm(faults),
      notice: openNetworksNotice(parts.allowTargets),
      body: [
        settings !== null && testCard(address, c.req.query('player') ?? '', visit.csrf, testState),
        listenerForm({ action: address, csrf: visit.csrf, state: settingsState, settings }),
        card({
          title: 'Sent votes',
          note: 'Each vote is sent at most once. A vote that could not be sent still counts.',
          body: before === null ? refreshed('sends', REFRESH_SECONDS, log) : log,
        }),
        settings !== null && removeCard(address, visit.csrf),
      ],
      json: status === 200 ? values : { ...formFaults(faults), ...(code === undefined ? {} : { code }) },
    },
    status,
  );
}

const settingsJson = (settings: ShownSettings | null) =>
  settings && { ...settings, updatedAt: isoTime(settings.updatedAt) };

async function save(c: ListingContext, parts: DashboardParts): Promise<Response> {
  const { listing, entered } = c.var;
  const textOf = (field: string): string => entered[field]?.[0] ?? '';
  const read = await parts.sends.save(listing.id, {
    host: textOf('host'),
    port: textOf('port'),
    method: textOf('method'),
    credential: textOf('credential'),
  });
  if (read.kind === 'settings') {
    const json = { settings: settingsJson(parts.sends.settings(listing.id)) };
    return back(c, { tone: 'good', text: 'Saved. Send a test vote to check that it works.', json });
  }
  const faults = Object.fromEntries(read.faults.map(({ field, sentence }) => [field, sentence]));
  const code = read.faults.find((fault) => fault.code !== undefined)?.code;
  return show(c, parts, { settingsState: { entered, faults }, code }, 422);
}

const TEST_FIELDS = { player: line({ label: 'Player', most: 64 }) };

async function testVote(c: ListingContext, parts: DashboardParts): Promise<Response> {
  const { listing, entered } = c.var;
  const read = readFields(entered, TEST_FIELDS);
  if (read.kind === 'faults') return show(c, parts, { testState: { entered, faults: read.faults } }, 422);
  const { player } = read.values;
  // For another try, the player does not have to be entered again.
  const address = `${addressOf(listing, listenerSection)}?${new URLSearchParams({ player })}`;
  const over = overTestBudget(parts, listing.id, 'test-votes');
  if (over !== null) return seeOther(c, address, over);
  const result = await parts.sends.testVote(listing, player);
  if (result.kind === 'refused' && result.code === 'player-not-allowed') {
    const { code, sentence } = result;
    return show(c, parts, { testState: { entered, faults: { player: sentence } }, code }, 422);
  }
  return seeOther(c, address, testEnding(result));
}

function testEnding(result: TestVoteResult): Ending {
  if (result.kind === 'refused') return { tone: 'warn', code: result.code, text: result.sentence };
  const { outcome, code, sentence, earlierAt } = result;
  const json = { outcome, code, earlierAt: isoTimeOrNull(earlierAt) };
  if (outcome === 'failed') return { tone: 'bad', code, text: `Not accepted. ${sentence}`, json };
  // With version 1 a wrong key looks the same, so this is not shown as a success (NS-44).
  if (outcome === 'sent') return { tone: 'warn', text: `${sentence} ${UNCONFIRMED}`, json };
  return {
    tone: 'good',
    text: `${sentence} ${earlierAt === null ? REWARDED : probablyNot(earlierAt)}`,
    json,
  };
}

const UNCONFIRMED = 'Check that it arrived, either in the game or in the listener’s log.';
const REWARDED =
  'The listener accepted the vote, but does not say whether the player was rewarded. A player gets one reward per site every 24 hours.';

const probablyNot = (earlierAt: number): string =>
  `The player probably gets no reward: a vote for this player was sent at ${clockTime(earlierAt)} UTC, and a player gets one reward every 24 hours.`;

const clockTime = (at: number): string => isoTime(at).slice(11, 16);

const testCard = (address: string, player: string, csrf: string, state: FormState): Html =>
  card({
    title: 'Test vote',
    note: 'This sends a real vote. The player gets the reward if one is due.',
    body: form({
      action: `${address}/test`,
      csrf,
      state,
      fields: inputField(state, {
        name: 'player',
        label: 'Player',
        value: player,
        hint: 'Exactly as in the game, including capitals.',
      }),
      submit: submitButton('Send test vote', 'quiet'),
    }),
  });

const removeCard = (address: string, csrf: string): Html =>
  card({
    title: 'Remove vote listener',
    body: confirmedButton({
      action: `${address}/remove`,
      csrf,
      label: 'Remove…',
      question:
        'Votes will still count but will no longer be sent to the listener. Its stored token or key is deleted.',
      confirm: 'Remove vote listener',
    }),
  });

const OUTCOMES: Readonly<Record<LoggedSend['outcome'], readonly [string, Tone]>> = {
  accepted: ['Accepted', 'good'],
  sent: ['Sent, unconfirmed', 'warn'],
  failed: ['Failed', 'bad'],
  sending: ['Sending', 'busy'],
};

/** The votes that were sent to the listener, each with its outcome (LG-03, VT-11). */
const sendsTable = (rows: readonly LoggedSend[]): Html =>
  table<LoggedSend>({
    caption: 'Votes sent to the listener, newest first',
    columns: [
      { label: 'Player', cell: ({ player }) => player, onPhone: 'title' },
      {
        label: 'Outcome',
        kind: 'brief',
        onPhone: 'corner',
        cell: ({ outcome }) => badge(...OUTCOMES[outcome]),
      },
      { label: 'Sent', kind: 'brief', cell: ({ startedAt }) => instant(startedAt) },
      { label: 'Kind', kind: 'brief', cell: ({ voteId }) => tag(voteId === null ? 'Test vote' : 'Vote') },
    ],
    rows,
    // An accepted vote needs no explanation.
    detail: ({ outcome, sentence }) => outcome !== 'accepted' && sentence,
    empty: empty({
      title: 'Nothing sent yet',
      advice: 'Votes that name a player are sent as soon as they are cast.',
    }),
  });

const sendJson = ({ startedAt, ...send }: LoggedSend) => ({ ...send, startedAt: isoTime(startedAt) });
