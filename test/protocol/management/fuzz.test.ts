import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readReceived } from '../../../protocol/management/client.ts';
import { readRequests } from '../../../protocol/management/server.ts';
import { Seeded } from '../../support/seeded.ts';

const SEED = 20_261_123;
const INPUTS = 40_000;

const file = new URL('../../../protocol/vectors/management.json', import.meta.url);
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly vectors: readonly { readonly text: string }[];
};

/** A text of the vectors with a few characters changed, cut out or inserted. */
function mutated(random: Seeded): string {
  let text = vectors[random.below(vectors.length)]?.text ?? '';
  for (let changes = random.below(4); changes > 0; changes--) {
    const at = random.below(text.length + 1);
    const inserted = random.below(2) === 0 ? String.fromCharCode(random.below(128)) : '';
    text = text.slice(0, at) + inserted + text.slice(at + random.below(3));
  }
  return text;
}

it('random and mutated messages are read or ignored, and never throw', () => {
  const random = new Seeded(SEED);
  const kinds = new Map<string, number>();
  for (let count = 0; count < INPUTS; count++) {
    const text = random.below(4) === 0 ? random.bytes(random.below(60)).toString('latin1') : mutated(random);
    readRequests(text);
    const received = readReceived(text);
    for (const { kind } of received) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (received.length === 0) kinds.set('nothing', (kinds.get('nothing') ?? 0) + 1);
  }
  expect([...kinds.keys()].sort()).toEqual(['answer', 'error', 'joined', 'left', 'nothing']);
});

it('an answer that is nested as deep as a message can be is read', () => {
  const depth = 40_000;
  const nested = `${'{"jsonrpc":1,"id":1,"result":'.repeat(depth).slice(0, 1_000_000)}`;
  expect(readReceived(nested)).toEqual([]);
  const whole = `${'{"jsonrpc":1,"id":1,"result":'.repeat(30_000)}1${'}'.repeat(30_000)}`;
  expect(readReceived(whole)).toMatchObject([{ kind: 'answer', id: 1 }]);
});
