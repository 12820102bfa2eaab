import {
  actions,
  alert,
  amount,
  badge,
  count,
  figures,
  type Html,
  html,
  linkButton,
  type Tone,
} from '../../web/kit.ts';
import { eventStates } from '../webhooks/event-state.ts';
import type { Health, HealthLabel } from '../webhooks/health.ts';

const TONES: Readonly<Record<HealthLabel, Tone>> = {
  Disabled: 'bad',
  Paused: 'idle',
  'No deliveries yet': 'idle',
  Failing: 'warn',
  Healthy: 'good',
};

/** The state in a few words; for a failing webhook with its count of failures (HL-03), unless saving has cleared it. */
export const healthBadge = ({ label, failures }: Health): Html =>
  badge(label === 'Failing' && failures > 0 ? `Failing (${failures})` : label, TONES[label]);

/** Failures in a row at which the owner is warned. */
const WARN_AT = [10, 15] as const;

/**
 * A warning on every page of the webhook that it is disabled (HL-04), or soon will be.
 *
 * @param webhookPage where the owner can save it again; null on that page itself.
 */
export function healthNotice(health: Health | null, webhookPage: string | null): Html | null {
  if (health === null) return null;
  const { label, failures, disablesAt } = health;
  if (label === 'Disabled') {
    return alert({
      tone: 'bad',
      title: `The webhook is disabled: ${disablesAt} attempts failed in a row.`,
      body: html`<p>Votes still count, but those cast while it is disabled get no event and are never sent. Fix the receiver, then save the webhook again.</p>${
        webhookPage !== null && actions(linkButton('Webhook', webhookPage))
      }`,
    });
  }
  if (failures < WARN_AT[0] || label !== 'Failing') return null;
  return alert({
    tone: failures < WARN_AT[1] ? 'warn' : 'bad',
    title: `${failures} attempts failed in a row. After ${disablesAt}, the webhook will be disabled.`,
    body: 'See Deliveries for the reasons.',
  });
}

/** Events that are still open, however old. The statistics of the last 24 hours leave out older ones. */
export function openNotice({ open }: Health, undeliveredPage: string): Html | null {
  if (open.undelivered === 0 && open.retrying === 0) return null;
  const events = (number: number): string => amount(number, { one: 'event', many: 'events' });
  return html`<p>In total: <a href="${undeliveredPage}">${events(open.undelivered)} undelivered</a>${
    open.retrying > 0 && `, ${events(open.retrying)} retrying`
  }.</p>`;
}

export const FAILED_NOTE = '“Failed” counts events with a failed attempt, whatever became of them.';

export const dayFigures = ({ day }: Health): Html =>
  figures([
    {
      label: eventStates.delivered.label,
      value: count(day.delivered),
      tone: day.delivered > 0 ? 'good' : 'idle',
    },
    { label: 'Failed', value: count(day.failed), tone: day.failed > 0 ? 'warn' : 'idle' },
    {
      label: eventStates.retrying.label,
      value: count(day.retrying),
      tone: day.retrying > 0 ? 'warn' : 'idle',
    },
    {
      label: eventStates.undelivered.label,
      value: count(day.undelivered),
      tone: day.undelivered > 0 ? 'bad' : 'idle',
    },
  ]);
