import { Hono } from 'hono';
import { type ApiScope, apiScopes, scopesOf } from '../../../protocol/listing-api.ts';
import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { line, readFields, someOf } from '../../web/fields.ts';
import {
  actions,
  ago,
  card,
  checkField,
  code,
  confirmedButton,
  empty,
  type FormState,
  form,
  freshForm,
  type Html,
  html,
  inputField,
  oneTimeSecret,
  quoted,
  refusedForm,
  submitButton,
  table,
  tag,
} from '../../web/kit.ts';
import { formFaults, type PageStatus, seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, type ListingContext, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import { publicPaths } from '../public/paths.ts';
import { hashOfToken, newApiToken } from '../store/api-token.ts';
import { newToken, type TokenEntry } from '../store/tokens.ts';
import type { DashboardParts } from './parts.ts';
import { tokensSection } from './sections.ts';

const AT = '/dashboard/:listing/tokens';
const NAME_MOST = 64;

/** A token that was just created. */
interface Fresh {
  readonly id: string;
  readonly token: string;
  readonly title: string;
}

interface Shown {
  readonly state?: FormState;
  readonly fresh?: Fresh;
}

/** The API's tokens. Each is shown once, when it is created (AU-15). */
export function tokenPages({ store, clock, random, sections }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  const show = (c: ListingContext, { state = freshForm, fresh }: Shown = {}, status: PageStatus = 200) => {
    const { listing, visit } = c.var;
    const tokens = store.tokens.list(listing.id);
    const body = [
      fresh && secretOf(fresh),
      tokensCard(listing, tokens, visit.csrf, clock.now()),
      createCard(listing, state, visit.csrf),
    ];
    const created = fresh && { id: fresh.id, token: fresh.token };
    const json = status === 200 ? (created ?? { tokens: tokens.map(tokenJson) }) : formFaults(state.faults);
    return showListingPage(
      c,
      sections,
      tokensSection,
      { refused: refusedForm(state.faults), body, json, isShownOnce: fresh !== undefined },
      status,
    );
  };
  pages.get(AT, (c) => show(c));
  pages.post(AT, async (c) => {
    const { listing, entered } = c.var;
    const read = readFields(entered, fieldsFor(listing));
    if (read.kind === 'faults') return show(c, { state: { entered, faults: read.faults } }, 422);
    const { name, scopes } = read.values;
    const drawn = newToken(listing, name, scopes, { now: clock.now(), random });
    if (drawn.kind !== 'new') throw new Error('the form offered a scope that this listing cannot have');
    await store.changes.addToken(drawn.stored);
    const fresh = { id: drawn.stored.id, token: drawn.token, title: `Token “${name}” created` };
    return show(c, { fresh });
  });
  pages.post(`${AT}/rotate`, async (c) => {
    const { id, listing } = chosen(c);
    const token = newApiToken(random);
    const isRotated = await store.changes.rotateToken(listing.id, id, hashOfToken(token));
    if (!isRotated) return seeOther(c, addressOf(listing, tokensSection), GONE);
    return show(c, { fresh: { id, token, title: 'Token rotated' } });
  });
  pages.post(`${AT}/revoke`, async (c) => {
    const { id, listing } = chosen(c);
    const isRevoked = await store.changes.revokeToken(listing.id, id, clock.now());
    return seeOther(c, addressOf(listing, tokensSection), isRevoked ? REVOKED : GONE);
  });
  return pages;
}

const tokenJson = ({ createdAt, lastUsedAt, ...token }: TokenEntry) => ({
  ...token,
  createdAt: isoTime(createdAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
});

const fieldsFor = ({ type }: Listing) => ({
  name: line({ label: 'Name', most: NAME_MOST }),
  scopes: someOf<ApiScope>('Scopes', scopesOf(type), 1),
});

const chosen = ({ var: { listing, entered } }: ListingContext) => ({ listing, id: entered.token?.[0] ?? '' });

const REVOKED = {
  tone: 'good',
  text: 'Token revoked. Programs that use it no longer have access.',
} as const;
const GONE = {
  tone: 'warn',
  code: 'no-token',
  text: 'That token no longer exists. Nothing changed.',
} as const;

const secretOf = ({ title, token }: Fresh): Html =>
  oneTimeSecret({
    id: 'token',
    title,
    value: token,
    advice: 'Copy it now. It won’t be shown again.',
  });

const tokensCard = (listing: Listing, tokens: readonly TokenEntry[], csrf: string, now: number): Html =>
  card({
    title: 'Tokens',
    note: html`Programs use them to access this listing’s votes. See the
      <a href="${publicPaths.docs}">API reference</a>. New tokens share the listing’s limits.`,
    body: table<TokenEntry>({
      caption: 'Tokens of this listing',
      columns: [
        { label: 'Name', cell: ({ name }) => name, onPhone: 'title' },
        { label: 'Scopes', cell: ({ scopes }) => html`<span class="row">${scopes.map(tag)}</span>` },
        { label: 'Created', kind: 'brief', cell: ({ createdAt }) => ago(createdAt, now) },
        {
          label: 'Last used',
          kind: 'brief',
          cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : ago(lastUsedAt, now)),
        },
        { label: 'Actions', kind: 'end', onPhone: 'block', cell: (token) => changes(listing, token, csrf) },
      ],
      rows: tokens,
      empty: empty({ title: 'No tokens yet', advice: 'Create one below. Give each program its own.' }),
    }),
  });

const changes = (listing: Listing, { id, name }: TokenEntry, csrf: string): Html => {
  const address = addressOf(listing, tokensSection);
  const shared = { csrf, with: { token: id }, small: true };
  return actions(
    confirmedButton({
      ...shared,
      action: `${address}/rotate`,
      label: 'Rotate…',
      question: html`A new token replaces ${quoted(name)}. The old one stops working at once.`,
      confirm: 'Rotate token',
    }),
    confirmedButton({
      ...shared,
      action: `${address}/revoke`,
      label: 'Revoke…',
      question: html`Programs that use ${quoted(name)} lose access at once. This can’t be undone.`,
      confirm: 'Revoke token',
    }),
  );
};

const createCard = (listing: Listing, state: FormState, csrf: string): Html =>
  card({
    title: 'Create token',
    body: form({
      action: addressOf(listing, tokensSection),
      csrf,
      state,
      fields: [
        inputField(state, {
          name: 'name',
          label: 'Name',
          hint: 'For example, the program that uses it.',
        }),
        checkField(state, {
          name: 'scopes',
          label: 'Scopes',
          hint: 'What the program may do.',
          choices: scopesOf(listing.type).map((scope) => ({
            value: scope,
            label: scope,
            hint: apiScopes[scope],
          })),
          chosen: ['votes:read'],
        }),
        listing.type === 'bot' && html`<p class="hint">This bot’s ID is ${code(listing.id)}.</p>`,
      ],
      submit: submitButton('Create token'),
    }),
  });
