import forge from 'node-forge';

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

/** A self-signed certificate for `localhost`. */
export function selfSigned(): SelfSigned {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01');
  certificate.validity.notAfter = new Date('2120-01-01');
  const names = [{ name: 'commonName', value: 'localhost' }];
  certificate.setSubject(names);
  certificate.setIssuer(names);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return {
    key: forge.pki.privateKeyToPem(keys.privateKey),
    cert: forge.pki.certificateToPem(certificate),
  };
}
