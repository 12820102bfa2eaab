import { Hono } from 'hono';
import { line, paragraphs, readFields } from '../../web/fields.ts';
import {
  areaField,
  card,
  type FormState,
  form,
  freshForm,
  type Html,
  inputField,
  linkButton,
  refusedForm,
  submitButton,
} from '../../web/kit.ts';
import { formFaults, type PageStatus, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import { publicPaths } from '../public/paths.ts';
import type { ListingDetails } from '../store/listings.ts';
import type { DashboardParts } from './parts.ts';
import { detailsSection } from './sections.ts';

const AT = '/dashboard/:listing/details';
const ADDRESS_MOST = 120;
const DESCRIPTION_MOST = 1000;

const FIELDS = {
  address: line({ label: 'Server address', most: ADDRESS_MOST, least: 0 }),
  description: paragraphs({ label: 'Description', most: DESCRIPTION_MOST }),
};

/** The form for what the public page says about the listing. */
export function detailsPages({ store, sections }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  const show = (c: ListingContext, state: FormState = freshForm, status: PageStatus = 200) => {
    const { listing, visit } = c.var;
    const details = store.listings.details(listing.id);
    const page = {
      refused: refusedForm(state.faults),
      actions: linkButton('Public page', publicPaths.listing(listing.id)),
      body: detailsCard(listing, details, state, visit.csrf),
      json: status === 200 ? { details } : formFaults(state.faults),
    };
    return showListingPage(c, sections, detailsSection, page, status);
  };
  pages.get(AT, (c) => show(c));
  pages.post(AT, async (c) => {
    const { listing, entered } = c.var;
    const read = readFields(entered, FIELDS);
    if (read.kind === 'faults') return show(c, { entered, faults: read.faults }, 422);
    await store.changes.describeListing(listing.id, read.values);
    return seeOther(c, addressOf(listing, detailsSection), {
      tone: 'good',
      text: 'Saved. The public page is updated.',
      json: { details: read.values },
    });
  });
  return pages;
}

const detailsCard = (listing: Listing, details: ListingDetails, state: FormState, csrf: string): Html =>
  card({
    title: 'Details',
    note: 'Shown to everyone on the public page.',
    body: form({
      action: addressOf(listing, detailsSection),
      csrf,
      state,
      fields: [
        listing.type === 'game' &&
          inputField(state, {
            name: 'address',
            label: 'Server address',
            optional: true,
            value: details.address,
            hint: 'What players enter to join. Add the port if they need it.',
          }),
        areaField(state, {
          name: 'description',
          label: 'Description',
          optional: true,
          plain: true,
          value: details.description,
          hint: `Plain text, up to ${DESCRIPTION_MOST} characters. An empty line starts a new paragraph.`,
        }),
      ],
      submit: submitButton('Save'),
    }),
  });
