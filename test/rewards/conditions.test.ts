import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { namedSites, schemaKit } from '../../src/config/condition-schemas.ts';
import { conditionEntries } from '../../src/rewards/conditions.ts';
import { reasonText } from '../../src/rewards/reasons.ts';
import { judging } from '../support/rewards.ts';

const page = readFileSync('docs/operators/rewards.md', 'utf8');

describe.each(conditionEntries)('the condition %s', (name, { schema: build, example, holds, explain }) => {
  const schema = build(schemaKit);
  const value = schema.parse(example);

  test('has an example that its schema accepts, a description and a title', () => {
    expect(schema.description).toMatch(/^[A-Z].*\.$/);
  });

  test.each([0, 0.999_999])('explains in one short sentence why it was met or not, with %d drawn', (draw) => {
    const { held, because } = holds(value, judging({ draw: () => draw }));
    expect(JSON.parse(JSON.stringify(because))).toEqual(because);
    const said = held ? explain.held(because) : explain.notHeld(because);
    expect(said ?? '-').toMatch(/^[^\n]{1,60}$/);
    expect(explain.held({})).toBeNull();
  });

  test('has a test of its own and is on the page for operators', () => {
    expect(existsSync(`test/rewards/${name}.test.ts`)).toBe(true);
    expect(page).toContain(`"if": { "${name}": `);
  });
});

test('the entries of `sites` that an `if` names are found, except in invalid values', () => {
  expect(namedSites({ site: ['A', 'B'], chance: '5%' })).toEqual([
    { condition: 'site', site: 'A' },
    { condition: 'site', site: 'B' },
  ]);
  expect(namedSites({ site: 5, weather: 'A' })).toEqual([]);
});

test('the sentence of a reason comes from its condition, and an unknown code is shown as it is', () => {
  expect(reasonText({ code: 'granted' })).toBe('granted');
  expect(reasonText({ code: 'granted', facts: { chance: 0.05, rolled: 0.01 } })).toBe(
    'granted, rolled 1%, needed less than 5%',
  );
  expect(reasonText({ code: 'site' })).toBe('not this site');
  expect(reasonText({ code: 'recipient-kind', facts: { misfit: 'uses-uuid' } })).toMatch(/^uses \{uuid\}/);
  expect(reasonText({ code: 'occasion-spent', facts: { occasion: 'total 25' } })).toContain('total 25');
  expect(reasonText({ code: 'weather', facts: { rain: true } })).toBe('weather');
});

test('a condition that a vote cannot decide is explained without the facts that it has otherwise', () => {
  expect(reasonText({ code: 'votes', facts: { undecided: true } })).toBe('this vote enters no total');
  expect(reasonText({ code: 'occasion-spent' })).toBe('already decided for it');
});
