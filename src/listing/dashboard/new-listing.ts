import { Hono } from 'hono';
import { GAMES, type Game } from '../../../protocol/webhook.ts';
import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { line, oneOf, readFields, ticked } from '../../web/fields.ts';
import {
  card,
  checkField,
  type FormState,
  form,
  freshForm,
  inputField,
  type Page,
  radioField,
  refusedForm,
  submitButton,
} from '../../web/kit.ts';
import { formFaults, seeOther, showPage } from '../../web/show.ts';
import { type AccountEnv, signedInOnly } from '../accounts/guards.ts';
import { kindOf } from '../accounts/pages/my-listings.ts';
import { paths } from '../accounts/paths.ts';
import type { ListingStore } from '../store/listing-store.ts';
import { newListing } from '../store/listings.ts';

const KINDS = ['bot', ...GAMES] as const;
const PREMIUM_WEIGHT = 2;

const FIELDS = {
  name: line({ label: 'Name', most: 80 }),
  kind: oneOf('Kind', KINDS),
  premium: ticked,
};

interface NewListingParts {
  readonly store: ListingStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** Adds a listing. The person who adds it becomes its owner. */
export function newListingPage({ store, clock, random }: NewListingParts): Hono<AccountEnv> {
  const pages = new Hono<AccountEnv>();
  pages.use(paths.newListing, signedInOnly);
  pages.get(paths.newListing, (c) => showPage(c, page(freshForm, c.var.visit.csrf)));
  pages.post(paths.newListing, async (c) => {
    const { entered, account, visit } = c.var;
    const read = readFields(entered, FIELDS);
    if (read.kind === 'faults') return showPage(c, page({ entered, faults: read.faults }, visit.csrf), 422);
    const { name, kind, premium } = read.values;
    const game = kind === 'bot' ? null : kind;
    const now = clock.now();
    const listing = newListing({ name, game, weight: premium ? PREMIUM_WEIGHT : 1 }, now, random);
    const members = [{ accountId: account.id, role: 'owner' }] as const;
    await store.changes.addListings([{ listing, members }], now);
    return seeOther(c, paths.listing(listing.id), {
      tone: 'good',
      text: `${name} added.`,
      json: { listing },
    });
  });
  return pages;
}

const page = (state: FormState, csrf: string): Page => ({
  title: 'Add listing',
  trail: [{ label: 'My listings', href: paths.dashboard }],
  narrow: true,
  refused: refusedForm(state.faults),
  json: formFaults(state.faults),
  body: card({
    body: form({
      action: paths.newListing,
      csrf,
      state,
      fields: [
        inputField(state, { name: 'name', label: 'Name' }),
        radioField(state, {
          name: 'kind',
          label: 'Kind',
          hint: 'This can’t be changed later. It sets how often people can vote and what each vote sends.',
          choices: KINDS.map((kind) => ({ value: kind, label: kindOf({ game: gameOf(kind) }) })),
          chosen: ['minecraft'],
        }),
        checkField(state, {
          name: 'premium',
          label: 'Ranking',
          choices: [
            {
              value: 'on',
              label: `Premium: each vote has weight ${PREMIUM_WEIGHT} in the ranking but counts as one vote`,
            },
          ],
        }),
      ],
      submit: submitButton('Add listing'),
    }),
  }),
});

const gameOf = (kind: (typeof KINDS)[number]): Game | null => (kind === 'bot' ? null : kind);
