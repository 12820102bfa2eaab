import type { LookupFunction } from 'node:net';
import { type Targets, targetRule } from '../../src/listing/targets/target-rule.ts';

/** The addresses of names. Other names do not resolve. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'example.com': ['203.0.114.10'],
  'example.org': ['203.0.114.11', '2606:4700::11'],
  'inside.example': ['10.0.0.5'],
  'mixed.example': ['203.0.114.12', '127.0.0.1'],
  'loop6.example': ['::1'],
  localhost: ['127.0.0.1'],
};

const lookup = ((host: string, _options: object, done: (error: Error | null, found?: object[]) => void) => {
  const found = ADDRESSES[host.replace(/\.$/, '')];
  if (found === undefined) return done(Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  done(
    null,
    found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
}) as unknown as LookupFunction;

/** The real public-address rule, with these names. */
export const publicTargets = (): Targets =>
  targetRule({ lookup, allowTargets: [], channelHosts: ['discord.com'] });
