import { countText } from '../../core/list-text.ts';
import { shownService } from '../../core/service-name.ts';
import type { DoubtfulName, KnownFacts, SitesAddition } from '../../operator/sites/add.ts';
import { alikeText, doubtText, knownListText } from '../../operator/sites/add-words.ts';
import {
  actions,
  alert,
  card,
  code,
  diff,
  type FormState,
  form,
  type Html,
  html,
  inputField,
  linkButton,
  postButton,
  quoted,
  type Refused,
  submitButton,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import { type Typed, told } from '../told.ts';

/** What the operator enters. */
export interface EnteredSite {
  readonly service: string;
  /** The page where players vote; empty: none. */
  readonly url: string;
}

/** What would be written, for who has entered it. */
export interface PlannedSite {
  readonly plan: SitesAddition;
  /** How many votes of the last days are decided because of it. */
  readonly waiting: number;
  /** Of the lines, so that no others are written. */
  readonly shown: string;
}

/** How it is shown. */
interface Shown {
  readonly csrf: string;
  /** How commands are typed on this machine. */
  readonly command: Typed;
}

const TRAIL = [{ label: 'Now', href: paths.now }];
const TITLE = 'Add a site';

/** To what would be written for a service name. */
export const addSitePath = (service: string): string =>
  `${paths.site}?${new URLSearchParams({ service: service.toWellFormed() })}`;

const changePath = ({ service, url }: EnteredSite): string =>
  `${paths.site}?${new URLSearchParams({ service: service.toWellFormed(), url, change: 'yes' })}`;

export const sitePage = (entered: EnteredSite, csrf: string, refused: Refused | null): Page => ({
  title: TITLE,
  lead: 'A site is a listing that sends votes. With an entry in the config, a player earns rewards there independently of all other sites.',
  trail: TRAIL,
  refused,
  body: card({ title: 'The site', body: siteForm(entered, csrf, refused?.faults ?? {}) }),
});

function siteForm({ service, url }: EnteredSite, csrf: string, faults: FormState['faults']): Html {
  const state: FormState = { entered: { service: [service], url: [url] }, faults };
  return form({
    action: paths.site,
    csrf,
    state,
    fields: [
      inputField(state, {
        name: 'service',
        label: 'Service name',
        kind: 'exact',
        hint: 'Exactly as the listing sends it in its votes. If you do not know it, wait for the first vote: Now shows its name then.',
      }),
      inputField(state, {
        name: 'url',
        label: 'Vote page',
        kind: 'url',
        optional: true,
        hint: 'Where players vote for your server. Reminders and the public page link to it.',
      }),
    ],
    submit: submitButton('Show what changes'),
  });
}

export const plannedSitePage = (
  { plan, waiting, shown }: PlannedSite,
  entered: EnteredSite,
  { csrf, command }: Shown,
  refused: Refused | null,
): Page => ({
  title: 'What changes',
  lead: 'Nothing is written yet.',
  trail: [...TRAIL, { label: TITLE, href: paths.site }],
  refused,
  body: [
    card({
      title: 'In the config file',
      note: quoted(plan.file),
      body: diff({ id: 'diff', label: 'Changed lines', lines: plan.diff }),
    }),
    plan.known.map(knownNote),
    plan.doubtful.map((each) => doubtAlert(each, command)),
    waiting > 0 &&
      alert({
        tone: 'good',
        title: `${countText(waiting, 'vote')} of the last 7 days waited for this`,
        body: 'What waits is decided when this is written, the oldest first.',
      }),
    actions(
      postButton({
        label: plan.doubtful.some(({ seen }) => seen !== null) ? 'It is mine: write it' : 'Write it',
        kind: 'primary',
        action: paths.siteWritten,
        csrf,
        with: { ...entered, shown, ...(plan.doubtful.length === 0 ? {} : { unproven: 'yes' }) },
      }),
      linkButton('Change it', changePath(entered)),
    ),
  ],
});

const knownNote = ({ list, written }: KnownFacts): Html =>
  html`<p>${knownListText(list)}.${
    written.url === undefined && list.page !== null && html` Its vote pages look like ${code(list.page)}.`
  }</p>`;

/** Before its first vote, a misspelt name is likelier than an invented one. */
function doubtAlert(each: DoubtfulName, command: Typed): Html {
  if (each.seen === null)
    return alert({
      tone: 'warn',
      title: `No vote with the service name ${shownService(each.name, 64)} has arrived yet`,
      body: `Compare the spelling with what the listing says. Votes under another name do not use this entry.${alikeText(each)}`,
    });
  return alert({
    tone: 'warn',
    title:
      each.seen.proof === 'signed'
        ? 'A listed name is spelt like this one'
        : 'No vote with this name was signed',
    body: told(`Make sure that it is a listing of yours. ${doubtText(each)}`, command),
  });
}
