import { isIP } from 'node:net';
import type { ListeningAddress } from '../platform/listen.ts';

/** What the config of a page server says about how browsers reach it. */
interface OwnAddress {
  readonly host: string;
  /** The origin that browsers use, if a proxy is in front. */
  readonly publicUrl?: string | null | undefined;
}

/** The host names that a page server accepts in `Host`, besides those of loopback (rule 12). */
export function acceptedHosts({ host, publicUrl }: OwnAddress): {
  readonly hosts: readonly string[];
  readonly https: boolean;
} {
  const own = bracketed(host.toLowerCase());
  if (publicUrl == null) return { hosts: [own], https: false };
  const { hostname, protocol } = new URL(publicUrl);
  return { hosts: [own, hostname], https: protocol === 'https:' };
}

/** The URL of the pages, without a slash at the end. */
export const originOf = ({ publicUrl }: OwnAddress, { host, port }: ListeningAddress): string =>
  publicUrl ?? `http://${bracketed(host)}:${port}`;

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host);
