import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

/** A resolver that knows only these names. The table may change while it is used. */
export const resolver =
  (names: Readonly<Record<string, readonly string[]>>): LookupFunction =>
  (name, _options, callback) => {
    const addresses = names[name];
    if (addresses === undefined) {
      callback(Object.assign(new Error(`ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
      return;
    }
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: isIP(address) })),
    );
  };
