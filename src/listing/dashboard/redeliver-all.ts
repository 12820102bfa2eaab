import { Hono } from 'hono';
import { DAY_MS } from '../../core/duration.ts';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import {
  actions,
  ago,
  alert,
  amount,
  card,
  clockText,
  count,
  figures,
  filters,
  type Html,
  html,
  linkButton,
  postButton,
  progress,
  refusedForm,
  timeFilter,
} from '../../web/kit.ts';
import { formFaults, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { RedeliveryRun } from '../webhooks/redelivery-run-store.ts';
import type { RunPlan } from '../webhooks/redelivery-runs.ts';
import { readTime, TIME_FAULT, timeField } from './log-filter.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection } from './sections.ts';

const AT = '/dashboard/:listing/deliveries/redeliver-all';
const EVENTS = { one: 'event', many: 'events' };

export const redeliverAllPath = (listing: Listing): string =>
  `${addressOf(listing, deliveriesSection)}/redeliver-all`;

/** Redelivers all events left undelivered since a given time: asks for confirmation, then shows the progress. */
export function redeliverAllPages(parts: DashboardParts): Hono<ListingEnv> {
  const { deliveries } = parts;
  const pages = new Hono<ListingEnv>();
  pages.get(AT, (c) => ask(c, parts, c.req.query('since') ?? timeField(parts.clock.now() - DAY_MS)));
  pages.post(AT, async (c) => {
    const { listing, entered } = c.var;
    const written = entered.since?.[0] ?? '';
    const since = readTime(written) ?? null;
    if (since === null) return ask(c, parts, written);
    const started = await deliveries.runs.begin(listing.id, since);
    if (started.kind === 'refused')
      return seeOther(c, addressOf(listing, deliveriesSection), {
        ...{ tone: 'warn', code: started.code, text: started.sentence },
      });
    return seeOther(c, addressOf(listing, deliveriesSection), {
      tone: 'good',
      text: `Redelivering ${amount(started.run.total, EVENTS)}, one after another.`,
      json: { run: runJson(started.run) },
    });
  });
  pages.post(`${AT}/stop`, async (c) => {
    const { listing } = c.var;
    await deliveries.runs.stop(listing.id);
    return seeOther(c, addressOf(listing, deliveriesSection), {
      tone: 'good',
      text: 'Stopped. Events that were not sent stay undelivered.',
      json: { run: runJson(deliveries.runs.find(listing.id)) },
    });
  });
  return pages;
}

async function ask(c: ListingContext, { deliveries, sections }: DashboardParts, written: string) {
  const { listing, visit } = c.var;
  const since = readTime(written) ?? null;
  const faults = since === null ? { since: `Since: ${TIME_FAULT}` } : {};
  const plan = since === null ? null : await deliveries.runs.plan(listing.id, since);
  const page = {
    refused: refusedForm(faults),
    body: card({
      title: 'Redeliver all',
      note: 'Resends all events left undelivered since the chosen time, oldest first.',
      actions: linkButton('Deliveries', addressOf(listing, deliveriesSection)),
      body: [
        filters({
          action: redeliverAllPath(listing),
          label: 'Choose the time',
          submit: 'Show',
          clear: null,
          fields: timeFilter({ name: 'since', label: 'Since (UTC)', value: written.slice(0, 16) }),
        }),
        plan !== null && since !== null && question({ listing, plan, since, csrf: visit.csrf }),
      ],
    }),
    json: plan === null ? formFaults(faults) : { since: isoTime(since ?? 0), ...plan },
  };
  return showListingPage(c, sections, deliveriesSection, page, plan === null ? 422 : 200);
}

interface Question {
  readonly listing: Listing;
  readonly plan: RunPlan;
  readonly since: number;
  readonly csrf: string;
}

function question({ listing, plan: { events, minutes, refusal }, since, csrf }: Question): Html {
  if (refusal !== null)
    return alert({ tone: refusal.code === 'none' ? 'good' : 'warn', title: refusal.sentence });
  const time = minutes <= 1 ? 'about a minute' : `about ${count(minutes)} minutes`;
  return alert({
    tone: 'warn',
    title: `Redeliver ${amount(events, EVENTS)} since ${clockText(since)}?`,
    body: [
      html`<p>They are sent one after another, at most 8 a minute. This takes ${time}. You can stop it at any time.</p>`,
      actions(
        postButton({
          action: redeliverAllPath(listing),
          csrf,
          kind: 'primary',
          label: `Redeliver ${amount(events, EVENTS)}`,
          with: { since: isoTime(since) },
        }),
        linkButton('Cancel', addressOf(listing, deliveriesSection)),
      ),
    ],
  });
}

const ENDS: Readonly<Record<Exclude<RedeliveryRun['state'], 'running'>, string>> = {
  done: 'Redelivery finished',
  stopped: 'Redelivery stopped',
  disabled: 'Redelivery stopped: the webhook was disabled after too many failures',
  paused: 'Redelivery stopped: the webhook was paused',
  'no-webhook': 'Redelivery stopped: the webhook was removed',
};

interface RunCard {
  readonly listing: Listing;
  readonly run: RedeliveryRun;
  readonly csrf: string;
  readonly now: number;
}

/** The progress of a run or, for a day after it stopped, its result. */
export function runCard({ listing, run, csrf, now }: RunCard): Html | null {
  const { total, delivered, failed, skipped, state, since, endedAt } = run;
  const done = delivered + failed + skipped;
  if (endedAt !== null && now - endedAt > DAY_MS) return null;
  const label =
    state === 'running'
      ? `Redelivering: ${count(done)} of ${count(total)}`
      : `${ENDS[state]}: ${count(done)} of ${count(total)}`;
  return html`<section class="run" aria-label="Redelivery of all undelivered events">
    ${progress({ label, done, total })}
    <p class="soft">Events since ${clockText(since)}.${endedAt !== null && [' Finished ', ago(endedAt, now), '.']}</p>
    ${figures([
      { label: 'Delivered', value: count(delivered), tone: delivered > 0 ? 'good' : 'idle' },
      { label: 'Failed again', value: count(failed), tone: failed > 0 ? 'bad' : 'idle' },
      { label: 'Skipped', value: count(skipped) },
    ])}
    ${state === 'running' && actions(postButton({ action: `${redeliverAllPath(listing)}/stop`, csrf, label: 'Stop' }))}
  </section>`;
}

export const runJson = (run: RedeliveryRun | null) =>
  run && {
    ...run,
    since: isoTime(run.since),
    startedAt: isoTime(run.startedAt),
    endedAt: isoTimeOrNull(run.endedAt),
  };
