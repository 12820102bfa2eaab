import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../../core/clock.ts';
import { timeLimit } from '../../core/time-limit.ts';
import type { TargetRule, TargetVerdict } from '../contracts.ts';
import { isInAny, type Networks, readNetworks } from './address.ts';
import type { ChannelRule } from './channel.ts';
import { checkingLookup, notPublicAmong, RESOLVES_INSIDE, resolveAll } from './checking-lookup.ts';
import { isHostName, isInternalName } from './host-name.ts';
import { bareHost, readHost, readUrl } from './written.ts';

export interface TargetRuleParts extends ChannelRule {
  /** The resolver, as `dns.lookup`. */
  readonly lookup: LookupFunction;
  /** Limits how long a name may take to resolve; without a clock there is no limit. */
  readonly clock?: Clock;
}

export type HostVerdict =
  /** `host` without brackets and without a dot at the end. */
  | { readonly kind: 'allowed'; readonly host: string }
  /** `why` completes a sentence that begins with the host. */
  | { readonly kind: 'invalid' | 'not-public'; readonly why: string };

/** The public-address rule, for targets that owners enter. */
export interface Targets extends TargetRule {
  /** The same for a host name or an address. */
  judgeHost(host: string): Promise<HostVerdict>;
  /** The lookup for every connection, which checks the addresses that a name has at that moment. */
  readonly lookup: LookupFunction;
  readonly channels: ChannelRule;
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
    channels: { channelHosts, allowTargets },
  };
}

const NO_HOST: HostVerdict = { kind: 'invalid', why: 'is not a host name or an IP address' };
const NO_URL: TargetVerdict = { kind: 'WEBHOOK_URL_INVALID', why: 'is not a valid http or https URL' };

function urlVerdict(url: URL, host: HostVerdict): TargetVerdict {
  if (host.kind === 'invalid') return NO_URL;
  if (host.kind === 'not-public') return { kind: 'WEBHOOK_URL_NOT_PUBLIC', why: host.why };
  if (url.username === '' && url.password === '') return { kind: 'allowed', url };
  return { kind: 'WEBHOOK_URL_INVALID', why: 'contains a user name or a password, which would not be sent' };
}

const RESOLVED_WITHIN_MS = 3_000;

/** Empty if the name does not resolve in time: its address is then unknown (NS-51). */
function resolvedInTime(
  resolving: Promise<LookupAddress[]>,
  clock: Clock | undefined,
): Promise<LookupAddress[]> {
  const resolved = resolving.catch((): LookupAddress[] => []);
  if (clock === undefined) return resolved;
  return new Promise((resolve) => {
    const cancel = timeLimit(clock, RESOLVED_WITHIN_MS, () => resolve([]));
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
  // The address of a name that does not resolve yet is checked when it is used (NS-51).
  const addresses = await resolve(host);
  const isOpened = addresses.length > 0 && addresses.every(({ address }) => isInAny(address, allowed));
  if (isIP(host) === 0 && isInternalName(host) && !isOpened)
    return notPublic('is a name in a private network');
  const fault = notPublicAmong(addresses, allowed);
  if (fault === null) return { kind: 'allowed', host };
  return notPublic(isIP(host) === 0 ? RESOLVES_INSIDE : fault.why);
}

const notPublic = (why: string): HostVerdict => ({ kind: 'not-public', why });
