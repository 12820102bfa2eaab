/** Names and certificates of a network that a test has for itself. */

import { generateKeyPairSync } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import forge from 'node-forge';

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

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A self-signed certificate for `localhost`. */
export function selfSigned(): SelfSigned {
  // node-forge creates keys too, but takes seconds.
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01');
  certificate.validity.notAfter = new Date('2120-01-01');
  const names = [{ name: 'commonName', value: 'localhost' }];
  certificate.setSubject(names);
  certificate.setIssuer(names);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { key: privateKey, cert: forge.pki.certificateToPem(certificate) };
}
