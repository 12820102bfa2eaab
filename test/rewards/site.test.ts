import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { site } from '../../src/rewards/site.ts';
import { judging, vote } from '../support/rewards.ts';

const schema = site.schema(schemaKit);

const held = (written: unknown, facts: Parameters<typeof vote>[0]): boolean =>
  site.holds(schema.parse(written), judging({ vote: vote(facts) })).held;

test.each([
  ['its entry', 'A', { site: 'A', service: 'A' }, true],
  ['one of several entries', ['B', 'A'], { site: 'A', service: 'A' }, true],
  ['another entry', ['B', 'default'], { site: 'A', service: 'A' }, false],
  ['the entry that unlisted services share', 'default', { site: 'default', service: 'Z' }, true],
  ['the name of a service without an entry', 'Z', { site: 'default', service: 'Z' }, true],
  ['another spelling', 'a', { site: 'A', service: 'A' }, false],
] as const)('the condition is judged right for %s', (_, written, facts, expected) => {
  expect(held(written, facts)).toBe(expected);
});

test('lists its sites, so that the config can check them', () => {
  expect(site.sites?.(schema.parse(['A', 'B']))).toEqual(['A', 'B']);
});
