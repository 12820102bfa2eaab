import forge from 'node-forge';
import { describe, expect, it } from 'vitest';
import { decodeV1Text, decryptV1Block, encodeV1Text, encryptV1Block } from '../../../protocol/votifier/v1.ts';
import { signPayload } from '../../../protocol/votifier/v2.ts';
import { Seeded } from '../../support/seeded.ts';
import { testKey, testPrivateKey, testPublicKey } from '../../support/vectors.ts';

const LETTERS = 'abcXYZ019_ .-é日🎮';

function randomVotes(seed: number, count: number) {
  const random = new Seeded(seed);
  const field = (most: number) => random.text(random.below(most), LETTERS);
  return Array.from({ length: count }, () => ({
    serviceName: field(30),
    username: field(17),
    address: field(10),
    timestamp: String(random.below(2 ** 41)),
  }));
}

const decrypt = (block: Buffer): string => decryptV1Block(testPrivateKey, block);

describe('node-forge, an independent implementation', () => {
  const forgeKey = forge.pki.privateKeyFromPem(testKey.privateKeyPem);
  const forgeDecrypt = (block: Buffer): string =>
    Buffer.from(forgeKey.decrypt(block.toString('latin1'), 'RSAES-PKCS1-V1_5'), 'latin1').toString();

  it('[V1-5] encrypts 20 random votes that our code decrypts', () => {
    const key = forge.pki.publicKeyFromPem(testKey.publicKeyPem);
    for (const vote of randomVotes(3, 20)) {
      const text = Buffer.from(encodeV1Text(vote)).toString('latin1');
      const block = Buffer.from(key.encrypt(text, 'RSAES-PKCS1-V1_5'), 'latin1');
      expect(decodeV1Text(decrypt(block))).toStrictEqual({ kind: 'vote', vote });
    }
  });

  it('[V1-4] [V1-5] decrypts 40 random votes to the same text as our code', () => {
    for (const vote of randomVotes(40, 40)) {
      const block = encryptV1Block(testPublicKey, vote) ?? Buffer.alloc(0);
      expect(decrypt(block)).toBe(encodeV1Text(vote));
      expect(forgeDecrypt(block)).toBe(encodeV1Text(vote));
    }
  });

  it('[V1-5] fails on 20 random blocks, which our code refuses', () => {
    const random = new Seeded(20);
    for (let i = 0; i < 20; i++) {
      const block = Buffer.concat([Buffer.from([random.below(64)]), random.bytes(255)]);
      expect(() => forgeDecrypt(block)).toThrow();
      expect(decodeV1Text(decrypt(block))).toStrictEqual({ kind: 'refused', code: 'v1-bad-block' });
    }
  });

  it('[V2-6] signs 500 random payloads as our code does', () => {
    const random = new Seeded(26);
    for (let i = 0; i < 500; i++) {
      const [payload, token] = [
        random.text(random.below(300), LETTERS),
        random.text(1 + random.below(100), LETTERS),
      ];
      const hmac = forge.hmac.create();
      hmac.start('sha256', forge.util.encodeUtf8(token));
      hmac.update(forge.util.encodeUtf8(payload));
      expect(signPayload(payload, token).toString('hex')).toBe(hmac.digest().toHex());
    }
  });
});
