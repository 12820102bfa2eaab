import { Hono } from 'hono';
import { exactText, readFields } from '../../web/fields.ts';
import {
  alert,
  areaField,
  card,
  codeBlock,
  type FormState,
  form,
  freshForm,
  type Html,
  html,
  inputField,
  refusedForm,
  submitButton,
} from '../../web/kit.ts';
import { formFaults, type PageStatus } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import { type Verification, verifyDelivery } from '../webhooks/verify-delivery.ts';
import type { DashboardParts } from './parts.ts';
import { webhookSection } from './sections.ts';

const AT = '/dashboard/:listing/webhook/verify';

export const verifyPath = (listing: Listing): string => `${addressOf(listing, webhookSection)}/verify`;

const FIELDS = {
  body: exactText({ label: 'Body', most: 32_768 }),
  header: exactText({ label: 'X-Webhook-Signature', most: 1024, least: 0 }),
  secret: exactText({ label: 'Secret', most: 256 }),
};

/** Verifies a pasted delivery as a receiver should, and names the common mistake behind a mismatch. Stores nothing. */
export function verifyPages({ sections }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  const show = (
    c: ListingContext,
    state: FormState,
    found: Verification | null,
    status: PageStatus = 200,
  ) => {
    const { listing, visit } = c.var;
    const body = [found && verdict(found), formCard(listing, state, visit.csrf)];
    const json = status === 200 ? { verification: found } : formFaults(state.faults);
    return showListingPage(
      c,
      sections,
      webhookSection,
      { refused: refusedForm(state.faults), body, json },
      status,
    );
  };
  pages.get(AT, (c) => show(c, freshForm, null));
  pages.post(AT, (c) => {
    const { entered } = c.var;
    const read = readFields(entered, FIELDS);
    if (read.kind === 'faults') return show(c, { entered, faults: read.faults }, null, 422);
    const { body, header, secret } = read.values;
    return show(c, { entered, faults: {} }, verifyDelivery({ body: Buffer.from(body), header, secret }));
  });
  return pages;
}

const verdict = ({ isValid, expected, findings }: Verification): Html =>
  card({
    title: 'Result',
    body: [
      alert({
        tone: isValid ? 'good' : 'bad',
        title: isValid
          ? 'The signature is valid.'
          : 'The signature is not valid. A receiver must refuse this delivery.',
        body: html`<ul>${findings.map(({ sentence }) => html`<li>${sentence}</li>`)}</ul>`,
      }),
      codeBlock({ id: 'expected', label: 'Correct signature for this body and secret', text: expected }),
    ],
  });

const formCard = (listing: Listing, state: FormState, csrf: string): Html =>
  card({
    title: 'Verify a delivery',
    note: 'Paste what your receiver got. Nothing is stored.',
    body: form({
      action: verifyPath(listing),
      csrf,
      state,
      fields: [
        areaField(state, {
          name: 'body',
          label: 'Body',
          hint: 'The raw body, exactly as received.',
          rows: 8,
        }),
        inputField(state, {
          name: 'header',
          label: 'X-Webhook-Signature',
          kind: 'exact',
          hint: 'The value of the header: sha256= followed by 64 hex digits.',
        }),
        inputField(state, { name: 'secret', label: 'Secret', kind: 'password' }),
      ],
      submit: submitButton('Verify'),
    }),
  });
