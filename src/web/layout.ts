import type { Brand } from './brand.ts';
import { postButton } from './components/button.ts';
import { errorSummary, type Refused } from './components/error-summary.ts';
import { region } from './components/layout-parts.ts';
import { alert } from './components/notice.ts';
import type { Flash } from './flash.ts';
import { type Content, type Html, html, isEmpty } from './html.ts';

export interface Link {
  readonly label: string;
  readonly href: string;
}

/** A link of the menu. */
export interface MenuLink extends Link {
  /** Shown after the label, such as `menuCount`. */
  readonly note?: Html;
}

/** What every page of a site has around its content. */
export interface Frame {
  readonly site: string;
  readonly brand: Brand;
  readonly home: string;
  readonly navigation: readonly MenuLink[];
  readonly account: AccountCorner;
  readonly path: string;
  readonly flash: Flash | null;
  readonly now: number;
  /** A notice for the whole site. */
  readonly notice: Html | null;
}

export type AccountCorner =
  /** For a site without accounts. */
  | { readonly kind: 'none' }
  | { readonly kind: 'signed-out'; readonly signIn: string }
  | {
      readonly kind: 'signed-in';
      readonly link: Link & { readonly title: string };
      readonly signOut: string;
      readonly signOutEverywhere?: string | undefined;
      readonly csrf: string;
    };

export interface Page {
  readonly title: string;
  /** For the browser's tab and history, if the title alone does not identify the page. */
  readonly tabTitle?: string;
  readonly body: Content;
  /** Shown beside the title, for example a badge. */
  readonly beside?: Content;
  /** One sentence under the title. */
  readonly lead?: Content;
  /** The breadcrumb, without the page itself. */
  readonly trail?: readonly Link[];
  readonly actions?: Content;
  readonly tabs?: Html;
  /** Narrow and centred, for a single small form. */
  readonly narrow?: boolean;
  /** Why the form that was sent was refused. */
  readonly refused?: Refused | null;
  /** It has a secret: when it is reloaded, it is the page without it. */
  readonly isShownOnce?: boolean;
  /** A notice above everything else on the page. */
  readonly notice?: Content;
  /** The page's content as values, for scripts. */
  readonly json?: object;
}

/**
 * 403 is for a page that requires signing in again, 409 for a form that was not applied because something has changed, 410
 * for a used link, 422 for a form with faults.
 */
export type PageStatus = 200 | 403 | 409 | 410 | 422 | 429 | 500 | 503;

export const document = (frame: Frame, page: Page): Html => html`<!doctype html>
<html lang="en" data-now="${frame.now}">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${isRefused(frame, page) && 'Error: '}${page.tabTitle ?? page.title} · ${frame.site}</title>
  <link rel="icon" type="image/svg+xml" href="${frame.brand.icon.path}">
  <link rel="stylesheet" href="${frame.brand.style.path}">
  <script type="module" src="${frame.brand.script.path}"></script>
</head>
<body>
  <a class="skip" href="#content">Skip to content</a>
  ${bar(frame)}${region('site-notice', frame.notice && html`<aside class="site-notice" aria-label="Notice"><p>${frame.notice}</p></aside>`)}
  <main class="page" id="content"><div class="${page.narrow && 'narrow'}">
    ${pageHead(page)}${page.tabs}
    <div class="stack">${page.refused && errorSummary(page.refused)}${flashAlert(frame.flash)}${region('notice', page.notice)}${page.body}</div>
  </div></main>
  <p class="outdated" role="status" hidden>This page is no longer up to date. It catches up when <bdi>${frame.site}</bdi> answers; if it does not, reload it.</p>
</body>
</html>
`;

/** Puts "Error:" into the title, because screen readers read the title first. */
const isRefused = ({ flash }: Frame, { refused }: Page): boolean =>
  (refused ?? null) !== null || flash?.tone === 'bad';

const bar = (frame: Frame): Html => html`<header class="bar"><div class="bar-inside">
  <a class="brand" href="${frame.home}">${frame.brand.mark}<bdi>${frame.site}</bdi></a>
  <nav aria-label="Main"><ul class="links">${frame.navigation.map(
    ({ label, href, note }) =>
      html`<li><a href="${href}"${isWithin(frame.path, href, frame.home) && html` aria-current="page"`}>${label}${note}</a></li>`,
  )}</ul></nav>
  ${accountCorner(frame.account)}
</div></header>`;

/** Whether the link is the current one: on its own page and on pages below it. Home is current only on itself. */
const isWithin = (path: string, href: string, home: string): boolean =>
  path === href || (href !== home && href !== '/' && path.startsWith(`${href}/`));

function accountCorner(account: AccountCorner): Html | null {
  if (account.kind === 'none') return null;
  if (account.kind === 'signed-out') {
    return html`<div class="person"><a href="${account.signIn}">Sign in</a></div>`;
  }
  const { link, signOut, signOutEverywhere, csrf } = account;
  const plain = { csrf, kind: 'plain' } as const;
  return html`<div class="person">
    <a href="${link.href}" title="${link.title}">${link.label}</a>
    ${signOutEverywhere !== undefined && postButton({ action: signOutEverywhere, label: 'Sign out everywhere', ...plain })}
    ${postButton({ action: signOut, label: 'Sign out', ...plain })}
  </div>`;
}

const pageHead = ({
  title,
  beside,
  lead,
  trail = [],
  actions,
}: Page): Html => html`<div class="region page-head" id="page-head">
  ${
    trail.length > 0 &&
    html`<nav class="trail" aria-label="Breadcrumb"><ol>${trail.map(
      ({ label, href }) => html`<li><a href="${href}">${label}</a></li>`,
    )}</ol></nav>`
  }
  <div class="page-head-line">
    <div>
      <div class="page-title"><h1>${title}</h1>${beside}</div>
      ${isEmpty(lead) ? null : html`<p class="lead">${lead}</p>`}
    </div>
    ${isEmpty(actions) ? null : html`<div class="actions">${actions}</div>`}
  </div>
</div>`;

function flashAlert(flash: Flash | null): Html | null {
  if (flash === null) return null;
  return flash.tone === 'bad'
    ? errorSummary({ title: flash.text, faults: {} })
    : alert({ tone: flash.tone, title: flash.text });
}
