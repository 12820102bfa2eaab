import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { Random } from '../../core/random.ts';

export const PASSWORD_LEAST = 10;
/** A longer password makes hashing slower but is not safer. */
export const PASSWORD_MOST = 200;

export interface ScryptCost {
  /** The base-2 logarithm of the cost. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** One of OWASP's equivalent settings for scrypt. Each hash needs 32 MiB while it is computed. */
const COST: ScryptCost = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const STORED = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w+/]+=*)\$([\w+/]+=*)$/;

/** Hashes carry their salt and cost (`$scrypt$ln=15,r=8,p=3$salt$hash`), so that the cost can be raised later. */
export class Passwords {
  constructor(
    private readonly random: Random,
    private readonly cost: ScryptCost = COST,
  ) {}

  async hash(password: string): Promise<string> {
    const salt = this.random.bytes(SALT_BYTES);
    const hash = await derive(password, salt, this.cost);
    const { ln, r, p } = this.cost;
    return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
  }

  /** Does the same work if the account does not exist (null), so that the time taken does not reveal that. */
  async matches(password: string, stored: string | null): Promise<boolean> {
    const parts = stored === null ? null : STORED.exec(stored);
    if (parts === null) {
      await derive(password, Buffer.alloc(SALT_BYTES), this.cost);
      return false;
    }
    const [, ln, r, p, salt = '', hash = ''] = parts;
    const expected = Buffer.from(hash, 'base64');
    const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
    const actual = await derive(password, Buffer.from(salt, 'base64'), cost);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}

/** The same letters can be typed as different code points; NFKC makes them equal. */
function derive(password: string, salt: Buffer, { ln, r, p }: ScryptCost): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 128 * r * (N + p + 2) };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
