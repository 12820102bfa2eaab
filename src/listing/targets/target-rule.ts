import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import type { TargetRule, TargetVerdict } from '../contracts.ts';
import { isInAny, type Networks, readNetworks } from './address.ts';
import { isChannelWebhook } from './channel.ts';
import { checkingLookup, notPublicAmong, RESOLVES_INSIDE, resolveAll } from './checking-lookup.ts';
import { isHostName, isInternalName } from './host-name.ts';
import { bareHost, readHost, readUrl } from './written.ts';

export interface TargetRuleParts {
  /** The resolver, as `dns.lookup`. */
  readonly lookup: LookupFunction;
  /** A name that takes too long to resolve is judged as one that does not; without a clock it is waited for. */
  readonly clock?: Clock;
  /** CIDRs that are open although they are private (NS-46). */
  readonly allowTargets: readonly string[];
  /** Hosts whose webhook addresses post into a chat channel (NS-50). */
  readonly channelHosts: readonly string[];
}

export type HostVerdict =
  /** `host` as it is connected to: without brackets and without a last dot. */
  | { readonly kind: 'allowed'; readonly host: string }
  /** `why` is the rest of a sentence that begins with the host. */
  | { readonly kind: 'invalid' | 'not-public'; readonly why: string };

/** The public-address rule: where the service sends at its owners' word. */
export interface Targets extends TargetRule {
  /** The same for a bare host, a name or an address. */
  judgeHost(host: string): Promise<HostVerdict>;
  /** For every connection: it judges what a name stands for at that moment. */
  readonly lookup: LookupFunction;
  isChannelWebhook(url: URL): boolean;
}

export function targetRule({ lookup, allowTargets, channelHosts, clock }: TargetRuleParts): Targets {
  const allowed = readNetworks(allowTargets);
  const resolve = (host: string) => resolvedInTime(resolveAll(lookup, host), clock);
  const judge = (host: string | null) => (host === null ? NO_HOST : judgeHost(host, resolve, allowed));
  return {
    judge: async (text) => {
      const url = readUrl(text);
      return url === null ? NO_URL : urlVerdict(url, await judge(bareHost(url)));
    },
    judgeHost: async (text) => judge(readHost(text)),
    lookup: checkingLookup(lookup, allowed),
    isChannelWebhook: (url) => isChannelWebhook(url, channelHosts, allowed),
  };
}

const NO_HOST: HostVerdict = { kind: 'invalid', why: 'is not a host name or an IP address' };
const NO_URL: TargetVerdict = { kind: 'WEBHOOK_URL_INVALID', why: 'is not a valid http or https URL' };

function urlVerdict(url: URL, host: HostVerdict): TargetVerdict {
  if (host.kind === 'invalid') return NO_URL;
  if (host.kind === 'not-public') return { kind: 'WEBHOOK_URL_NOT_PUBLIC', why: host.why };
  if (url.username === '' && url.password === '') return { kind: 'allowed', url };
  return { kind: 'WEBHOOK_URL_INVALID', why: 'carries a user name or a password, which would not be sent' };
}

const RESOLVED_WITHIN_MS = 3_000;

/** None where it does not resolve, or not in time: that says nothing of its address yet (NS-51). */
function resolvedInTime(
  resolving: Promise<LookupAddress[]>,
  clock: Clock | undefined,
): Promise<LookupAddress[]> {
  const resolved = resolving.catch((): LookupAddress[] => []);
  if (clock === undefined) return resolved;
  return new Promise((resolve) => {
    const cancel = clock.after(RESOLVED_WITHIN_MS, () => resolve([]));
    void resolved.then((addresses) => {
      cancel();
      resolve(addresses);
    });
  });
}

async function judgeHost(
  host: string,
  resolve: (host: string) => Promise<LookupAddress[]>,
  allowed: Networks,
): Promise<HostVerdict> {
  if (isIP(host) === 0 && !isHostName(host)) return NO_HOST;
  // A name that does not resolve yet says nothing of its address: that is judged when it is used (NS-51).
  const addresses = await resolve(host);
  const isOpened = addresses.length > 0 && addresses.every(({ address }) => isInAny(address, allowed));
  if (isIP(host) === 0 && isInternalName(host) && !isOpened)
    return notPublic('is a name of a private network');
  const fault = notPublicAmong(addresses, allowed);
  if (fault === null) return { kind: 'allowed', host };
  return notPublic(isIP(host) === 0 ? RESOLVES_INSIDE : fault.why);
}

const notPublic = (why: string): HostVerdict => ({ kind: 'not-public', why });
