import { listText } from '../../core/list-text.ts';
import type { Problem } from '../../core/problem.ts';
import { DEFAULT_SITE, shownService } from '../../core/service-name.ts';
import type { FileState } from '../../operator/control/comparison.ts';
import type { ListingKeys, SiteKeys } from '../../operator/keys/listing-keys.ts';
import {
  alert,
  type Content,
  card,
  code,
  codeBlock,
  copyLine,
  durationText,
  facts,
  type Html,
  html,
  quoted,
  stack,
  tag,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { type Typed, toldToDo } from '../told.ts';

export interface KeysPage {
  readonly keys: ListingKeys;
  /** On which this process listens. */
  readonly port: number;
  readonly file: FileState;
  /** How commands are typed on this machine. */
  readonly command: Typed;
  /** How long the page may still be seen. */
  readonly leftMs: number;
}

export const keysPage = ({ keys, port, file, command, leftMs }: KeysPage): Page => ({
  title: 'Keys',
  lead: `What you enter at each listing. Anyone who has a token can send votes, so keep it to yourself. This page closes after ${durationText(leftMs)}.`,
  notice: file.kind === 'same' ? null : newerFile(command),
  body: [
    addressCard(port, keys.port === 0),
    keys.publicKey !== null && publicKeyCard(keys.publicKey),
    keys.acceptsV2 && tokensCard(keys.sites),
  ],
});

export const unreadablePage = ({ code: problem, message }: Problem, command: Typed): Page => ({
  title: 'Keys',
  refused: {
    title: 'The keys cannot be read',
    advice: html`${toldToDo(message, command)} ${tag(problem)}`,
    faults: {},
  },
  body: null,
});

const newerFile = (command: Typed): Html =>
  alert({
    tone: 'warn',
    title: 'The config has changed since Teller read it',
    body: html`The tokens below are those that Teller accepts now. ${code(command('reload'))} applies the change, and
      says if Teller has to be restarted, which a new key pair needs.`,
  });

const addressCard = (port: number, isTemporary: boolean): Html =>
  card({
    title: 'Where votes are sent',
    body: facts([
      ['Address', 'the public IP address or host name of this machine'],
      [
        'Port',
        isTemporary ? html`${port} until Teller stops; set ${code('listener.port')} to choose one` : port,
      ],
    ]),
  });

const publicKeyCard = (publicKey: string): Html =>
  card({
    title: 'Public key',
    note: 'For listings that ask for a public key (Votifier v1). It is the same for every listing.',
    body: codeBlock({ id: 'public-key', label: 'One line, as listings expect it', text: publicKey }),
  });

const tokensCard = (sites: readonly SiteKeys[]): Html =>
  card({
    title: sites.length === 1 ? 'Token' : 'Tokens',
    note: 'For listings that ask for a token (Votifier v2, NuVotifier). A site without one of its own has that of every other listing.',
    body: stack(tokenLines(sites)),
  });

/** Sites with the same token are shown together. */
function tokenLines(sites: readonly SiteKeys[]): readonly Content[] {
  const byToken = new Map<string, string[]>();
  for (const { site, token } of sites)
    if (token !== null) byToken.set(token, [...(byToken.get(token) ?? []), site]);
  const missing = sites.filter(({ token }) => token === null);
  return [
    ...[...byToken].map(([token, names], index) =>
      copyLine({ id: `token-${index}`, label: namesText(names), text: token }),
    ),
    ...missing.map(({ site, problem }) =>
      alert({
        tone: 'bad',
        title: `${namesText([site])}: no token`,
        body: quoted(problem ?? 'no token is set'),
      }),
    ),
  ];
}

/** The entry for every other listing is named last. */
function namesText(sites: readonly string[]): string {
  const own = sites.filter((site) => site !== DEFAULT_SITE).map((site) => shownService(site, 128));
  if (own.length === sites.length) return listText(own, 'and');
  return own.length === 0 ? 'Every other listing' : listText([...own, 'every other listing'], 'and');
}
